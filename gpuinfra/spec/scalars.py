"""Unquoted words of YAML 1.2's core schema: null, truth values and numbers. Everything else is text.

YAML 1.1, which most readers still follow, makes `no` a truth value, 010 eight, 12:30 a number and a day a date.
"""

from __future__ import annotations

import re

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}

_INT = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_LONGEST_NUMBER = 300
"""Longer digits stay text: no key takes such a number, and Python refuses to spell it back."""


def resolve_scalar(text: str) -> Scalar:
    """What an unquoted scalar stands for."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789" or len(text) > _LONGEST_NUMBER:
        return text
    if _INT.fullmatch(text):
        return int(text)
    if _BASED.fullmatch(text):
        return int(text, 0)
    return float(text) if _FLOAT.fullmatch(text) else text


_PLAIN = re.compile(r"[A-Za-z0-9_./][-A-Za-z0-9_./@+]*(:[A-Za-z0-9_./-]+)*")


def write_inline(value: object) -> str:
    """A value as YAML on one line, as a hint shows it. Text that would be read as something else is quoted."""
    if isinstance(value, dict):
        items: dict[object, object] = value  # pyright: ignore[reportUnknownVariableType]
        return "{" + ", ".join(f"{k}: {write_inline(v)}" for k, v in items.items()) + "}"
    if isinstance(value, (list, tuple)):
        entries: list[object] = list(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return "[" + ", ".join(write_inline(v) for v in entries) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = str(value)
        plain = _PLAIN.fullmatch(text) and isinstance(resolve_scalar(text), str)
        return text if plain else quoted(text)
    return str(value)


def quoted(text: str) -> str:
    """Text in double quotes, with everything escaped that is not printable."""
    inner = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in inner) + '"'
