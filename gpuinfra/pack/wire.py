"""Values as the engine sends them to an analyzer, read as the values of a resource graph.

pulumi_policy's own reading opens secrets and raises at the first unknown that a rule touches; here both stay what they
are. Signatures: `sdk/go/common/resource/properties.go` of pulumi/pulumi.
"""

from __future__ import annotations

from typing import Any, Final

from google.protobuf import struct_pb2
from pulumi.runtime import rpc
from pulumi_policy import proxy

from ..policy.resource_graph import UNKNOWN, OutputRef, Secret

_UNKNOWNS: Final = frozenset(value for name, value in vars(proxy).items() if name.startswith("UNKNOWN_"))
"""An unknown is a text with a fixed id, another one for each kind of value."""
_SIGNATURE: Final = rpc._special_sig_key  # pyright: ignore[reportPrivateUsage]
_SECRET: Final = rpc._special_secret_sig  # pyright: ignore[reportPrivateUsage]
_RESOURCE: Final = rpc._special_resource_sig  # pyright: ignore[reportPrivateUsage]
_OUTPUT: Final = rpc._special_output_value_sig  # pyright: ignore[reportPrivateUsage]
_FILES: Final = {
    rpc._special_asset_sig: "$asset",  # pyright: ignore[reportPrivateUsage]
    rpc._special_archive_sig: "$archive",  # pyright: ignore[reportPrivateUsage]
}


def properties(struct: struct_pb2.Struct) -> dict[str, Any]:
    """A property bag: JSON values, UNKNOWN, Secret, OutputRef; whole floats are ints."""
    return {key: _value(value) for key, value in struct.fields.items()}


def _value(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return UNKNOWN if value.string_value in _UNKNOWNS else value.string_value
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    if kind == "bool_value":
        return value.bool_value
    if kind == "list_value":
        return [_value(v) for v in value.list_value.values]
    if kind == "struct_value":
        read = properties(value.struct_value)
        return _marked(read) if _SIGNATURE in read else read
    return None


def _marked(read: dict[str, Any]) -> Any:
    """A mapping that stands for a special value."""
    signature = read.pop(_SIGNATURE)
    if signature == _SECRET:
        return Secret(read.get("value"))
    if signature == _RESOURCE:
        return OutputRef(str(read.get("urn", "")).split("::", 3)[-1], "id" if "id" in read else "urn")
    if signature == _OUTPUT:
        inner = read.get("value", UNKNOWN)
        return Secret(inner) if read.get("secret") else inner
    return {_FILES.get(signature, "$special"): read}
