# pyright: reportPrivateUsage=false
"""Values for outputs that no cloud's module gives: they follow from the SDK's types and from the resource's name."""

from __future__ import annotations

import typing
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pulumi import _types

from .cloud import Request, digest
from .schema import ResourceType

_DEEPEST = 2


def made_up(kind: ResourceType, asked: Request, id_: str, *, known: Collection[str]) -> dict[str, Any]:
    """A value for every output that is not known: text and numbers that are the same at every run."""
    inputs = kind.inputs
    state: dict[str, Any] = {}
    for name, typ in kind.outputs.items():
        if name in known:
            continue
        # An input that the program left out is absent in the cloud too, unless it is a plain value with a default.
        if name in inputs and not _is_plain(typ):
            continue
        value = _value(typ, asked, name, id_, 0)
        if value is not None:
            state[name] = value
    return state


def _is_plain(typ: Any) -> bool:
    return _types.unwrap_type(typ) is str if typ is not None else False


def _value(typ: Any, asked: Request, path: str, id_: str, depth: int) -> Any:
    typ = _types.unwrap_type(typ) if typ is not None else str
    origin, args = typing.get_origin(typ), typing.get_args(typ)
    if typ is bool:
        return False
    if typ in (int, float):
        return 0
    if typ is str:
        return f"{asked.name}-{path}-{digest(asked.urn + id_ + path, 6)}"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        one = _value(args[0], asked, f"{path}-0", id_, depth + 1) if args and depth < _DEEPEST else None
        return [] if one is None else [one]
    if isinstance(typ, type) and _types.is_output_type(typ) and depth < _DEEPEST:
        members = {
            name: _value(member, asked, f"{path}-{name}", id_, depth + 1)
            for name, member in _types.output_type_types(typ).items()
        }
        return {name: value for name, value in members.items() if value is not None}
    return None
