"""A spot group of one type in one zone.

What: A group buys spot nodes of a single GPU type, in a single subnet, and nothing else of the program carries that GPU.
Why: Each type in each zone is a market of its own. When that one runs dry, all nodes go at once and none comes back.
Fix: Name more types with the same GPU, more subnets, or a group on demand to fall back on; with EFA, which keeps to one subnet, save checkpoints often.
References: skypilot-org/skypilot#5371; EC2 User Guide, Spot best practices
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....catalog import InstanceType, instance_type
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import market
from ...aws_graph import NODE_GROUP, SCALING_GROUP, AwsGraph
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, number, plain

CODE = described("GI3311", "spot-group-in-one-place", Severity.WARNING, __doc__, ("AWS CAP-16",))
_MIXED = "mixedInstancesPolicy"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group; what our own component made is judged with the plan."""
    aws = ctx.aws
    groups = list(aws.of_type(SCALING_GROUP, NODE_GROUP))
    for group in groups:
        if not _is_spot(aws, group) or aws.ours(group):
            continue
        types, key = _types(aws, group), "subnetIds" if group.type == NODE_GROUP else "vpcZoneIdentifiers"
        places = group.get(key)
        if any(late(t) for t in types):
            yield Undecided(CODE.code, group.name, "the machine types are not known yet")
            continue
        models = {f.gpu_model for f in _facts(types)}
        if len(types) != 1 or len(models) != 1 or _fall_back(aws, groups, group, models):
            continue
        if late(places):
            yield Undecided(CODE.code, group.name, "the subnets are not known yet")
        elif len(items(places)) == 1:
            yield CODE.at(
                f"{group.name}.{key}",
                f"spot nodes of one type, {types[0]}, in one subnet: they can all go at once",
                resource=group.name,
            )


def _template(aws: AwsGraph, group: Resource) -> Resource | None:
    templates = aws.once("templates of groups", lambda: {g.urn: n.template for n in aws.nodes for g in n.groups})
    return templates.get(group.urn)


def _is_spot(aws: AwsGraph, group: Resource) -> bool:
    if group.type == NODE_GROUP:
        return group.get("capacityType") == "SPOT"
    if group.get(_MIXED) is not None:
        share = number(group.get(_MIXED, "instancesDistribution", "onDemandPercentageAboveBaseCapacity"))
        return share is not None and share < 100
    template = _template(aws, group)
    return template is not None and market(template) == "spot"


def _types(aws: AwsGraph, group: Resource) -> list[Any]:
    """The types of a group, each once, and what is not known yet."""
    return aws.once(f"machine types of {group.urn}", lambda: _read_types(aws, group))


def _read_types(aws: AwsGraph, group: Resource) -> list[Any]:
    template = _template(aws, group)
    named = [plain(t) for t in items(group.get("instanceTypes"))]
    named += [plain(o.get("instanceType")) for o in entries(group.get(_MIXED, "launchTemplate", "overrides"))]
    if late(group.get("instanceTypes")) or late(group.get(_MIXED, "launchTemplate", "overrides")):
        named.append(group.get("instanceTypes"))
    if not named and template is not None:
        named = [template.get("instanceType")]
    return [t for n, t in enumerate(named) if t is not None and t not in named[:n]]


def _facts(types: list[Any]) -> list[InstanceType]:
    found = [instance_type(Provider.AWS, t) for t in types if isinstance(t, str)]
    return [f for f in found if isinstance(f, InstanceType) and f.has_gpu]


def _fall_back(aws: AwsGraph, groups: list[Resource], group: Resource, models: set[str]) -> bool:
    """Whether another group carries the same GPU and is bought in another way, or of another type or place."""
    own = _types(aws, group)
    for other in groups:
        if other is group or not models & {f.gpu_model for f in _facts(_types(aws, other))}:
            continue
        key = "subnetIds" if other.type == NODE_GROUP else "vpcZoneIdentifiers"
        elsewhere = other.get(key) != group.get("subnetIds" if group.type == NODE_GROUP else "vpcZoneIdentifiers")
        if not _is_spot(aws, other) or _types(aws, other) != own or elsewhere:
            return True
    return False


_T = """\
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{capacityType: SPOT, instanceTypes: {0}, subnetIds: {1}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("[g6.xlarge, g6.2xlarge]", "[subnet-1]"), _T.format("[g6.xlarge]", "[subnet-1, subnet-2]")),
        (_T.format("[g6.xlarge]", "[subnet-1]"),),
        (_T.format("!unknown ", "[subnet-1]"), _T.format("[g6.xlarge]", "!unknown ")),
    ),
    providers=(Provider.AWS,),
)
