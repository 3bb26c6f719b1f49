"""A placement group that a reservation was not made in, or the other way round.

What: A template aims at a capacity reservation and names a placement group that the reservation does not belong to; or the reservation belongs to one and the template names another, or none.
Why: The nodes must fit both, and the reserved machines stand elsewhere: of sixteen reserved nodes eleven were launched.
Fix: Leave the placement group out, or name the group that the reservation was made in.
References: eksctl-io/eksctl#7949; terraform-aws-modules/terraform-aws-eks PR #3730
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import has_target, is_block, reservation, reservation_facts
from ...aws_graph import LAUNCH_TEMPLATE, PLACEMENT_GROUP
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import given, late

CODE = described("GI3018", "placement-group-with-reservation", Severity.ERROR, __doc__, ("AWS PLC-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template."""
    for template in ctx.aws.of_type(LAUNCH_TEMPLATE):
        if not has_target(template) or is_block(ctx, template) is not False:
            continue
        known, home = _home(ctx, template)
        placement = template.get("placement")
        used = given(template.get("placement", "groupName"), template.get("placement", "groupId"))
        where = f"{template.name}.placement"
        if late(placement) or (late(home) and used is not None):
            yield Undecided(CODE.code, template.name, "the placement group is not known yet")
        elif used is not None and home is None and (known or not _existing_group(ctx, template, used)):
            made = "was not made in it" if known else "shows no placement group of its own"
            yield CODE.at(
                where,
                f"the template aims at a capacity reservation and names placement group {_shown(used)}; "
                f"the reservation {made}",
                resource=template.name,
            )
        elif home is not None and not late(home) and not _same(ctx, template, used, str(home)):
            named = f"names {_shown(used)}" if used is not None else "names none"
            yield CODE.at(
                where,
                f"the reservation was made in placement group {str(home).rpartition('/')[2]!r}, and the template {named}",
                resource=template.name,
            )


def _home(ctx: GraphContext, template: Resource) -> tuple[bool, Any]:
    """(whether it is known, the ARN of the group that the reservation was made in or None)."""
    made_here = reservation(ctx, template)
    if made_here is not None:
        return True, made_here.get("placementGroupArn")
    facts = reservation_facts(ctx, template)
    return "placement_group_arn" in facts, facts.get("placement_group_arn")


def _existing_group(ctx: GraphContext, template: Resource, used: Any) -> bool:
    """Whether the group is one that was there before: then the reservation may have been made in it."""
    return (
        isinstance(used, str)
        and not late(used)
        and not ctx.aws.link(template, "placement", used, PLACEMENT_GROUP).resources
        and not any(_group_name(g) == used for g in ctx.aws.of_type(PLACEMENT_GROUP))
    )


def _same(ctx: GraphContext, template: Resource, used: Any, home: str) -> bool:
    name = home.rpartition("/")[2]
    groups = ctx.aws.link(template, "placement", used, PLACEMENT_GROUP).resources
    return used == name or any(_group_name(g) == name for g in groups)


def _group_name(group: Resource) -> str:
    value = group.get("name")
    return value if isinstance(value, str) and not late(value) else group.name


def _shown(used: Any) -> str:
    return f"'{used}'" if isinstance(used, str) and not late(used) else "of this program"


_T = """\
- {{type: aws.ec2.PlacementGroup, name: auto-pg, inputs: {{strategy: cluster}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    placement: {0}
    capacityReservationSpecification: {{capacityReservationTarget: {{capacityReservationId: cr-0ddd3333eeee4444f}}}}
"""

RULE = ResourceRule(
    CODE,
    ("placement", "capacity"),
    check,
    Examples((_T.format("null"),), (_T.format("{groupName: !ref auto-pg.name }"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
