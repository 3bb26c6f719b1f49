"""A capacity reservation and nodes of different numbers.

What: The nodes that aim at a reservation may be more than it holds, or can never be as many.
Why: A surplus node fails with ReservationCapacityExceeded; an instance that is reserved and not used bills like one that runs.
Fix: Make the reservation's count and the groups' most nodes equal.
References: EC2 User Guide, on-demand capacity reservations; aws/aws-parallelcluster, CapacityReservationSizeValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import has_target, is_block, reservation, reservation_facts, reserved_count, target
from ...aws_graph import INSTANCES, Nodes, group_size
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3077", "reservation-of-another-size", Severity.WARNING, __doc__, ("AWS CAP-14",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each reservation whose count is known. Of capacity blocks another rule speaks."""
    by_target: dict[str, list[Nodes]] = {}
    for nodes in ctx.aws.nodes:
        if not has_target(nodes.template) or is_block(ctx, nodes.template):
            continue
        made_here = reservation(ctx, nodes.template)
        key = made_here.urn if made_here is not None else str(target(nodes.template))
        if made_here is not None or reservation_facts(ctx, nodes.template):
            by_target.setdefault(key, []).append(nodes)
    for found in by_target.values():
        first = found[0]
        sizes = [_most(n) for n in found]
        made_here, count = reservation(ctx, first.template), reserved_count(ctx, first.template)
        if None in sizes or (made_here is not None and late(made_here.get("instanceCount"))):
            yield Undecided(CODE.code, first.name, "how many nodes or reserved instances there are is not known yet")
            continue
        most = sum(s for s in sizes if s is not None)
        if count is None or not most or most == count:
            continue
        owner = made_here.name if made_here is not None else first.name
        text = (
            f"{most:g} nodes may aim at a reservation of {count:g}: the surplus is refused"
            if most > count
            else f"{count:g} instances are reserved, and the nodes are {most:g} at most: {count - most:g} bill unused"
        )
        path = f"{owner}.instanceCount" if made_here is not None else f"{owner}.capacityReservationSpecification"
        yield CODE.at(path, text, resource=owner)


def _most(nodes: Nodes) -> float | None:
    """The most nodes; None where a size is not known yet."""
    if nodes.template.type in INSTANCES:
        return 1
    sizes = [group_size(g)[2] for g in nodes.groups]
    unknown = any(late(g.get("maxSize")) or late(g.get("scalingConfig", "maxSize")) for g in nodes.groups)
    return None if unknown else sum(s or 0 for s in sizes)


_T = """\
- {{type: aws.ec2.CapacityReservation, name: held, inputs: {{instanceType: p5.48xlarge, instanceCount: {0}}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    capacityReservationSpecification: {{capacityReservationTarget: {{capacityReservationId: !ref held.id }}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{maxSize: {1}, launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "cost"),
    check,
    Examples((_T.format(8, 8),), (_T.format(8, 4), _T.format(8, 10)), (_T.format(8, "!unknown "),)),
    providers=(Provider.AWS,),
)
