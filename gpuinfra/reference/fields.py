"""The fields of the spec, read from its models: path, type, default, description, unit and example."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from ..spec.models import ClusterSpec
from ..spec.quantities import Gib, format_duration
from .on_change import on_change

_PLAIN: dict[type[object], str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    timedelta: "duration",
    datetime: "moment",
    date: "date",
    Gib: "size",
}
_UNITS = {"_gib": "GiB", "_usd": "USD", "_percent": "%", "_mbps_per_tib": "MB/s per TiB", "_s": "s"}


@dataclass(frozen=True)
class SpecField:
    """One field. `where` names the cloud that alone has it; empty for all."""

    path: str
    type: str
    default: str
    """Empty: the field is required."""
    description: str
    unit: str
    example: str
    on_change: str
    where: str = ""

    @property
    def required(self) -> bool:
        return not self.default


def spec_fields() -> tuple[SpecField, ...]:
    """Every field of the spec, outer before inner, in the order of the models."""
    return tuple(_walk(ClusterSpec, "", ""))


def _walk(model: type[BaseModel], prefix: str, where: str) -> Iterator[SpecField]:
    for name, info in model.model_fields.items():
        path = f"{prefix}{name}"
        inner = tuple(_models(info.annotation, path))
        yield _field(path, name, info, where)
        several = len({inside for inside, _ in inner}) < len(inner)
        for inside, part in inner:
            yield from _walk(part, f"{inside}.", _cloud(part) if several else where)


def _cloud(model: type[BaseModel]) -> str:
    """The cloud of a form of the location, from the word that tells the forms apart."""
    words = get_args(model.model_fields["provider"].annotation) if "provider" in model.model_fields else ()
    return str(words[0]) if words else ""


def _models(annotation: Any, path: str) -> Iterator[tuple[str, type[BaseModel]]]:
    """The models inside a type, each with the path at which its fields stand."""
    origin = get_origin(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield path, annotation
    elif origin is tuple:
        yield from _models(get_args(annotation)[0], f"{path}[]")
    elif origin is Annotated:
        yield from _models(get_args(annotation)[0], path)
    elif origin in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from _models(part, path)


def _field(path: str, name: str, info: FieldInfo, where: str) -> SpecField:
    examples: list[Any] = info.examples or []
    return SpecField(
        path=path,
        type=type_words(info.annotation),
        default=_default(info),
        description=info.description or "",
        unit=next((unit for end, unit in _UNITS.items() if name.endswith(end)), ""),
        example=_value(examples[0]) if examples else "",
        on_change=on_change(path),
        where=where,
    )


def _default(info: FieldInfo) -> str:
    if info.default is PydanticUndefined and info.default_factory is None:
        return ""
    value: Any = info.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, BaseModel):
        return "its own defaults"
    return "none" if value is None or value == () or value == {} else _value(value)


def _value(value: Any) -> str:
    """A value as one writes it in the spec."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_value(v)}" for k, v in value.items()) + "}"  # type: ignore[misc]
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(v) for v in value) + "]"  # type: ignore[misc]
    if isinstance(value, timedelta):
        return format_duration(value)
    return str(value)


def type_words(annotation: Any) -> str:
    """A type in the words of the reference."""
    origin, args = get_origin(annotation), get_args(annotation)
    kind: Any = annotation
    if origin is Annotated:
        return type_words(args[0])
    if origin in (Union, types.UnionType):
        words = dict.fromkeys(type_words(a) for a in args if a is not types.NoneType)
        return " or ".join(words)
    if origin is Literal:
        return " \\| ".join(f"`{a}`" for a in args)
    if origin is tuple:
        return f"list of {_plural(type_words(args[0]))}"
    if origin is dict:
        return f"mapping of {type_words(args[0])} to {type_words(args[1])}"
    if isinstance(annotation, type):
        if issubclass(annotation, StrEnum):
            return " \\| ".join(f"`{word}`" for word in annotation)
        if issubclass(annotation, BaseModel):
            return "mapping"
        return _PLAIN.get(kind) or str(kind.__name__).lower()
    return str(annotation)


def _plural(words: str) -> str:
    return words if words in ("text",) or "`" in words else f"{words}s"
