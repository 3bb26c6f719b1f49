"""A targeted reservation that nothing aims at.

What: The program makes a reservation of match criteria `targeted`, and no template aims at it.
Why: Targeted capacity is used only where a launch names it: it bills from the first second and serves nobody.
Fix: Name it in capacityReservationTarget of a template, or make it `open`.
References: aws/aws-parallelcluster#4061
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LAUNCH_TEMPLATE, RESERVATION
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3031", "reservation-never-used", Severity.WARNING, __doc__, ("AWS CAP-12",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each reservation, in programs that launch nodes."""
    held = [r for r in ctx.aws.of_type(RESERVATION) if r.get("instanceMatchCriteria") not in (None, "open")]
    if not held or not ctx.aws.has(LAUNCH_TEMPLATE):
        return
    users = list(ctx.graph)
    for r in held:
        if any(r.urn in u.dependencies or any(r.urn in d for d in u.property_dependencies.values()) for u in users):
            continue
        if late(r.get("instanceMatchCriteria")):
            yield Undecided(CODE.code, r.name, "whether the reservation is targeted is not known yet")
        else:
            yield CODE.at(
                r.name, "a targeted reservation that no template aims at bills and is never used", resource=r.name
            )


_T = """\
- {{type: aws.ec2.CapacityReservation, name: held, inputs: {{instanceMatchCriteria: {0}}}}}
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p4d.24xlarge}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "cost"),
    check,
    Examples((_T.format("open"),), (_T.format("targeted"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
