"""A spot group of one type in one zone.

What: A group of spot GPU nodes may start one instance type only, in one subnet or zone only.
Why: When that market runs dry, all nodes go at once and none comes back.
Fix: Name further types with the same GPU and further subnets; or, where a fabric needs one zone, keep a group that is bought in another way to fall back on.
References: skypilot-org/skypilot#5371; EC2 User Guide, Spot best practices
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ....catalog import InstanceType, instance_type
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import market
from ...aws_graph import NODE_GROUP, SCALING_GROUP, SUBNET, Nodes
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, number, plain

CODE = described("GI3451", "spot-group-in-one-place", Severity.WARNING, __doc__, ("AWS CAP-16",))
_MIXED = ("mixedInstancesPolicy",)
_OVERRIDES = (*_MIXED, "launchTemplate", "overrides")
_SHARE = (*_MIXED, "instancesDistribution", "onDemandPercentageAboveBaseCapacity")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each such group, unless another group carries the same GPU; our own component's plan is judged."""
    launched = {g.urn: nodes for nodes in ctx.aws.nodes for g in nodes.groups}
    named = {g.urn: _types(g, launched.get(g.urn)) for g in ctx.aws.of_type(SCALING_GROUP, NODE_GROUP)}
    gpus = {urn: {f.gpu_model for f in map(_facts, types or ()) if f is not None} for urn, types in named.items()}
    carriers = Counter(m for models in gpus.values() for m in models)
    for group in ctx.aws.of_type(SCALING_GROUP, NODE_GROUP):
        types, models = named[group.urn], gpus[group.urn]
        if types is None or len(types) != 1 or not models or ctx.aws.ours(group):
            continue
        if all(carriers[m] > 1 for m in models):
            continue
        spot, places = _spot(group, launched.get(group.urn)), _places(group, ctx)
        if spot is False or (places is not None and places != 1):
            continue
        if spot is None or places is None:
            unknown = "how the nodes are bought" if spot is None else "in how many zones the nodes may stand"
            yield Undecided(CODE.code, group.name, f"{unknown} is not known yet")
            continue
        yield CODE.at(
            group.name,
            f"spot nodes of one type, {next(iter(types))}, in one zone: they can all go at once",
            resource=group.name,
        )


def _facts(name: str) -> InstanceType | None:
    found = instance_type(Provider.AWS, name)
    return found if isinstance(found, InstanceType) and found.known and found.has_gpu else None


def _types(group: Resource, nodes: Nodes | None) -> set[str] | None:
    """The types that a group may start; None where not all of them are known."""
    named: list[Any] = [plain(o.get("instanceType")) for o in entries(group.get(*_OVERRIDES))]
    by_need = any(o.get("instanceRequirements") is not None for o in entries(group.get(*_OVERRIDES)))
    named = named or [plain(v) for v in items(group.get("instanceTypes"))]
    if not named:
        named = [nodes.instance_type] if nodes is not None and nodes.instance_type else []
    if by_need or late(group.get(*_OVERRIDES)) or late(group.get("instanceTypes")):
        return None
    return {n for n in named if isinstance(n, str)} if named and not any(late(n) for n in named) else None


def _spot(group: Resource, nodes: Nodes | None) -> bool | None:
    """Whether every node above the base is spot; None where that is not known yet."""
    if group.type == NODE_GROUP:
        kind = group.get("capacityType")
        return None if late(kind) else kind == "SPOT"
    if group.get(*_MIXED) is not None:
        # Absent means 100, by EC2 Auto Scaling's default.
        share = group.get(*_SHARE)
        return None if late(share) else number(share) == 0
    said = market(nodes.template) if nodes is not None else None
    return None if late(said) else said == "spot"


def _places(group: Resource, ctx: GraphContext) -> int | None:
    """In how many subnets or zones the nodes may stand; None where nothing shows it."""
    zones = group.get("availabilityZones")
    if isinstance(zones, (list, tuple)) and zones:
        return None if any(late(z) for z in items(zones)) else len(items(zones))
    key = "subnetIds" if group.type == NODE_GROUP else "vpcZoneIdentifiers"
    value = group.get(key)
    if isinstance(value, (list, tuple)):
        return len(items(value))
    links = ctx.aws.linked(group, key, SUBNET)
    # What one subnet was traced through may be a list of more: then nothing is said.
    return None if links.unknown or links.count < 2 else links.count


_EKS = """\
- {{type: aws.eks.NodeGroup, name: group, inputs: {{capacityType: {0}, instanceTypes: {1}, subnetIds: {2}}}}}
"""
_ASG = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: g6.12xlarge, instanceMarketOptions: {{marketType: {0}}}}}}}
- {{type: aws.autoscaling.Group, name: group, inputs: {{vpcZoneIdentifiers: {1}, launchTemplate: {{id: !ref nodes.id }}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "spot"),
    check,
    Examples(
        (
            _EKS.format("SPOT", "[g5.xlarge, g5.2xlarge]", "[subnet-1]"),
            _EKS.format("SPOT", "[g5.xlarge]", "[subnet-1, subnet-2]"),
            _EKS.format("ON_DEMAND", "[g5.xlarge]", "[subnet-1]"),
            _EKS.format("SPOT", "[m6i.large]", "[subnet-1]"),
            _ASG.format("spot", "[subnet-1, subnet-2]"),
        ),
        (_EKS.format("SPOT", "[g5.xlarge]", "[subnet-1]"), _ASG.format("spot", "[subnet-1]")),
        (_EKS.format("!unknown ", "[g5.xlarge]", "[subnet-1]"), _ASG.format("spot", "!unknown ")),
    ),
    providers=(Provider.AWS,),
)
