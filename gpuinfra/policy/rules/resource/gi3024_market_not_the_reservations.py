"""A market type that is not the reservation's.

What: A template aims at a capacity block without market type `capacity-block`, at an ordinary reservation with it, or at either as spot.
Why: EC2 answers that the market type (purchasing) option is not valid, at every launch.
Fix: Set instanceMarketOptions.marketType to `capacity-block` for a block, and leave it out for an on-demand reservation.
References: terraform-aws-modules/terraform-aws-ec2-instance#383; aws/aws-parallelcluster, CapacityReservationValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import market, market_refused, reservation_kind
from ...aws_graph import INSTANCE, LAUNCH_TEMPLATE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3024", "market-not-the-reservations", Severity.ERROR, __doc__, ("AWS CAP-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or instance: spot takes nothing from any reservation; else the program, the plan or a
    look-up must show the target's kind."""
    for template in ctx.aws.of_type(LAUNCH_TEMPLATE, INSTANCE):
        if wrong := market_refused(ctx, template):
            yield CODE.at(f"{template.name}.instanceMarketOptions.marketType", wrong, resource=template.name)
        elif late(market(template)) and reservation_kind(ctx, template):
            yield Undecided(CODE.code, template.name, "the market type is not known yet")


_T = """\
- {{type: aws.ec2.CapacityReservation, name: held, inputs: {{instanceCount: 4}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceMarketOptions: {{marketType: {0}}}
    capacityReservationSpecification: {{capacityReservationTarget: {{capacityReservationId: !ref held.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples((_T.format("null"),), (_T.format("capacity-block"), _T.format("spot")), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
