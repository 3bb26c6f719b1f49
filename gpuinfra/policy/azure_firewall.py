"""Rules of Azure network security groups, whichever form they were written in, and what they let through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from .azure_graph import SECURITY_GROUP, SECURITY_RULE, AzureGraph
from .internet_ranges import open_to
from .resource_graph import Resource
from .wire_values import items, late, number, plain

_WORLD = ("*", "any", "internet")
_EVERYWHERE = ("*", "any", "0.0.0.0/0", "virtualnetwork")
HIGHEST_PORT = 65535


@dataclass(frozen=True)
class SecurityRule:
    """One rule of a network security group."""

    source: Resource
    group: str
    """URN of the group; empty where it is not of this program, or unknown."""
    path: str
    """Place of an inline rule; empty for a resource of its own."""
    block: Mapping[str, Any]

    def value(self, key: str) -> Any:
        return plain(self.block.get(key))

    def word(self, key: str) -> str:
        """A word in lower case; empty where it is absent or unknown."""
        value = self.value(key)
        return value.lower() if isinstance(value, str) and not late(value) else ""

    def texts(self, one: str, many: str) -> list[Any]:
        """The values of a field that is written for one or for many."""
        listed = [plain(v) for v in items(self.value(many))]
        return [v for v in (self.value(one), *listed) if v is not None]

    @property
    def where(self) -> str:
        return f"{self.source.name}.{self.path}" if self.path else self.source.name

    @property
    def inbound(self) -> bool:
        return self.word("direction") == "inbound"

    @property
    def allows(self) -> bool:
        return self.word("access") == "allow"

    @property
    def sources(self) -> list[Any]:
        return self.texts("sourceAddressPrefix", "sourceAddressPrefixes")

    @property
    def priority(self) -> float:
        found = number(self.value("priority"))
        return found if found is not None else float("inf")

    @property
    def ports(self) -> list[tuple[int, int]]:
        """The destination ports that are known, as ranges."""
        return [r for v in self.texts("destinationPortRange", "destinationPortRanges") if (r := port_range(v))]

    @property
    def open_to(self) -> str:
        """The sources that stand for the internet, in words; empty where there are none."""
        word = next((v for v in self.sources if isinstance(v, str) and v.lower() in _WORLD), "")
        return f"{word}, the whole internet" if word else open_to(self.sources)

    @property
    def unknown(self) -> bool:
        """Whether it cannot be told whom or what the rule speaks of."""
        listed = (*self.sources, *self.texts("destinationPortRange", "destinationPortRanges"))
        many = (self.block.get("sourceAddressPrefixes"), self.block.get("destinationPortRanges"))
        return any(
            late(v) for v in (*listed, *many, self.value("access"), self.value("direction"), self.value("protocol"))
        )

    def covers(self, low: int, high: int) -> bool:
        """Whether the rule speaks of TCP and of every port from low to high."""
        return self.word("protocol") in ("tcp", "*", "") and any(a <= low and high <= b for a, b in self.ports)

    def touches(self, low: int, high: int) -> bool:
        """Whether the rule speaks of TCP and of some port from low to high."""
        return self.word("protocol") in ("tcp", "*", "") and any(a <= high and low <= b for a, b in self.ports)

    @property
    def everywhere(self) -> bool:
        """Whether the rule speaks of every address of the network."""
        ends = (self.sources, self.texts("destinationAddressPrefix", "destinationAddressPrefixes"))
        return all(any(str(v).lower() in _EVERYWHERE for v in end) for end in ends)


def port_range(value: object) -> tuple[int, int] | None:
    """The ports of `22`, `1000-1023` or `*`; None where it is none of these."""
    if value == "*":
        return 0, HIGHEST_PORT
    low, _, high = str(value).partition("-")
    first, last = number(low), number(high or low)
    if isinstance(value, bool) or first is None or last is None or not 0 <= first <= last <= HIGHEST_PORT:
        return None
    return int(first), int(last)


def all_rules(azure: AzureGraph) -> tuple[SecurityRule, ...]:
    """Every rule of every security group, those of groups from elsewhere too."""
    found: list[SecurityRule] = []
    for group in azure.of_type(SECURITY_GROUP):
        for n, block in enumerate(items(group.get("securityRules"))):
            if isinstance(plain(block), Mapping):
                found.append(
                    SecurityRule(group, group.urn, f"securityRules[{n}]", cast("Mapping[str, Any]", plain(block)))
                )
    for r in azure.of_type(SECURITY_RULE):
        found.append(SecurityRule(r, _group_of(azure, r), "", r.inputs))
    return tuple(found)


def _group_of(azure: AzureGraph, rule: Resource) -> str:
    linked = azure.linked(rule, "networkSecurityGroupName", SECURITY_GROUP).resources
    name = rule.get("networkSecurityGroupName")
    named = [
        g for g in azure.of_type(SECURITY_GROUP) if isinstance(name, str) and g.get("networkSecurityGroupName") == name
    ]
    return next((g.urn for g in (*linked, *named)), "")


def by_group(azure: AzureGraph) -> dict[str, list[SecurityRule]]:
    """The rules of each group of this program, by URN."""
    found: dict[str, list[SecurityRule]] = {g.urn: [] for g in azure.of_type(SECURITY_GROUP)}
    for rule in all_rules(azure):
        if rule.group in found:
            found[rule.group].append(rule)
    return found


def unknown_groups(azure: AzureGraph) -> Iterator[Resource]:
    """Groups some of whose inline rules are not known yet."""
    for group in azure.of_type(SECURITY_GROUP):
        listed = group.get("securityRules")
        if late(listed) or any(late(v) for v in items(listed)):
            yield group


def closes(rules: Iterable[SecurityRule], inbound: bool, low: int, high: int) -> SecurityRule | None:
    """The rule that shuts some of these TCP ports inside the network; None where they are open, as they are by default."""
    for rule in sorted(rules, key=lambda r: r.priority):
        if rule.inbound is not inbound or rule.unknown:
            continue
        if rule.allows and rule.covers(low, high):
            return None
        if rule.word("access") == "deny" and rule.everywhere and rule.touches(low, high):
            return rule
    return None
