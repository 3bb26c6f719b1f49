"""A value of the wrong kind: what it is, and how to write what is wanted."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

from ..redaction import secret_kind
from .fields import Place, shape_of
from .quantities import shown
from .scalars import quoted, resolve_scalar, write_inline
from .spacing import spacing_fault
from .suggestions import counted, word_meant

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
    """What to write instead: the value itself in the kind that is wanted where the spec takes it so, else an example.

    `label` goes before the value: `count: `, or nothing for an entry of a list.
    """
    shape = place.shape
    if shape.item is not None and isinstance(value, Mapping):
        return "write a list: begin each entry with '- '"
    if len(shape.models) == 1 and isinstance(value, list):
        return "write a mapping: take out the '- ' before its keys"
    if hint := _spacing_hint(label, value, place):
        return hint
    # A hint that repeats a secret shows it, in pieces that no longer look like one.
    better = None if isinstance(value, str) and secret_kind(value) else _instead(value, place, written)
    if better is not None and place.takes(better):
        text = quoted(better) if isinstance(better, str) else write_inline(better)
        if len(text) <= 120:
            return f"write {label}{text}"
    example = f"for example {label}{place.examples[0]}" if place.examples else ""
    optional = value is None and place.info is not None and not place.info.is_required()
    return ", or ".join(part for part in ("leave it out" if optional else "", example) if part)


def _spacing_hint(label: str, value: Any, place: Place) -> str:
    """For a key and its value that are one text for want of a space."""
    shape = place.shape
    if value is None and place.element:
        fault = spacing_fault(label.removesuffix(": "))
    elif isinstance(value, str) and (shape.models or shape.value is not None):
        fault = spacing_fault(value)
        if fault and shape.value is None and not any(fault.key in m.model_fields for m in shape.models):
            fault = None
    else:
        return ""
    return f"{fault.message}: {fault.hint}" if fault else ""


def _instead(value: Any, place: Place, written: str | None) -> object:
    """The value in the kind that is wanted; None where that cannot be told."""
    shape = place.shape
    if isinstance(value, str):
        return _from_text(value.strip(), place)
    if not isinstance(value, (bool, int, float)):
        return None
    if "text" in shape.kinds:
        text = written if written is not None else shown(value)
        return text if len(text) <= 60 and " " not in text and _may_be_number(place) else None
    if "a whole number" in shape.kinds and isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return [value] if shape.item is not None else None


def _may_be_number(place: Place) -> bool:
    """Whether text here may look like a number, as its examples show: a label may, an instance type may not."""
    return any(e.startswith('"') and not isinstance(resolve_scalar(e.strip('"')), str) for e in place.examples)


def _from_text(text: str, place: Place) -> object:
    shape = place.shape
    if "true or false" in shape.kinds and text.casefold() in _YES | _NO:
        return text.casefold() in _YES
    if {"a whole number", "a number"} & set(shape.kinds) and (match := _MONEY.fullmatch(text)) and len(text) < 40:
        number = re.sub(r"[_, ]", "", match[1])
        return resolve_scalar(number) if "a number" in shape.kinds or "." not in number else None
    if not text or len(text) > 100:
        return None
    if shape.item is not None:
        return _split(text, place)
    if len(shape.models) == 1:
        return _as_mapping(text, place)
    return None


def _split(text: str, place: Place) -> list[Any]:
    """A command line becomes its words; other text becomes a list by its commas."""
    if place.info is not None and "arguments" in (place.info.description or ""):
        try:
            return shlex.split(text)
        except ValueError:
            return [text]
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return [resolve_scalar(part) for part in parts] if "a number" in shape_of(place.shape.item).kinds else parts


def _as_mapping(text: str, place: Place) -> dict[str, Any] | None:
    """`spot` becomes {type: spot}, `H100:8` becomes {model: H100, count: 8}: the fields that take such words."""
    fields = place.shape.models[0].model_fields
    if {"model", "count"} <= set(fields) and (both := counted(text)) and place.takes(both):
        return both
    for name, info in fields.items():
        words = shape_of(info.annotation).words
        meant = word_meant(name, text, words) if words else ()
        if meant:
            return {name: meant[0]}
    required = [name for name, info in fields.items() if info.is_required()]
    if len(required) == 1 and "text" in shape_of(fields[required[0]].annotation).kinds:
        return {required[0]: text}
    return None
