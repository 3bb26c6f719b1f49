"""The spec's fields as data: what stands where, what it takes and what it means, read from the models."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from .base import SpecModel
from .models import ClusterSpec
from .paths import Path
from .quantities import Gib
from .scalars import write_inline

_KINDS: dict[type, str] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    Gib: "a size",
    timedelta: "a duration",
    datetime: "a moment",
    date: "a day",
}

_EXAMPLES: dict[str, tuple[str, ...]] = {
    "a size": ("9600", '"10 TiB"'),
    "a duration": ("30m", "72h"),
    "a moment": ("2026-12-05T18:00:00+01:00",),
    "a day": ("2026-12-05",),
    "true or false": ("true", "false"),
}


@dataclass(frozen=True)
class Shape:
    """What a place of the spec takes. Several may apply: `count` takes a whole number or a mapping."""

    models: tuple[type[SpecModel], ...] = ()
    item: Any = None
    """Annotation of a list's entries, None where no list is taken."""
    value: Any = None
    """Annotation of the values under free keys, None where keys are fixed."""
    words: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    """"text", "a whole number", "a duration" …"""

    @property
    def wanted(self) -> str:
        """What is taken, in words: `a whole number or a mapping {min, max, initial}`."""
        parts = list(self.kinds)
        if self.words:
            parts.append("one of " + ", ".join(self.words))
        if self.item is not None:
            inner = shape_of(self.item)
            parts.append(f"a list of {'mappings' if inner.models else _PLURAL.get(inner.wanted, inner.wanted)}")
        if len(self.models) == 1:
            parts.append("a mapping {" + ", ".join(self.models[0].model_fields) + "}")
        elif self.models or self.value is not None:
            parts.append("a mapping")
        return " or ".join(parts)


_PLURAL = {"a number": "numbers", "a whole number": "whole numbers"}


@dataclass(frozen=True)
class FieldDoc:
    """One field of the spec, for the reference, `explain` and hints."""

    path: str
    """With [] for a list's entries: `node_pools[].count`."""
    name: str
    model: type[SpecModel]
    takes: str
    required: bool
    default: str
    """As YAML; empty where the field is required, or where nothing stands for it."""
    description: str
    examples: tuple[str, ...]
    """As YAML on one line, without the key."""
    where: str
    """For a field that depends on a sibling: `location.provider: gcp`. Else empty."""


@cache
def shape_of(annotation: Any) -> Shape:
    """What a field's annotation takes."""
    models: list[type[SpecModel]] = []
    words: list[str] = []
    kinds: list[str] = []
    item = value = None
    for arm in _arms(annotation):
        origin = get_origin(arm)
        if origin is Literal:
            words += [str(word) for word in get_args(arm)]
        elif origin is tuple:
            item = get_args(arm)[0]
        elif origin is dict:
            value = get_args(arm)[1]
        elif inspect.isclass(arm) and issubclass(arm, SpecModel):
            models.append(arm)
        elif inspect.isclass(arm) and issubclass(arm, Enum):
            words += [str(word.value) for word in arm]
        elif arm in _KINDS:
            kinds.append(_KINDS[arm])
    return Shape(tuple(models), item, value, tuple(words), tuple(kinds))


def _arms(annotation: Any) -> Iterator[Any]:
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _arms(get_args(annotation)[0])
    elif origin is Union or origin is types.UnionType:
        for arm in get_args(annotation):
            yield from _arms(arm)
    elif annotation is not type(None):
        yield annotation


