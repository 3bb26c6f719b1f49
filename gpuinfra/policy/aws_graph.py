"""Recorded AWS resources as rules read them: node groups with their template, security groups with all their rules.

Values that preview does not know are traced by the recorded dependencies of the property; what cannot be traced is said
to be unknown, never taken for absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from ..catalog import InstanceType, NetworkCards, instance_type, network_cards
from ..vocabulary import FabricKind, Provider
from .aws_attachments import attached_later, interfaces_of
from .linked_graph import LinkedGraph, Links
from .machine_rows import row_of
from .resource_graph import UNKNOWN, Resource
from .wire_values import entries, items, late, number, plain, truth

LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
INSTANCE = "aws:ec2/instance:Instance"
SPOT_REQUEST = "aws:ec2/spotInstanceRequest:SpotInstanceRequest"
INSTANCES = (INSTANCE, SPOT_REQUEST)
"""What is one machine of its own: a spot request takes what an instance takes, and its price and end beside."""
SCALING_GROUP = "aws:autoscaling/group:Group"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
SUBNET = "aws:ec2/subnet:Subnet"
SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup"
DEFAULT_GROUP = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"
"""The group that a VPC comes with, taken over by the program: what stands in no other group stands in it."""
PLACEMENT_GROUP = "aws:ec2/placementGroup:PlacementGroup"
RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"
BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
ASSOCIATION = "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"
BUDGET = "aws:budgets/budget:Budget"
BUDGET_ACTION = "aws:budgets/budgetAction:BudgetAction"
SCHEDULE = "aws:scheduler/schedule:Schedule"
EVENT_RULE = "aws:cloudwatch/eventRule:EventRule"
GROUP_SCHEDULE = "aws:autoscaling/schedule:Schedule"
GROUP_POLICY = "aws:autoscaling/policy:Policy"
_CLUSTER = "aws:eks/cluster:Cluster"
_RULE = "aws:ec2/securityGroupRule:SecurityGroupRule"
_INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
_EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
RULE_TYPES = (_RULE, _INGRESS, _EGRESS)


@dataclass(frozen=True)
class FirewallRule:
    """One rule of a security group, whichever of the three forms it was written in."""

    source: Resource
    group: str
    """URN of the group, or the group's id, or empty where unknown."""
    ingress: bool
    protocol: str
    """`-1` for all; empty where unknown."""
    from_port: float | None
    to_port: float | None
    cidrs: tuple[str, ...]
    peers: tuple[str, ...]
    """URNs or ids of the groups that the rule names; the group itself where it says `self`."""
    unknown: bool
    path: str

    @property
    def all_traffic(self) -> bool:
        return self.protocol in ("-1", "all")

    def opens(self, low: int, high: int) -> bool:
        """Whether TCP ports low to high are all let through."""
        if self.all_traffic:
            return True
        if self.protocol not in ("tcp", "6") or self.from_port is None or self.to_port is None:
            return False
        return self.from_port <= low and self.to_port >= high


@dataclass(frozen=True)
class Nodes:
    """A launch template with the groups that launch from it, or an instance of its own (then `groups` is empty)."""

    template: Resource
    groups: tuple[Resource, ...] = ()
    interfaces: tuple[Mapping[str, Any], ...] | None = field(default=None)
    """The network interfaces; None where they, or the kind of one, are unknown. Empty: the cloud gives one ordinary interface."""
    instance_type: str = ""
    """Empty where it is not named, or unknown."""

    @property
    def name(self) -> str:
        return self.template.name

    @property
    def efa(self) -> tuple[Mapping[str, Any], ...]:
        """The interfaces that carry an EFA device."""
        return tuple(i for i in self.interfaces or () if i.get("interfaceType") in ("efa", "efa-only"))

    @property
    def most_nodes(self) -> float:
        """The most nodes that the groups may have together; 1 for an instance."""
        return sum(group_size(g)[2] or 0 for g in self.groups) if self.groups else 1

    @property
    def most_unknown(self) -> bool:
        """Whether the most nodes of a group are not known yet."""
        return any(size_unknown(g)[2] for g in self.groups)


def size_unknown(group: Resource) -> tuple[bool, bool, bool]:
    """Whether the (least, wanted, most) number of nodes of a group is said and not known yet."""
    if group.type == NODE_GROUP:
        found = [group.get("scalingConfig", k) for k in ("minSize", "desiredSize", "maxSize")]
    else:
        found = [group.get(k) for k in ("minSize", "desiredCapacity", "maxSize")]
    return late(found[0]), late(found[1]), late(found[2])


def group_size(group: Resource) -> tuple[float | None, float | None, float | None]:
    """(least, wanted, most) nodes of a scaling group or an EKS node group; None where absent or unknown."""
    if group.type == NODE_GROUP:
        sizes = [group.get("scalingConfig", k) for k in ("minSize", "desiredSize", "maxSize")]
    else:
        sizes = [group.get(k) for k in ("minSize", "desiredCapacity", "maxSize")]
    return number(sizes[0]), number(sizes[1]), number(sizes[2])


