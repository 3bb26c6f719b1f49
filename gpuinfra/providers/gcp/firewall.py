"""Firewall rules, each a resource. Without one nothing enters: Google denies what no rule allows, and lets all out.

Nothing is open to the world: shells come through Identity-Aware Proxy, which asks who knocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute

from ...plan.models import ClusterPlan
from ...vocabulary import StorageKind
from .names import auto_name, node_tag

IAP_RANGE = "35.235.240.0/20"
"""Where TCP forwarding of Identity-Aware Proxy comes from (IAP documentation, "Using IAP for TCP forwarding")."""
_SSH = ("22",)
# Lustre servers open connections to their clients too (Managed Lustre, "Configure a VPC network").
_LUSTRE = ("988", "6988")
_EVERY_PROTOCOL = ("tcp", "udp", "icmp")


@dataclass(frozen=True)
class Rules:
    """Makes rules of one network. `project` is the network's own."""

    plan: ClusterPlan
    network: pulumi.Input[str]
    project: pulumi.Input[str]
    opts: pulumi.ResourceOptions

    def enter(
        self,
        name: str,
        description: str,
        *,
        ranges: Sequence[str] | None = None,
        from_nodes: bool = False,
        protocols: Sequence[str] = ("tcp",),
        ports: Sequence[str] | None = None,
        to_all: bool = False,
    ) -> pulumi.Resource:
        """Lets traffic in: to the cluster's nodes, or with `to_all` to every machine of the network."""
        tag = node_tag(self.plan)
        return compute.Firewall(
            name,
            name=auto_name(name, "firewall"),
            description=description,
            network=self.network,
            direction="INGRESS",
            source_ranges=list(ranges) if ranges else None,
            source_tags=[tag] if from_nodes else None,
            target_tags=None if to_all else [tag],
            allows=[compute.FirewallAllowArgs(protocol=p, ports=list(ports) if ports else None) for p in protocols],
            project=self.project,
            opts=self.opts,
        )


def inside_rule(rules: Rules, name: str, cidr: str) -> pulumi.Resource:
    """Machines of one range talk to each other: collectives hang without it (facts gcp a2)."""
    return rules.enter(name, f"Within {cidr}", ranges=[cidr], protocols=_EVERY_PROTOCOL, to_all=True)


def host_rules(rules: Rules, nodes_cidr: str | None) -> tuple[pulumi.Resource, ...]:
    """The rules of the network that nodes are reached in. Without `nodes_cidr` the network is another's, and nodes know
    each other by their tag."""
    prefix, network = rules.plan.name, rules.plan.network
    if nodes_cidr:
        found = [inside_rule(rules, f"{prefix}-nodes-inside", nodes_cidr)]
    else:
        found = [
            rules.enter(f"{prefix}-nodes-inside", "Between nodes", from_nodes=True, protocols=_EVERY_PROTOCOL),
        ]
    found.append(rules.enter(f"{prefix}-ssh-iap", "SSH through Identity-Aware Proxy", ranges=[IAP_RANGE], ports=_SSH))
    # One rule takes ranges of one kind alone.
    for kind, v6 in (("v4", False), ("v6", True)):
        ranges = [r for r in network.ssh_from if (":" in r) is v6]
        if ranges:
            found.append(rules.enter(f"{prefix}-ssh-{kind}", "SSH from the ranges named", ranges=ranges, ports=_SSH))
    services = network.subnet("services")
    if services and any(s.kind is StorageKind.LUSTRE and not s.existing for s in rules.plan.storage):
        found.append(rules.enter(f"{prefix}-lustre", "Lustre servers", ranges=[services.cidr], ports=_LUSTRE))
    return tuple(found)
