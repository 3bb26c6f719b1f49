"""A spot group of one type in one zone.

What: A group buys spot nodes of a single GPU type, in a single subnet, and nothing else of the program carries that GPU.
Why: Each type in each zone is a market of its own. When that one runs dry, all nodes go at once and none comes back.
Fix: Name more types with the same GPU, more subnets, or a group on demand to fall back on; with EFA, which keeps to one subnet, save checkpoints often.
References: skypilot-org/skypilot#5371; EC2 User Guide, Spot best practices
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCES, NODE_GROUP, SUBNET
from ...aws_kubernetes import node_groups
from ...aws_spot import SpotNodes, spot_nodes
from ...machine_rows import gpu_row_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late

_PLACES = ("vpcZoneIdentifiers", "subnetIds", "availabilityZones")
CODE = described("GI3311", "spot-group-in-one-place", Severity.WARNING, __doc__, ("AWS CAP-16",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group; what our own component made is judged with the plan."""
    for found in spot_nodes(ctx.aws):
        if (
            found.owner.type in INSTANCES
            or ctx.aws.ours(found.owner)
            or (found.types is not None and not _is_one_of_gpus(found))
        ):
            continue
        places = _places(ctx, found)
        if places is not None and places != 1:
            continue
        if found.types is None or places is None or not found.sure:
            unknown = "instance types" if found.types is None else "subnets" if places is None else "ways of buying"
            yield Undecided(CODE.code, found.owner.name, f"the {unknown} are not known yet")
        elif _fall_back(ctx, found):
            continue
        elif _others_unknown(ctx, found):
            yield Undecided(CODE.code, found.owner.name, "the instance types of another group are not known yet")
        else:
            key = "subnetIds" if found.owner.type == NODE_GROUP else "vpcZoneIdentifiers"
            yield CODE.at(
                f"{found.owner.name}.{key}",
                f"spot nodes of one type, {found.types[0]}, in one subnet: they can all go at once",
                resource=found.owner.name,
            )


def _is_one_of_gpus(found: SpotNodes) -> bool:
    return len(found.types or ()) == 1 and found.has_gpu


def _places(ctx: GraphContext, found: SpotNodes) -> int | None:
    """In how many subnets or zones the nodes may stand; None where that is not known."""
    key = next((k for k in _PLACES if found.owner.get(k) is not None), None)
    value = found.owner.get(key) if key else None
    if isinstance(value, (list, tuple)) and len(items(value)) != 1:
        return len(items(value))
    # One that is not known may stand for a whole list, as what a look-up of subnets gives.
    links = ctx.aws.linked(found.owner, key, SUBNET) if key else None
    count = len(links.resources) + len(links.foreign) if links is not None else 0
    return count or (None if late(value) or any(map(late, items(value))) else 1)


def _fall_back(ctx: GraphContext, found: SpotNodes) -> bool:
    """Whether another group carries the same GPU, and is bought in another way, or of another type or place."""
    spot = {s.owner.urn: s for s in spot_nodes(ctx.aws)}
    wanted = _models(found.types or ())
    for group, models in ctx.aws.once("groups by their GPUs", lambda: _carriers(ctx)):
        if group is found.owner or not models & wanted:
            continue
        other = spot.get(group.urn)
        elsewhere = [group.get(k) for k in _PLACES] != [found.owner.get(k) for k in _PLACES]
        if other is None or other.types != found.types or elsewhere:
            return True
    return False


def _others_unknown(ctx: GraphContext, found: SpotNodes) -> bool:
    """Whether another group may carry the same GPU: of which types it is, is not known yet."""
    unknown = {g.resource.urn for g in node_groups(ctx.aws) if g.unknown}
    unknown |= {g.urn for n in ctx.aws.nodes if late(n.template.get("instanceType")) for g in n.groups}
    return bool(unknown - {found.owner.urn})


def _carriers(ctx: GraphContext) -> list[tuple[Resource, set[str]]]:
    """Every group of the program with the GPUs of its nodes."""
    spot = [(s.owner, _models(s.types or ())) for s in spot_nodes(ctx.aws)]
    launched = [(g, {facts.gpu_model}) for nodes, facts in ctx.aws.gpu_nodes for g in nodes.groups]
    return [*spot, *launched, *((g.resource, {f.gpu_model for f in g.facts}) for g in node_groups(ctx.aws))]


def _models(types: tuple[str, ...]) -> set[str]:
    return {row.gpu_model for t in types if (row := gpu_row_of(Provider.AWS, t))}


_T = """\
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{capacityType: {0}, instanceTypes: {1}, subnetIds: {2}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (
            _T.format("SPOT", "[g6.xlarge, g6.2xlarge]", "[subnet-1]"),
            _T.format("SPOT", "[g6.xlarge]", "[subnet-1, subnet-2]"),
            _T.format("ON_DEMAND", "[g6.xlarge]", "[subnet-1]"),
            _T.format("SPOT", "[g6.xlarge]", "[subnet-1]")
            + _T.format("ON_DEMAND", "[g6.2xlarge]", "[subnet-1]").replace("pool", "sure"),
        ),
        (_T.format("SPOT", "[g6.xlarge]", "[subnet-1]"),),
        (
            _T.format("SPOT", "!unknown ", "[subnet-1]"),
            _T.format("SPOT", "[g6.xlarge]", "!unknown "),
            _T.format("!unknown ", "[g6.xlarge]", "[subnet-1]"),
        ),
    ),
    providers=(Provider.AWS,),
)