def model_of(shape: Shape, value: object) -> type[SpecModel] | None:
    """Which of the shape's models a value stands for: the only one, or the one whose fixed word the value names."""
    if len(shape.models) == 1:
        return shape.models[0]
    given: Mapping[Any, Any] = value if isinstance(value, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
    for model in shape.models:
        for name, info in model.model_fields.items():
            if get_origin(info.annotation) is Literal and given.get(name) in get_args(info.annotation):
                return model
    return None


@dataclass(frozen=True)
class Place:
    """What the spec has at a path: the shape there, and the field that gave it."""

    shape: Shape
    info: FieldInfo | None = None
    value: object = None
    """What the user wrote there, None where nothing."""
    element: bool = False
    """Whether it is an entry of the field's list or mapping, and not the field itself."""
    owner: type[SpecModel] | None = None
    """The model that has the field."""
    name: str = ""
    """The field's name."""

    def takes(self, value: object) -> bool:
        """Whether the spec takes a value here. What a hint offers must pass."""
        if self.owner is None:
            return False
        whole = value if not self.element else {"x": value} if get_origin(self.info_type) is dict else [value]
        try:
            self.owner.model_validate({self.name: whole})
        except ValidationError as e:
            return not any(error["loc"][:1] == (self.name,) for error in e.errors(include_url=False))
        return True

    @property
    def info_type(self) -> Any:
        """The field's annotation, without what it is annotated with."""
        annotation: Any = self.info.annotation if self.info else None
        return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation

    @property
    def examples(self) -> tuple[str, ...]:
        """Values that may stand here, as YAML on one line."""
        if not self.element:
            return examples_of(self.info, self.shape)
        entries: list[Any] = []
        for whole in (self.info.examples if self.info else None) or ():
            whole: Any
            entries += whole.values() if isinstance(whole, dict) else whole if isinstance(whole, list) else ()
        return tuple(write_inline(e) for e in entries) or examples_of(None, self.shape)

    @property
    def model(self) -> type[SpecModel] | None:
        return model_of(self.shape, self.value)


TOP = Shape(models=(ClusterSpec,))


def known_keys(path: Path, data: object) -> tuple[str, ...]:
    """The keys that a mapping at a path may have; empty where the spec has no mapping there."""
    place = place_at(path, data)
    return tuple(place.model.model_fields) if place and place.model else ()


def place_at(path: Path, data: object) -> Place | None:
    """What the spec has at a path of a user's document; None for a path that the spec does not have."""
    place = Place(TOP, None, data)
    for step in path:
        below = _below(place, step)
        if below is None:
            return None
        place = below
    return place


def _below(place: Place, step: str | int) -> Place | None:
    value = child(place.value, step)
    if isinstance(step, int):
        item = place.shape.item
        if item is None:
            return None
        return Place(shape_of(item), place.info, value, element=True, owner=place.owner, name=place.name)
    if place.shape.value is not None:
        shape = shape_of(place.shape.value)
        return Place(shape, place.info, value, element=True, owner=place.owner, name=place.name)
    model = place.model
    info = model.model_fields.get(step) if model else None
    return Place(shape_of(info.annotation), info, value, owner=model, name=str(step)) if info else None


def child(value: object, step: str | int) -> object:
    """What stands below a value of the user's document, None where nothing."""
    if isinstance(step, str) and isinstance(value, Mapping):
        entries: Mapping[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return entries.get(step)
    if isinstance(step, int) and isinstance(value, (list, tuple)):
        items: list[Any] | tuple[Any, ...] = value  # pyright: ignore[reportUnknownVariableType]
        return items[step] if 0 <= step < len(items) else None
    return None


@cache
def documented() -> tuple[FieldDoc, ...]:
    """Every field of the spec, each below the field that holds it, in the order of the models."""
    return tuple(_walk(TOP, "", ""))


def _walk(shape: Shape, prefix: str, where: str) -> Iterator[FieldDoc]:
    for model in shape.models:
        only = where
        if len(shape.models) > 1:
            name, word = next(
                (name, get_args(info.annotation)[0])
                for name, info in model.model_fields.items()
                if get_origin(info.annotation) is Literal
            )
            only = f"{prefix}{name}: {word}"
        for name, info in model.model_fields.items():
            below = shape_of(info.annotation)
            path = prefix + name
            yield FieldDoc(
                path, name, model, below.wanted, info.is_required(), _default(info), info.description or "",
                examples_of(info, below), only,
            )  # fmt: skip
            yield from _walk(below, path + ".", only)
            if below.item is not None:
                yield from _walk(shape_of(below.item), path + "[].", only)


def examples_of(info: FieldInfo | None, shape: Shape) -> tuple[str, ...]:
    """Values that a field takes, as YAML on one line: its own examples, else its words, else its kinds' examples."""
    if info and info.examples:
        return tuple(write_inline(e) for e in info.examples)
    return shape.words or tuple(e for kind in shape.kinds for e in _EXAMPLES.get(kind, ()))


def _default(info: FieldInfo) -> str:
    if info.is_required() or info.default_factory is not None:
        return ""
    default: Any = info.get_default()
    return "" if default is None else write_inline(default)
