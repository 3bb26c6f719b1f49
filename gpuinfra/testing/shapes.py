# pyright: reportPrivateUsage=false
"""An answer in the form that a result class of an SDK declares: objects in lists in objects, as deep as programs reach.

Its texts are tokens. Under an open variant some have the form that programs cut up or calculate with (a network, an ARN,
an endpoint), and numbers, flags and mappings are there too.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, cast

from pulumi import _types

from .declarations import NO_ANSWER
from .variant import Variant

_DEEPEST: Final = 3
_LARGE: Final = re.compile(r"memory|size|bytes|throughput|bandwidth|speed|iops|mib|capacity", re.IGNORECASE)
_FLAT_CIDR: Final = re.compile(r"cidr|(address|ip).?(prefix|range)", re.IGNORECASE)
_ZONE: Final = re.compile(r"^(availabilityZones?|zones?|locations)$")
_ADDRESS: Final = re.compile(r"(?<![a-z])ip(_?v?4)?(_?address(es)?)?$|IpAddress(es)?$|(private|public)_?Ip(Address)?$")


@dataclass(frozen=True)
class Asked:
    """One look-up that is answered, and what makes the texts of its answer."""

    function: str
    """The function token."""
    issue: Callable[[str, str], str]
    """A token for a property of the function."""
    shaped: Callable[[str], str]
    """Makes a text, which has the form of something, read like a token."""
    variant: Variant
    region: str = ""
    """Where it is asked, as far as that is known."""

    def token(self, path: str) -> str:
        """A token for one property."""
        return self.issue(self.function, path)

    def zones(self) -> list[str]:
        """Names of zones; at least three, because programs take the first two or three."""
        return [zone(self, self.token(f"names[{i}]")) for i in range(max(self.variant.lengths[0], 3))]

    def many(self, path: str, at_least: int = 1) -> list[str]:
        """A list of texts: nobody knows how many."""
        return [self.token(f"{path}[{i}]") for i in range(max(self.variant.lengths[0], at_least))]


def of_class(result: type, asked: Asked, given: Mapping[str, Any]) -> dict[str, Any]:
    """The answer that a result class declares, over which lies what the arguments say."""
    return {**_members(result, asked, "", 0, 0, (result,)), **given}


def _members(cls: type, asked: Asked, path: str, depth: int, lists: int, within: tuple[type, ...]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, typ in _types.output_type_types(cls).items():
        found = _value(typ, asked, f"{path}.{name}" if path else name, depth, lists, within)
        if found is not NO_ANSWER:
            out[name] = found
    return out


def _value(typ: Any, asked: Asked, path: str, depth: int, lists: int, within: tuple[type, ...]) -> Any:
    bare = cast("Any", _types.unwrap_type(typ))
    if bare is bool:
        return NO_ANSWER if asked.variant.flag is None else asked.variant.flag
    if bare in (int, float):
        return _number(path, asked.variant)
    origin: Any = typing.get_origin(bare)
    args: tuple[Any, ...] = typing.get_args(bare)
    if bare in (None, Any, str) or (origin in (typing.Union, types.UnionType) and str in args):
        return _text(path, asked)
    if isinstance(bare, type) and issubclass(bare, Enum):
        return NO_ANSWER
    if origin in (list, Sequence) and len(args) == 1:
        length = asked.variant.lengths[min(lists, len(asked.variant.lengths) - 1)]
        found = [_value(args[0], asked, f"{path}[{i}]", depth, lists + 1, within) for i in range(length)]
        return NO_ANSWER if any(f is NO_ANSWER for f in found) else found
    if isinstance(bare, type) and _types.is_output_type(bare):
        # A class inside itself (a subnet of an address of a subnet) has no end.
        if depth >= _DEEPEST or bare in within:
            return NO_ANSWER
        return _members(bare, asked, path, depth + 1, lists, (*within, bare))
    if asked.variant.open and origin in (dict, Mapping):
        # The mark of a mapping whose keys nobody knows: one key that is a token.
        return {asked.token(f"{path}.*"): asked.token(f"{path}.*")}
    return NO_ANSWER


def zone(asked: Asked, token: str) -> str:
    """The name of a zone: it begins with its region, as a letter or a part of its own follows."""
    apart = "-" if asked.function.startswith("gcp:") else ""
    return f"{asked.region}{apart}{token}" if asked.variant.open and asked.region else token


def _number(path: str, variant: Variant) -> Any:
    found = variant.large if _LARGE.search(path.rpartition(".")[2]) else variant.small
    return NO_ANSWER if found is None else found


def _text(path: str, asked: Asked) -> str:
    if not asked.variant.open:
        return asked.token(path)
    name = re.sub(r"\[\d+\]$", "", path).rpartition(".")[2]
    network = asked.variant.network
    if "ipv6" not in name.lower():
        if _FLAT_CIDR.search(name) and "id" not in name.lower().replace("cidr", ""):
            return asked.shaped(f"{network}.0.0/16")
        if _ADDRESS.search(name):
            index = re.search(r"\d+", path)
            return asked.shaped(f"{network}.0.{10 + int(index[0] if index else 0)}")
    token = asked.token(path)
    if _ZONE.search(name):
        return zone(asked, token)
    if name == "arn" or name.endswith("Arn"):
        return f"arn:aws:{token}:{token}:{token}:{token}/{token}"
    if name == "endpoint":
        return f"https://{token}.example.com"
    return token
