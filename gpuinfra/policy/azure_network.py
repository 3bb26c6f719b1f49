"""Azure subnets as rules read them, in whichever form they were written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Network, NetmaskValueError
from typing import Any, cast

from .azure_graph import NETWORK, SUBNET, AzureGraph
from .resource_graph import Resource
from .wire_values import items, late, plain


@dataclass(frozen=True)
class SubnetBlock:
    """A subnet: a resource of its own, or inline in its network."""

    source: Resource
    path: str
    """Place of an inline subnet with a trailing dot; empty for a resource of its own."""
    block: Mapping[str, Any]
    key: str
    """The top-level input that its values stand under; empty for a resource of its own."""

    def value(self, key: str) -> Any:
        return plain(self.block.get(key))

    def at(self, key: str) -> str:
        return f"{self.source.name}.{self.path}{key}"

    @property
    def name(self) -> str:
        """The subnet's name in the cloud; empty where it is left to the provider, or unknown."""
        value = self.value("subnetName") if not self.path and self.value("subnetName") else self.value("name")
        return value if isinstance(value, str) and not late(value) else ""

    @property
    def ranges(self) -> list[IPv4Network]:
        """The IPv4 ranges that are known."""
        listed = [self.value("addressPrefix"), *(plain(v) for v in items(self.value("addressPrefixes")))]
        return [found for v in listed if (found := range_of(v)) is not None]

    @property
    def delegations(self) -> list[str]:
        """The services that the subnet is delegated to, in lower case."""
        return [
            str(plain(cast("Mapping[str, Any]", d).get("serviceName"))).lower()
            for d in items(self.value("delegations"))
            if isinstance(d, Mapping)
        ]


def range_of(value: object) -> IPv4Network | None:
    """The IPv4 range of a text; None where it is none, or unknown."""
    if not isinstance(value, str) or late(value) or "/" not in value:
        return None
    try:
        return IPv4Network(value, strict=False)
    except (AddressValueError, NetmaskValueError, ValueError):
        return None


def subnet_block(r: Resource) -> SubnetBlock:
    """A subnet that is a resource of its own."""
    return SubnetBlock(r, "", r.inputs, "")


def all_subnets(azure: AzureGraph) -> Iterator[SubnetBlock]:
    """Every subnet of the program."""
    for r in azure.of_type(SUBNET):
        yield subnet_block(r)
    for network in azure.of_type(NETWORK):
        for n, block in enumerate(items(network.get("subnets"))):
            if isinstance(block, Mapping):
                yield SubnetBlock(network, f"subnets[{n}].", cast("Mapping[str, Any]", block), "subnets")
