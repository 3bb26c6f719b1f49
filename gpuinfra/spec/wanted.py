"""What a file of ours wants where it was given something else, in our own words: those of the validator are a programmer's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .quantities import printable

_MOMENT = "a moment with an offset is wanted, as 2026-12-05T18:00:00Z"

_KINDS: Mapping[str, str] = {
    "missing": "the key is missing",
    "extra_forbidden": "there is no such key",
    "invalid_key": "a key is wanted that is text",
    "tuple_type": "a list is wanted",
    "list_type": "a list is wanted",
    "set_type": "a list is wanted",
    "dict_type": "a mapping is wanted, as {name: …}",
    "mapping_type": "a mapping is wanted, as {name: …}",
    "model_type": "a mapping is wanted, as {name: …}",
    "model_attributes_type": "a mapping is wanted, as {name: …}",
    "string_type": "a text is wanted",
    "bool_type": "true or false is wanted",
    "bool_parsing": "true or false is wanted",
    "int_type": "a whole number is wanted",
    "int_parsing": "a whole number is wanted",
    "int_parsing_size": "a smaller number is wanted",
    "int_from_float": "a whole number is wanted",
    "float_type": "a number is wanted",
    "float_parsing": "a number is wanted",
    "finite_number": "a number is wanted that one can count with",
    "timezone_aware": _MOMENT,
    "string_pattern_mismatch": "a text of another form is wanted",
}
_BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than_equal": ("ge", "{} or more is wanted"),
    "greater_than": ("gt", "more than {} is wanted"),
    "less_than_equal": ("le", "{} or less is wanted"),
    "less_than": ("lt", "less than {} is wanted"),
    "literal_error": ("expected", "one of {} is wanted"),
    "enum": ("expected", "one of {} is wanted"),
    "too_long": ("max_length", "at most {} entries are wanted"),
    "too_short": ("min_length", "at least {} is wanted"),
    "string_too_long": ("max_length", "at most {} characters are wanted"),
    "string_too_short": ("min_length", "a text that is not empty is wanted"),
}


def wanted(error: Mapping[str, Any]) -> str:
    """What is wanted, by one error of pydantic: 'a list is wanted'."""
    kind = str(error.get("type", ""))
    context = cast("Mapping[str, Any]", error.get("ctx") or {})
    if kind in _KINDS:
        return _KINDS[kind]
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return words.format(_plain(context.get(name, "another value")))
    if kind.startswith("datetime"):
        return _MOMENT
    if kind.startswith("date_"):
        return "a day is wanted, as 2026-12-31"
    if "reason" in context:
        # A check of ours, which has said it.
        return printable(str(context["reason"]), 200)
    if kind == "value_error":
        said = printable(str(error.get("msg", "")).removeprefix("Value error, "), 200)
        return said[:1].lower() + said[1:]
    return "another value is wanted"


def _plain(value: Any) -> str:
    """A bound as a person writes it: 1 and not 1.0."""
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return printable(str(value), 200)
