# pyright: reportPrivateUsage=false
"""Values for outputs that no cloud's module gives: they follow from the SDK's types and from the resource's name."""

from __future__ import annotations

import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pulumi import _types

from .cloud import Request, digest
from .schema import ResourceType

_DEEPEST = 2


Word = Callable[[Request, str, str], Any]
"""The cloud's own form of a text, by the resource, its id, and the name of the property; None where it has none."""


def made_up(
    kind: ResourceType, asked: Request, id_: str, *, known: Collection[str], word: Word = lambda asked, id_, name: None
) -> dict[str, Any]:
    """A value for every output that is not known: text and numbers that are the same at every run."""
    inputs = kind.inputs
    state: dict[str, Any] = {}
    for name, typ in kind.outputs.items():
        if name in known:
            continue
        # An input that the program left out is absent in the cloud too, unless it is a plain value with a default.
        if name in inputs and not _is_plain(typ):
            continue
        value = value_of(typ, asked, name, id_, word)
        if value is not None:
            state[name] = value
    return state


def value_of(typ: Any, asked: Request, name: str, id_: str, word: Word) -> Any:
    """A value of a type; None where none can be made up."""
    return _Making(asked, id_, word).value(typ, name, 0)


def _is_plain(typ: Any) -> bool:
    return _types.unwrap_type(typ) is str if typ is not None else False


@dataclass(frozen=True)
class _Making:
    asked: Request
    id_: str
    word: Word

    def value(self, typ: Any, path: str, depth: int) -> Any:
        typ = _types.unwrap_type(typ) if typ is not None else str
        origin, args = typing.get_origin(typ), typing.get_args(typ)
        if typ is bool:
            return False
        if typ in (int, float):
            return 0
        if typ is str:
            own = self.word(self.asked, self.id_, path.rsplit("-", 1)[-1])
            return f"{self.asked.name}-{path}-{digest(self.asked.urn + self.id_ + path, 6)}" if own is None else own
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {}
        if isinstance(origin, type) and issubclass(origin, Sequence):
            one = self.value(args[0], path, depth + 1) if args and depth < _DEEPEST else None
            return [] if one is None else [one]
        if isinstance(typ, type) and _types.is_output_type(typ) and depth < _DEEPEST:
            made = {n: self.value(t, f"{path}-{n}", depth + 1) for n, t in _types.output_type_types(typ).items()}
            return {name: value for name, value in made.items() if value is not None}
        return None
