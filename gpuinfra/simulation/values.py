# pyright: reportPrivateUsage=false
"""Property bags between the engine's wire form and plain Python, with secrets and unknowns kept apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from google.protobuf import json_format, struct_pb2
from pulumi.runtime import rpc

UNKNOWN = rpc.UNKNOWN
"""The text that stands for a value that is not known yet."""
_SIGNATURE = rpc._special_sig_key
_SECRET = rpc._special_secret_sig
_OUTPUT = rpc._special_output_value_sig


def is_map(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a value is an object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether a value is a list."""
    return isinstance(value, list)


def as_map(value: Any) -> dict[str, Any]:
    """The object, or an empty one where the value is none."""
    return value if is_map(value) else {}


def as_list(value: Any) -> list[Any]:
    """The list, or an empty one where the value is none."""
    return value if is_list(value) else []


def bag(struct: struct_pb2.Struct | None) -> dict[str, Any]:
    """A property bag, marks kept; whole floats are ints."""
    return _whole(json_format.MessageToDict(struct)) if struct is not None else {}


def struct(values: Mapping[str, Any]) -> struct_pb2.Struct:
    """A property bag for the wire."""
    made = struct_pb2.Struct()
    made.update(dict(values))
    return made


def opened(value: Any) -> Any:
    """The value without the marks of secrets, for comparing and for the cloud's own eyes."""
    if is_map(value):
        if value.get(_SIGNATURE) in (_SECRET, _OUTPUT):
            return opened(value.get("value", UNKNOWN))
        return {k: opened(v) for k, v in value.items()}
    return [opened(v) for v in value] if is_list(value) else value


def holds_secret(value: Any) -> bool:
    """Whether a secret stands anywhere in a value."""
    if is_map(value):
        return value.get(_SIGNATURE) == _SECRET or any(holds_secret(v) for v in value.values())
    return is_list(value) and any(holds_secret(v) for v in value)


def holds_unknown(value: Any) -> bool:
    """Whether a value that is not known yet stands anywhere in a value."""
    if is_map(value):
        return any(holds_unknown(v) for v in value.values())
    if is_list(value):
        return any(holds_unknown(v) for v in value)
    return value == UNKNOWN


def secret(value: Any) -> dict[str, Any]:
    """The value marked secret."""
    return {_SIGNATURE: _SECRET, "value": value}


def is_special(value: Any) -> bool:
    """Whether a mapping is an asset, an archive or a resource, whose inside is no property of anything."""
    return is_map(value) and _SIGNATURE in value


def changes(old: Any, new: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """(path, ADD | DELETE | UPDATE) of every difference between two opened values."""
    if is_map(old) and is_map(new):
        for key in sorted({*old, *new}):
            yield from changes(old.get(key), new.get(key), f"{at}.{key}" if at else key)
    elif is_list(old) and is_list(new):
        for i in range(max(len(old), len(new))):
            yield from changes(old[i] if i < len(old) else None, new[i] if i < len(new) else None, f"{at}[{i}]")
    elif old != new:
        yield at, "ADD" if old is None else "DELETE" if new is None else "UPDATE"


def lookup(value: Any, path: str) -> Any:
    """What stands at a dotted path of mappings; None where nothing does."""
    for part in path.split("."):
        if not is_map(value):
            return None
        value = value.get(part)
    return value


def _whole(value: Any) -> Any:
    if is_map(value):
        return {k: _whole(v) for k, v in value.items()}
    if is_list(value):
        return [_whole(v) for v in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
