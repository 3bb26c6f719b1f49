"""A value of the wrong kind: what it is, and how to write what is wanted."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

from .fields import Place, shape_of
from .quantities import shown
from .scalars import quoted, write_inline

_YES = frozenset({"yes", "y", "on", "true"})
_NO = frozenset({"no", "n", "off", "false"})
_MONEY = re.compile(r"[$€£]?\s*([0-9][0-9_, ]*(?:\.[0-9]+)?)\s*(?:usd|dollars?)?", re.IGNORECASE)


def kind_of(value: object) -> str:
    """What a value is, in words."""
    if value is None:
        return "no value"
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, (list, tuple, set, frozenset)):
        return "a list"
    return "another kind of value"


def kind_hint(label: str, value: Any, place: Place, written: str | None) -> str:
    """What to write instead: the value itself in the kind that is wanted where that can be told, else an example.

    `label` goes before the value: `count: `, or nothing for an entry of a list.
    """
    shape = place.shape
    if shape.item is not None and isinstance(value, Mapping):
        return "write a list: begin each entry with '- '"
    if len(shape.models) == 1 and isinstance(value, list):
        return "write a mapping: take out the '- ' before its keys"
    better = _instead(value, place, written)
    if better is not None and len(better) <= 120:
        return f"write {label}{better}"
    example = f"for example {label}{place.examples[0]}" if place.examples else ""
    optional = value is None and place.info is not None and not place.info.is_required()
    return ", or ".join(part for part in ("leave it out" if optional else "", example) if part)


def _instead(value: Any, place: Place, written: str | None) -> str | None:
    """The value in the kind that is wanted; None where that cannot be told."""
    kinds = place.shape.kinds
    if isinstance(value, str):
        return _from_text(value.strip(), place)
    if not isinstance(value, (bool, int, float)):
        return None
    if "text" in kinds:
        text = written if written is not None else shown(value)
        return quoted(text) if len(text) <= 60 and " " not in text else None
    if "a whole number" in kinds and isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"[{written if written is not None else shown(value)}]" if place.shape.item is not None else None


def _from_text(text: str, place: Place) -> str | None:
    shape = place.shape
    if "true or false" in shape.kinds and text.casefold() in _YES | _NO:
        return "true" if text.casefold() in _YES else "false"
    if {"a whole number", "a number"} & set(shape.kinds) and (match := _MONEY.fullmatch(text)) and len(text) < 40:
        number = re.sub(r"[_, ]", "", match[1])
        return number if "a number" in shape.kinds or "." not in number else None
    if not text or len(text) > 100:
        return None
    if shape.item is not None:
        return write_inline(_split(text, place))
    if len(shape.models) == 1:
        return _as_mapping(text, place)
    return None


def _split(text: str, place: Place) -> list[str]:
    """A command line becomes its words; other text becomes a list by its commas."""
    one_word_each = place.info is not None and "arguments" in (place.info.description or "")
    if one_word_each:
        try:
            return shlex.split(text)
        except ValueError:
            return [text]
    return [part.strip() for part in text.split(",") if part.strip()]


def _as_mapping(text: str, place: Place) -> str | None:
    """`spot` becomes {type: spot}, `H100` becomes {model: H100}: the field that takes such a word."""
    fields = place.shape.models[0].model_fields
    for name, info in fields.items():
        if text in shape_of(info.annotation).words:
            return write_inline({name: text})
    required = [name for name, info in fields.items() if info.is_required()]
    if len(required) == 1 and "text" in shape_of(fields[required[0]].annotation).kinds:
        return write_inline({required[0]: text})
    return None
