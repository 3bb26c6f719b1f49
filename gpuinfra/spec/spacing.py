"""Faults that the eye passes over: no space behind a colon, a no-break space there, a colon of another script."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ..diagnostics import Code
from . import findings as f
from .quantities import printable

_KEY = re.compile(
    r"\s*(?:-[ \t]+)*(?P<key>[A-Za-z_][\w.-]*)(?P<colon>[:\uff1a\ufe55\u2236\ua789])(?P<rest>.*)", re.DOTALL
)


@dataclass(frozen=True)
class SpacingFault:
    """What is wrong behind a key."""

    key: str
    offset: int
    """Of the character that is meant, from 0."""
    code: Code
    message: str
    hint: str


def spacing_fault(line: str) -> SpacingFault | None:
    """The fault behind the key that a line, or a scalar, begins with; None where there is none."""
    match = _KEY.match(line)
    if match is None:
        return None
    key, colon, rest = match["key"], match["colon"], match["rest"]
    shown = printable(key)
    value = rest.strip()
    write = f"write {shown}: {value}" if value.isprintable() and 0 < len(value) <= 80 else "a space follows the colon"
    if colon != ":":
        name = unicodedata.name(colon).lower()
        said = f"the colon behind '{shown}' is U+{ord(colon):04X} ({name}), which is none to YAML"
        return SpacingFault(key, match.start("colon"), f.NOT_YAML, said, write)
    if not rest or rest[0] in " \t\r\n/":
        # A slash: the address of something, as https://…
        return None
    if rest[0].isprintable():
        return SpacingFault(key, match.start("rest"), f.NOT_YAML, f"no space follows the colon behind '{shown}'", write)
    said = f"the character U+{ord(rest[0]):04X} stands behind the colon of '{shown}', where a space is wanted"
    return SpacingFault(key, match.start("rest"), f.INVISIBLE, said, "type a space in its place")


def first_invisible(text: str) -> int:
    """Offset of the first character that cannot be seen, tabs aside; -1 where there is none."""
    return next((n for n, c in enumerate(text) if c != "\t" and not c.isprintable()), -1)
