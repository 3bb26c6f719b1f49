"""Values in the JSON of previews and states, as the values of a resource graph.

Unknowns and special values have fixed marks (`sdk/go/common/resource/plugin/rpc.go` and `properties.go` of
pulumi/pulumi). They stand here once more because reading a file must not load Pulumi; a test holds them equal to the SDK's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, cast

from ..policy.resource_graph import UNKNOWN, OutputRef, Secret

UNKNOWN_TEXTS: Final = frozenset({
    "04da6b54-80e4-46f7-96ec-b56ff0331ba9",  # text, and every value that a program leaves open
    "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",  # truth
    "3eeb2bf0-c639-47a8-9e75-3b44932eb421",  # number
    "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",  # list
    "030794c1-ac77-496b-92df-f27374a8bd58",  # asset
    "e48ece36-62e2-4504-bad9-02848725956a",  # archive
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",  # object
})  # fmt: skip
SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"
RESOURCE: Final = "5cf8f73096256a8f31e491e813e4eb8e"
ASSET: Final = "c44067f5952c0a294b673a41bacd8c17"
ARCHIVE: Final = "0def7320c3a5731c473e5ecbe6d01bc7"
OUTPUT: Final = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
STRINGIFIED: Final = re.compile(r"Calling __str__ on an Output|<pulumi\.output\.Output object at 0x")
"""What str() or repr() of an Output gives: nobody means the text, and what is meant is not known."""
_SECRET_TEXT: Final = "[secret]"
"""What a preview writes in the place of a secret."""
_DEFAULTS: Final = "__defaults"
_PLACES: Final = frozenset({"region", "project", "zone", "location"})
"""Defaults that are facts: they come from the provider's config and say where a resource is."""


def inputs(raw: Any) -> dict[str, Any]:
    """The inputs of a resource, as its program wrote them: what the provider filled in by default is left out, so that
    an input which is absent is judged in the same way whatever it was read from."""
    return {key: value(inner) for key, inner in sorted(_written(mapping(raw)).items())}


def is_urn(value: Any) -> bool:
    """Whether a value has the form of a URN."""
    return isinstance(value, str) and value.startswith("urn:pulumi:") and value.count("::") >= 3


def mapping(raw: Any) -> Mapping[str, Any]:
    """The object that a part of a document is; an empty one where it is something else."""
    return cast("Mapping[str, Any]", raw) if isinstance(raw, dict) else {}


def value(raw: Any) -> Any:
    """One value: unknown, secret and special values by their marks; whole floats are ints."""
    if isinstance(raw, str):
        return _text(raw)
    if isinstance(raw, float):
        return int(raw) if raw.is_integer() else raw
    if isinstance(raw, list):
        return [value(v) for v in cast("list[Any]", raw)]
    if isinstance(raw, dict):
        return _mapping(cast("dict[str, Any]", raw))
    return raw


def _text(raw: str) -> Any:
    if raw == _SECRET_TEXT:
        return Secret(UNKNOWN)
    return UNKNOWN if any(u in raw for u in UNKNOWN_TEXTS) or STRINGIFIED.search(raw) else raw


def _mapping(raw: dict[str, Any]) -> Any:
    signature = raw.get(SIGNATURE)
    if signature is None:
        return {key: value(v) for key, v in sorted(_written(raw).items())}
    if signature == SECRET:
        return Secret(_opened(raw))
    if signature == RESOURCE:
        return OutputRef(str(raw.get("urn", "")).split("::", 3)[-1], "id" if "id" in raw else "urn")
    if signature == OUTPUT:
        inner = value(raw["value"]) if "value" in raw else UNKNOWN
        return Secret(inner) if raw.get("secret") else inner
    kind = {ASSET: "$asset", ARCHIVE: "$archive"}.get(str(signature), "$special")
    return {kind: {key: value(v) for key, v in sorted(raw.items()) if key != SIGNATURE}}


def _opened(raw: Mapping[str, Any]) -> Any:
    """What a secret holds: nobody knows while it is encrypted."""
    plaintext = raw.get("plaintext")
    if isinstance(plaintext, str):
        try:
            return value(json.loads(plaintext))
        except (ValueError, RecursionError):
            return UNKNOWN
    return value(raw["value"]) if "value" in raw else UNKNOWN


def _written(raw: Mapping[str, Any]) -> dict[str, Any]:
    filled = raw.get(_DEFAULTS)
    if not isinstance(filled, list):
        return dict(raw)
    left_out = {str(k) for k in cast("list[Any]", filled)} - _PLACES
    return {k: v for k, v in raw.items() if k != _DEFAULTS and k not in left_out}
