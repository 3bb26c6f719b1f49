"""A reservation preference that contradicts the target.

What: A template aims at a reservation and sets a preference other than `capacity-reservations-only`.
Why: EC2 takes one or the other: with a target only that preference, or none, is accepted.
Fix: Leave the preference out, or set `capacity-reservations-only`.
References: hashicorp/terraform-provider-aws PR #43890
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import has_target
from ...aws_graph import LAUNCH_TEMPLATE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3030", "reservation-preference-with-target", Severity.ERROR, __doc__, ("AWS CAP-12",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template."""
    for template in ctx.aws.of_type(LAUNCH_TEMPLATE):
        said = template.get("capacityReservationSpecification", "capacityReservationPreference")
        if said is None or said == "capacity-reservations-only" or not has_target(template):
            continue
        if late(said):
            yield Undecided(CODE.code, template.name, "the preference is not known yet")
        else:
            yield CODE.at(
                f"{template.name}.capacityReservationSpecification.capacityReservationPreference",
                f"preference '{said}' beside a reservation as target",
                resource=template.name,
            )


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    capacityReservationSpecification:
      capacityReservationPreference: {0}
      capacityReservationTarget: {{capacityReservationId: cr-1}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("capacity-reservations-only"), _T.format("null")), (_T.format("open"),), (_T.format("!unknown "),)
    ),
    providers=(Provider.AWS,),
)
