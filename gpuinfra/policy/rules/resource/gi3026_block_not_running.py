"""Nodes wanted outside the time of their reservation.

What: A group wants nodes before its capacity block begins, after it has ended, or a lease runs longer than the block.
Why: Launches fail before the start; from 30 minutes before the end (60 for UltraServers) the cloud takes the nodes.
Fix: Create the group at desired 0, raise it by a schedule at the start, and end the lease 30 minutes before the block.
References: EC2 User Guide, Capacity Blocks for ML; aws/aws-parallelcluster, CapacityReservationValidator
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import moment, reservation, reservation_facts
from ...aws_graph import SCHEDULE, Nodes, group_size, size_unknown
from ...aws_schedules import aims_at, moment_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3026", "block-not-running", Severity.ERROR, __doc__, ("AWS CAP-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group; the times come from the program, or from a look-up."""
    if ctx.now is None:
        return
    for nodes in ctx.aws.nodes:
        facts = reservation_facts(ctx, nodes.template)
        made_here = reservation(ctx, nodes.template)
        raw_end = made_here.get("endDate") if made_here is not None else facts.get("end")
        raw_start = made_here.get("startDate") if made_here is not None else facts.get("start")
        starts, ends = moment(raw_start), moment(raw_end)
        if late(raw_start) or late(raw_end):
            yield Undecided(CODE.code, nodes.name, "the reservation's times are not known yet")
        for group in nodes.groups:
            wanted = group_size(group)[1]
            path = f"{group.name}.desiredCapacity"
            outside = (starts is not None and starts > ctx.now) or (ends is not None and ends <= ctx.now)
            if outside and size_unknown(group)[1]:
                yield Undecided(CODE.code, group.name, "how many nodes are wanted is not known yet")
            if starts is not None and starts > ctx.now and wanted:
                yield CODE.at(
                    path,
                    f"{wanted:g} nodes are wanted now, and the reservation begins {starts:%Y-%m-%d %H:%M} "
                    f"{starts.tzname() or ''}".rstrip(),
                    "create the group at desired 0 and raise it by an autoscaling schedule at the start",
                    resource=group.name,
                )
            if ends is not None and ends <= ctx.now and wanted:
                yield CODE.at(path, f"the reservation ended {ends:%Y-%m-%d %H:%M}", resource=group.name)
        if ends is not None:
            yield from _late_leases(
                ctx, nodes, ends - timedelta(minutes=60 if nodes.instance_type.startswith("p6e-") else 30)
            )


def _late_leases(ctx: GraphContext, nodes: Nodes, last: datetime) -> Iterator[Diagnostic]:
    for schedule in ctx.aws.of_type(SCHEDULE):
        at = moment_of(schedule)
        if at is not None and at > last and any(aims_at(ctx.aws, schedule, g) for g in nodes.groups):
            yield CODE.at(
                f"{schedule.name}.scheduleExpression",
                f"the lease ends {at:%Y-%m-%d %H:%M}, after the cloud begins to take the block's nodes ({last:%Y-%m-%d %H:%M})",
                resource=schedule.name,
            )


_T = """\
- {{type: aws.ec2.CapacityReservation, name: held, inputs: {{endDate: {0}}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{capacityReservationSpecification: {{capacityReservationTarget: {{capacityReservationId: !ref held.id }}}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{minSize: 0, desiredCapacity: 4, maxSize: 4, launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "time"),
    check,
    Examples((_T.format('"2026-12-08T11:30:00Z"'),), (_T.format('"2026-11-29T11:30:00Z"'),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
