"""A YAML parser's complaint in plain words, with its place."""

from __future__ import annotations

from typing import cast

import yaml

from ..diagnostics import Diagnostic, Source
from . import findings as f
from .spacing import first_invisible, spacing_fault

# What libyaml or PyYAML's own parser says; what is wrong; what to do. The first that fits counts.
_SAID: tuple[tuple[str, str, str], ...] = (
    (
        "mapping values are not allowed",
        "a colon stands where no key can begin",
        "quote text that holds ': '; look for a colon missing on the line above, and for wrong indentation",
    ),
    (
        "sequence entries are not allowed",
        "a list entry (- ) stands where none can begin",
        "begin the list on a line of its own, below its key",
    ),
    (
        "unexpected end of stream",
        "a quote is opened and never closed",
        "close the quote",
    ),
    (
        "unknown escape character",
        "a backslash in double quotes begins no escape that YAML knows",
        "take single quotes, in which a backslash is a backslash",
    ),
    (
        "invalid Unicode character escape",
        "an escape in double quotes stands for no character",
        "write the character itself, or take single quotes, in which a backslash is a backslash",
    ),
    (
        "while parsing a flow",
        "a bracket is opened and not closed, or a comma is missing",
        "close it with ] or }, and separate the entries by commas",
    ),
    (
        "while parsing a block mapping",
        "this line does not continue the mapping",
        "give keys of one mapping the same indentation; look for a quote or bracket that closes too early",
    ),
    (
        "while parsing a block collection",
        "this line does not continue the list",
        "begin each entry of a list with '- ' in the same column",
    ),
    (
        "cannot start any token",
        "a value cannot begin with this character",
        "put the value in quotes",
    ),
    (
        "could not find expected ':'",
        "a key is not followed by a colon",
        "write `key: value`, with a space after the colon",
    ),
    (
        "<document start>",
        "text follows the end of the document",
        "take out the `...` above it, and what follows it",
    ),
    (
        "incompatible YAML document",
        "the %YAML line asks for a version that cannot be read",
        "take the line out",
    ),
    (
        "directive",
        "a line that begins with % is a directive to the parser, and this one is unknown",
        "put the text in quotes",
    ),
    (
        "expected alphabetic or numeric character",
        "& and * begin an anchor or alias and need a name",
        "put the value in quotes",
    ),
)


def plain_words(error: yaml.YAMLError, text: str, file: str) -> Diagnostic:
    """The finding for text that a YAML parser refused."""
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read")
    context = str(getattr(error, "context", None) or "")
    mark = cast(yaml.Mark | None, getattr(error, "problem_mark", None))
    source = Source(file, mark.line + 1, mark.column + 1) if mark else Source(file)
    lines = text.splitlines()
    line: str = lines[mark.line] if mark and mark.line < len(lines) else ""
    if "undefined tag handle" in problem:
        return f.TAG.at("", "a tag is not allowed; a spec is plain data").located(source)
    if "nesting" in problem:
        return f.TOO_DEEP.at("", "the value is nested deeper than any spec").located(source)
    if mark and line[mark.column : mark.column + 1] == "\t":
        return f.TAB.at("", "a tab stands where YAML wants spaces").located(source)
    if mark and (found := _unseen(lines, mark, context, getattr(error, "context_mark", None), problem, file)):
        return found
    began = ""
    start = cast(yaml.Mark | None, getattr(error, "context_mark", None))
    if start and mark and start.line != mark.line and ("flow" in context or "quoted" in context):
        began = f" (it began on line {start.line + 1})"
    for needle, meaning, hint in _SAID:
        if needle in problem or needle in context:
            return f.NOT_YAML.at("", f"not YAML: {meaning}{began}", hint).located(source)
    return f.NOT_YAML.at("", f"not YAML: {problem}").located(source)


# A key without a space behind its colon is text to YAML, and the parser gives up at the next colon only.
_LATE = ("mapping values are not allowed", "could not find expected ':'")


def _unseen(
    lines: list[str], mark: yaml.Mark, context: str, start: yaml.Mark | None, problem: str, file: str
) -> Diagnostic | None:
    """The fault that the eye passes over, where one explains the parser's complaint: on the line of the complaint, or on
    the lines above that the parser took for one text."""
    if problem.startswith(_LATE):
        first = last = mark.line - 1
        if start is not None and "simple key" in context:
            first = last = start.line
        while last >= 0 and last < len(lines) and not lines[last].strip():
            last -= 1
        for n in range(min(first, last), -1, -1):
            fault = spacing_fault(lines[n]) if n < len(lines) else None
            if fault is None:
                break
            last = n
        fault = spacing_fault(lines[last]) if 0 <= last < len(lines) else None
        if fault is not None:
            said = fault.message if fault.code is f.INVISIBLE else f"not YAML: {fault.message}"
            return fault.code.at("", said, fault.hint).located(Source(file, last + 1, fault.offset + 1))
    for n in dict.fromkeys((mark.line, start.line if start else mark.line)):
        line = lines[n] if n < len(lines) else ""
        if (at := first_invisible(line)) >= 0:
            said = f"the line holds the character U+{ord(line[at]):04X}, which cannot be seen"
            return f.INVISIBLE.at("", said, "delete it, or type a space in its place").located(
                Source(file, n + 1, at + 1)
            )
    return None
