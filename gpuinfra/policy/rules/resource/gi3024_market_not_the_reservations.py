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
from ...aws_capacity import BLOCK_MARKET, has_target, market, reservation_kind, target, target_is_late
from ...aws_graph import INSTANCE, LAUNCH_TEMPLATE
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3024", "market-not-the-reservations", Severity.ERROR, __doc__, ("AWS CAP-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or instance: spot takes nothing from any reservation; else the program, the plan or a
    look-up must show the target's kind."""
    for template in ctx.aws.of_type(LAUNCH_TEMPLATE, INSTANCE):
        kind, said = reservation_kind(ctx, template), market(template)
        if said == "spot" and kind != BLOCK_MARKET and has_target(template) and not target_is_late(template):
            yield CODE.at(
                f"{template.name}.instanceMarketOptions.marketType",
                f"the market type is 'spot', and spot takes nothing from {_named(template)}",
                resource=template.name,
            )
            continue
        if not kind:
            continue
        if late(said):
            yield Undecided(CODE.code, template.name, "the market type is not known yet")
        elif kind == BLOCK_MARKET and said != BLOCK_MARKET:
            yield CODE.at(
                f"{template.name}.instanceMarketOptions.marketType",
                f"{_shown(target(template))} is a capacity block, and the market type is {_shown(said)}",
                resource=template.name,
            )
        elif kind != BLOCK_MARKET and said == BLOCK_MARKET:
            yield CODE.at(
                f"{template.name}.instanceMarketOptions.marketType",
                f"the market type is 'capacity-block', and {_shown(target(template))} is an on-demand reservation",
                resource=template.name,
            )


def _named(template: Resource) -> str:
    value = target(template)
    return "a group of reservations" if value is None else _shown(value)


def _shown(value: object) -> str:
    return "not set" if value is None else f"'{value}'" if isinstance(value, str) else "the reservation of this program"


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
