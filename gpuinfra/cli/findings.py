"""Findings as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from ..diagnostics import SEVERITY_ORDER, Diagnostic, Severity, Source, summary
from ..redaction import NOT_SHOWN, secret_kind
from .output import printable

_COLOUR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
_MAX_LINE = 200
"""Characters of a line that are shown, also where no terminal sets a width."""
_MAX_READ = 20_000
MAX_SHOWN = 100
"""Findings that the text form shows in full: nobody reads a thousand that one slip of the pen gave."""


def as_text(
    findings: Sequence[Diagnostic], lines: Mapping[str, Sequence[str]] | None = None, width: int | None = None
) -> str:
    """The findings, one block each; of more than MAX_SHOWN the worst, and how many are left out.

    With `lines` (the text of each file) the place is shown and marked; with `width` (of a terminal) long texts break
    between words, without it each is one line.
    """
    by_weight = sorted(range(len(findings)), key=lambda i: SEVERITY_ORDER[findings[i].severity])
    shown = [findings[i] for i in sorted(by_weight[:MAX_SHOWN])]
    text = "".join(_block(d, lines or {}, width) for d in shown)
    left = len(findings) - len(shown)
    return text + (f"… and {_counted(left, 'more finding')} (the JSON form lists all)\n" if left else "")


def _block(finding: Diagnostic, lines: Mapping[str, Sequence[str]], width: int | None) -> str:
    colour = _COLOUR[finding.severity]
    mark = f"{finding.severity}[{finding.code}]"
    place = f"{printable(str(finding.source))}: " if finding.source else ""
    path = f" {printable(finding.path)}:" if finding.path else ""
    head = _broken(f"{place}{mark}{path} {printable(finding.message)}", width)
    styled = click.style(mark, fg=colour, bold=True) + (click.style(path, bold=True) if path else "")
    out = [head.replace(mark + path, styled, 1)]
    if finding.source and finding.source.file in lines and NOT_SHOWN not in finding.message:
        out += _excerpt(finding.source, lines[finding.source.file], colour, finding.path, width)
    if finding.hint:
        out.append(
            _broken(f"  hint: {printable(finding.hint)}", width).replace("hint:", click.style("hint:", fg="green"), 1)
        )
    out.append(f"  {click.style('docs:', dim=True)} {finding.docs}")
    return "\n".join(out) + "\n"


def _broken(text: str, width: int | None) -> str:
    """The text, its further lines indented."""
    if width is None:
        return text.replace("\n", "\n    ")
    import textwrap

    wrapped: list[str] = []
    for line in text.split("\n"):
        first = "    " if wrapped else ""
        wrapped += textwrap.wrap(
            line,
            max(width, 40),
            initial_indent=first,
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(wrapped)


def _excerpt(source: Source, lines: Sequence[str], colour: str, path: str, columns: int | None) -> list[str]:
    """The line of the file, cut to the columns of the terminal, and a caret under the value; nothing where the value is
    left out and the place is only where the document begins."""
    if not 1 <= source.line <= len(lines) or source.column < 1:
        return []
    line = lines[source.line - 1]
    if secret_kind(line) or (source.column == 1 and _of_another_key(line, path)):
        return []
    start = source.column - 1
    if start > len(line) or len(line) > _MAX_READ:
        return []
    width = _token_width(line[start:])
    gutter = f"{source.line:>5} | "
    if columns is not None:
        # How far a tab goes hangs on what stands before it, which may be cut.
        start, line = len(line[:start].expandtabs()), line.expandtabs()
    room = _MAX_LINE if columns is None else min(_MAX_LINE, max(columns, 40) - len(gutter))
    line, start, width = _cut(line, start, width, room)
    if not line.replace("\t", "").isprintable():
        return []
    pad = "".join("\t" if c == "\t" else " " for c in line[:start])
    return [
        click.style(gutter, dim=True) + line,
        click.style(" " * (len(gutter) - 2) + "| ", dim=True) + pad + click.style("^" * width, fg=colour, bold=True),
    ]


def _cut(line: str, start: int, width: int, room: int) -> tuple[str, int, int]:
    """A line with the place of its mark, as much of it around the mark as there is room for."""
    if len(line) <= room:
        return line, start, width
    begin = 0
    if start + width >= room:
        begin = min(start - max(1, (room - width) // 2), len(line) - room)
        begin = max(0, min(begin, start - 1))
    shown = line[begin : begin + room]
    if begin:
        shown = "…" + shown[1:]
    cut = begin + room < len(line)
    if cut:
        shown = shown[:-1] + "…"
    start -= begin
    return shown, start, max(1, min(width, len(shown) - start - cut))


def _of_another_key(line: str, path: str) -> bool:
    """Whether a line of YAML begins with another key than the path does. A line of a program begins with none."""
    key, colon, _ = line.partition(":")
    name = key.strip("\"' ")
    top = path.partition(".")[0].partition("[")[0]
    if line.startswith("#"):
        return True
    return bool(top and colon) and name.replace("-", "_").isidentifier() and name != top


def _token_width(rest: str) -> int:
    """How long the value under the caret is: a quoted text, or up to a separator of YAML."""
    if rest[:1] in ("'", '"'):
        end = rest.find(rest[0], 1)
        return end + 1 if end > 0 else 1
    for i, c in enumerate(rest):
        if c in ",]}#" or (c == ":" and rest[i + 1 : i + 2] in ("", " ")):
            return max(1, len(rest[:i].rstrip()))
    return max(1, len(rest.rstrip()))


def summary_line(findings: Sequence[Diagnostic], files: int) -> str:
    """As '2 errors, 1 warning in 1 file'; notes are named only where there are some."""
    count = summary(findings)
    parts = [_counted(count["errors"], "error"), _counted(count["warnings"], "warning")]
    if count["infos"]:
        parts.append(_counted(count["infos"], "info"))
    colour = "red" if count["errors"] else "yellow" if count["warnings"] else "green"
    return click.style(", ".join(parts), fg=colour, bold=True) + f" in {_counted(files, 'file')}\n"


def _counted(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def as_data(findings: Sequence[Diagnostic]) -> dict[str, Any]:
    """The JSON form: findings and their summary."""
    return {"findings": [d.as_dict() for d in findings], "summary": summary(findings)}