class AwsGraph(LinkedGraph):
    """A graph with the indexes that rules about AWS need. Nothing here changes the graph."""

    @cached_property
    def nodes(self) -> tuple[Nodes, ...]:
        """Every launch template with its groups, and every instance that launches from none."""
        users: dict[str, list[Resource]] = {}
        for group in self.of_type(SCALING_GROUP, NODE_GROUP):
            for template in self._templates_of(group):
                users.setdefault(template.urn, []).append(group)
        out = [
            self._nodes(t, tuple(users.get(t.urn, ())), t.get("networkInterfaces"))
            for t in self.of_type(LAUNCH_TEMPLATE)
        ]
        later = attached_later(self, *INSTANCES)
        for box in self.of_type(*INSTANCES):
            out.append(self._nodes(box, (), interfaces_of(self, box, later.get(box.urn, []))))
        return tuple(out)

    def _templates_of(self, group: Resource) -> tuple[Resource, ...]:
        mixed = group.get("mixedInstancesPolicy", "launchTemplate", "launchTemplateSpecification", "launchTemplateId")
        if mixed is not None:
            return self.link(group, "mixedInstancesPolicy", mixed, LAUNCH_TEMPLATE).resources
        block = group.get("launchTemplate")
        value = cast(Mapping[str, Any], block).get("id", UNKNOWN) if isinstance(block, Mapping) else block
        return self.link(group, "launchTemplate", value, LAUNCH_TEMPLATE).resources

    def _nodes(self, template: Resource, groups: tuple[Resource, ...], value: Any) -> Nodes:
        known = value is None or isinstance(value, (list, tuple))
        listed = items(value)
        # Whether one of an unknown kind carries EFA, which most rules about interfaces turn on, nobody can say.
        if any(
            not isinstance(v, Mapping) or late(plain(cast("Mapping[str, Any]", v).get("interfaceType"))) for v in listed
        ):
            known = False
        kind = template.get("instanceType")
        if kind is None:
            named = {t for g in groups for t in self._types_of_group(g)}
            kind = named.pop() if len(named) == 1 else None
        return Nodes(template, groups, tuple(entries(listed)) if known else None, kind if isinstance(kind, str) else "")

    def _types_of_group(self, group: Resource) -> Iterable[str]:
        listed = items(group.get("instanceTypes"))
        for override in entries(group.get("mixedInstancesPolicy", "launchTemplate", "overrides")):
            listed.append(override.get("instanceType"))
        return [t for t in listed if isinstance(t, str)]

    def facts_of(self, nodes: Nodes) -> InstanceType | None:
        """The catalog's row of the nodes' instance type; None where the type is not named or not known."""
        return row_of(Provider.AWS, nodes.instance_type)

    def efa_unknown(self, nodes: Nodes) -> bool:
        """Whether it is not known yet if the nodes have EFA interfaces: a type without EFA takes none."""
        facts = self.facts_of(nodes)
        return nodes.interfaces is None and (facts is None or facts.fabric is FabricKind.EFA)

    @cached_property
    def gpu_nodes(self) -> tuple[tuple[Nodes, InstanceType], ...]:
        """The nodes whose type is known to have GPUs, each with the catalog's row."""
        found = ((nodes, self.facts_of(nodes)) for nodes in self.nodes)
        return tuple((nodes, facts) for nodes, facts in found if facts is not None and facts.has_gpu)

    def without_gpus(self, nodes: Nodes) -> bool:
        """Whether every type that the nodes may have is known, and none has GPUs."""
        named = [nodes.template.get("instanceType"), *(t for g in nodes.groups for t in self._types_of_group(g))]
        found = [instance_type(Provider.AWS, n) for n in named if isinstance(n, str)]
        late_one = any(late(n) for n in named) or any(late(g.get("instanceTypes")) for g in nodes.groups)
        return bool(found) and not late_one and all(isinstance(f, InstanceType) and not f.has_gpu for f in found)

    def cards_of(self, nodes: Nodes) -> NetworkCards | None:
        """The network cards of the nodes' type; None where the catalog has none."""
        return network_cards(nodes.instance_type) if nodes.instance_type else None

    def security_groups(self, nodes: Nodes) -> Links:
        """The security groups of the nodes, over all interfaces."""
        return self.once(f"security groups of {nodes.template.urn}", lambda: self._security_groups(nodes))

    def _security_groups(self, nodes: Nodes) -> Links:
        named = [("networkInterfaces", i.get("securityGroups")) for i in nodes.interfaces or ()]
        named += [(key, nodes.template.inputs.get(key)) for key in ("vpcSecurityGroupIds", "securityGroups")]
        found = [self.link(nodes.template, key, value, SECURITY_GROUP) for key, value in named]
        clusters = any(self._may_be_the_clusters(nodes.template, key, value) for key, value in named)
        return _joined(found, nodes.interfaces is None or clusters)

    def _may_be_the_clusters(self, template: Resource, key: str, value: Any) -> bool:
        """Whether a group that is not known yet may come out of an EKS cluster, which gives one of its own."""
        value = plain(value)
        if not any(v is UNKNOWN for v in (value, *map(plain, items(value)))):
            return False
        urns = template.property_dependencies.get(key, ())
        return any(r is not None and r.type == _CLUSTER for r in map(self._by_urn.get, urns))

    def subnets(self, nodes: Nodes) -> Links:
        """The subnets that the nodes may stand in."""
        return self.once(f"subnets of {nodes.template.urn}", lambda: self._subnets(nodes))

    def _subnets(self, nodes: Nodes) -> Links:
        found = [self.linked(g, "vpcZoneIdentifiers", SUBNET) for g in nodes.groups]
        found += [self.linked(g, "subnetIds", SUBNET) for g in nodes.groups]
        found.append(self.linked(nodes.template, "subnetId", SUBNET))
        for i in nodes.interfaces or ():
            found.append(self.link(nodes.template, "networkInterfaces", i.get("subnetId"), SUBNET))
        return _joined(found)

    def firewall_rules(self, group: Resource) -> tuple[FirewallRule, ...]:
        """Every rule of a security group of this program."""
        return self._rules_by_group.get(group.urn, ())

    @cached_property
    def _rules_by_group(self) -> dict[str, tuple[FirewallRule, ...]]:
        out: dict[str, list[FirewallRule]] = {}
        for rule in self.all_firewall_rules:
            out.setdefault(rule.group, []).append(rule)
        return {k: tuple(v) for k, v in out.items()}

    @cached_property
    def all_firewall_rules(self) -> tuple[FirewallRule, ...]:
        """Every rule of every security group, those of groups from elsewhere too."""
        out: list[FirewallRule] = []
        for group in self.of_type(SECURITY_GROUP, DEFAULT_GROUP):
            for key in ("ingress", "egress"):
                out.extend(self._inline_rules(group, key))
        for r in self.of_type(*RULE_TYPES):
            out.append(self._rule_resource(r))
        return tuple(out)

    def _inline_rules(self, group: Resource, key: str) -> Iterator[FirewallRule]:
        value = group.get(key)
        ingress = key == "ingress"
        if late(value):
            yield FirewallRule(group, group.urn, ingress, "", None, None, (), (), True, key)
        for i, block in enumerate(items(value)):
            path = f"{key}[{i}]"
            if not isinstance(block, Mapping):
                yield FirewallRule(group, group.urn, ingress, "", None, None, (), (), True, path)
                continue
            yield self._rule(group, group.urn, ingress, cast(Mapping[str, Any], block), path, key)

    def _rule_resource(self, r: Resource) -> FirewallRule:
        ids = self._ids(self.linked(r, "securityGroupId", SECURITY_GROUP))
        owner = ids[0] if len(ids) == 1 else ""
        ingress = r.type == _INGRESS or (r.type == _RULE and r.get("type") == "ingress")
        return self._rule(r, owner, ingress, r.inputs, "", "")

    def _rule(
        self, source: Resource, owner: str, ingress: bool, block: Mapping[str, Any], path: str, key: str
    ) -> FirewallRule:
        protocol = plain(block.get("protocol", block.get("ipProtocol")))
        cidrs: list[str] = []
        ports = [plain(block.get(k)) for k in ("fromPort", "toPort")]
        unknown = not owner or late(protocol) or any(late(p) for p in ports)
        for name in ("cidrBlocks", "ipv6CidrBlocks", "cidrIpv4", "cidrIpv6"):
            value = plain(block.get(name))
            for v in items(value) or [value]:
                if isinstance(v, str) and not late(v):
                    cidrs.append(v)
                elif v is not None and late(v):
                    unknown = True
        peers: list[str] = [owner] if truth(block.get("self")) and owner else []
        for name in ("securityGroups", "sourceSecurityGroupId", "referencedSecurityGroupId"):
            if block.get(name) is not None:
                links = self.link(source, key or name, block[name], SECURITY_GROUP)
                peers.extend(self._ids(links))
                unknown = unknown or links.unknown
        text = str(protocol).lower() if protocol is not None and not late(protocol) else ""
        return FirewallRule(
            source=source,
            group=owner,
            ingress=ingress,
            protocol=text,
            from_port=number(ports[0]),
            to_port=number(ports[1]),
            cidrs=tuple(cidrs),
            peers=tuple(dict.fromkeys(peers)),
            unknown=unknown,
            path=path,
        )

    @staticmethod
    def _ids(links: Links) -> list[str]:
        return [*(r.urn for r in links.resources), *links.foreign]


def _joined(found: list[Links], unknown: bool = False) -> Links:
    resources = {r.urn: r for links in found for r in links.resources}
    foreign = {f for links in found for f in links.foreign}
    return Links(tuple(resources.values()), tuple(sorted(foreign)), unknown or any(links.unknown for links in found))
