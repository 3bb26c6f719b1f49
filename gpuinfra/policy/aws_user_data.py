"""The boot script inside a template's user data: decoded, and unpacked where it is gzip."""

from __future__ import annotations

import base64
import binascii
import re
import zlib

from .resource_graph import Resource

_TOKEN = re.compile(r"\$\{[^{}]+\}")
_MOST_TEXT = 1 << 20
"""No boot script is longer; a document that unpacks to more is cut off here."""


def raw_bytes(value: str) -> bytes | None:
    """The bytes that base64 text stands for; None where it is no base64."""
    try:
        return base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def is_late(value: object) -> bool:
    """Whether user data come out of another resource in whole. A script may hold `${HOME}` and is known all the same."""
    return value is not None and (not isinstance(value, str) or _TOKEN.fullmatch(value.strip()) is not None)


def script(value: str) -> str:
    """The text that the node runs: as it stands where it is no base64."""
    raw = raw_bytes(value)
    if raw is None:
        return value
    if raw[:2] == b"\x1f\x8b":
        try:
            raw = zlib.decompressobj(wbits=31).decompress(raw, _MOST_TEXT)
        except zlib.error:
            return ""
    return raw.decode("utf-8", "replace")


def boot_script(r: Resource) -> tuple[str, bool]:
    """(the text that the nodes of a template or an instance run, whether a part of it is not known yet)."""
    values = [r.get(k) for k in ("userData", "userDataBase64")]
    return "\n".join(script(v) for v in values if isinstance(v, str)), any(is_late(v) for v in values)
