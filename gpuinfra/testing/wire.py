# pyright: reportPrivateUsage=false
"""Values between Pulumi's wire form and the plain form of a resource graph.

On the wire every number is a float, and a secret, an unknown, a resource, an asset and an output are mappings or texts
with a fixed signature (`sdk/go/common/resource/properties.go` of pulumi/pulumi).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from google.protobuf import struct_pb2
from pulumi.runtime import rpc

from ..policy.resource_graph import UNKNOWN, OutputRef, Secret
from .tokens import Tokens

UNKNOWN_TEXT: Final = rpc.UNKNOWN
_SIGNATURE: Final = rpc._special_sig_key
_SECRET: Final = rpc._special_secret_sig
_RESOURCE: Final = rpc._special_resource_sig
_ASSET: Final = rpc._special_asset_sig
_ARCHIVE: Final = rpc._special_archive_sig
_OUTPUT: Final = rpc._special_output_value_sig


def urn_name(urn: str) -> str:
    """The logical name in a URN. A name may itself hold '::'."""
    return urn.split("::", 3)[-1]


def python_value(value: struct_pb2.Value) -> Any:
    """A protobuf value as Python sees it, signatures kept; whole floats are ints."""
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return {key: python_value(v) for key, v in value.struct_value.fields.items()}
    if kind == "list_value":
        return [python_value(v) for v in value.list_value.values]
    if kind == "string_value":
        return value.string_value
    if kind == "bool_value":
        return value.bool_value
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    return None


def python_struct(struct: struct_pb2.Struct) -> dict[str, Any]:
    """A protobuf struct as a dict, signatures kept."""
    return {key: python_value(v) for key, v in struct.fields.items()}


class Decoder:
    """Reads wire values as the values of a resource graph: JSON values, UNKNOWN, Secret, OutputRef."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def shown(self, text: str) -> str:
        """A name as a person reads it."""
        return self._tokens.shown(text)

    def struct(self, struct: struct_pb2.Struct) -> dict[str, Any]:
        """A whole property bag, keys sorted."""
        return {key: self.value(python_value(struct.fields[key])) for key in sorted(struct.fields)}

    def value(self, raw: Any) -> Any:
        """One value in wire form (signatures still there)."""
        if isinstance(raw, str):
            return UNKNOWN if raw == UNKNOWN_TEXT else self._tokens.read(raw)
        if isinstance(raw, list):
            return [self.value(v) for v in raw]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(raw, dict):
            return self._mapping(raw)  # pyright: ignore[reportUnknownArgumentType]
        return raw

    def _mapping(self, raw: dict[str, Any]) -> Any:
        signature = raw.get(_SIGNATURE)
        if signature is None:
            if any(self._tokens.read(key) is UNKNOWN for key in raw):
                # Something that is not known is among its keys, and with it how many they are.
                return UNKNOWN
            return {key: self.value(raw[key]) for key in sorted(raw)}
        if signature == _SECRET:
            return Secret(self.value(raw.get("value")))
        if signature == _RESOURCE:
            urn = str(raw.get("urn", ""))
            return OutputRef(self._tokens.shown(urn_name(urn)), "id" if "id" in raw else "urn")
        if signature == _OUTPUT:
            inner = self.value(raw["value"]) if "value" in raw else UNKNOWN
            return Secret(inner) if raw.get("secret") else inner
        kind = {_ASSET: "$asset", _ARCHIVE: "$archive"}.get(str(signature), "$special")
        return {kind: {key: self.value(v) for key, v in sorted(raw.items()) if key != _SIGNATURE}}


def plain(value: Any) -> Any:
    """A decoded value for a test's callback: secrets opened, references as their text, UNKNOWN kept."""
    if isinstance(value, Secret):
        return plain(value.value)
    if isinstance(value, OutputRef):
        return f"${{{value.resource}.{value.property}}}"
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [plain(v) for v in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def encode(value: Any) -> Any:
    """A plain value, as a test's callback gives it, in wire form. Secret and UNKNOWN keep their marks."""
    if value is UNKNOWN:
        return UNKNOWN_TEXT
    if isinstance(value, Secret):
        return secret(encode(value.value))
    if isinstance(value, OutputRef):
        return f"${{{value.resource}.{value.property}}}"
    if isinstance(value, Mapping):
        return {str(k): encode(v) for k, v in value.items()}  # pyright: ignore
    if isinstance(value, (list, tuple)):
        return [encode(v) for v in value]  # pyright: ignore
    return value


def secret(value: Any) -> dict[str, Any]:
    """A wire value marked secret; one that is marked already stays as it is."""
    if isinstance(value, dict) and value.get(_SIGNATURE) == _SECRET:  # pyright: ignore
        return value  # pyright: ignore[reportUnknownVariableType]
    return {_SIGNATURE: _SECRET, "value": value}


def is_marked(raw: Any) -> bool:
    """Whether a mapping in wire form is a special value (a secret, an output) and no mapping of the program."""
    return isinstance(raw, dict) and _SIGNATURE in raw


def holds_unknown(raw: Any) -> bool:
    """Whether an unknown stands anywhere in a value in wire form."""
    if isinstance(raw, dict):
        return any(holds_unknown(v) for v in raw.values())  # pyright: ignore
    if isinstance(raw, list):
        return any(holds_unknown(v) for v in raw)  # pyright: ignore
    return isinstance(raw, str) and raw == UNKNOWN_TEXT
