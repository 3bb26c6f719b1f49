"""Spot or flex-start machines that name a reservation.

What: A machine of model SPOT or FLEX_START has the reservation affinity SPECIFIC_RESERVATION.
Why: Neither can use reserved capacity, and the machine is refused.
Fix: Set reservationAffinity: {type: NO_RESERVATION}, or buy by the reservation.
References: Google Cloud docs, Consume a reservation; skypilot-org/skypilot#9726
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3153", "spot-from-a-reservation", Severity.ERROR, __doc__, ("GCP-RSV-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine or pool."""
    for m in ctx.gcp.machines:
        key = "reservationAffinity.consumeReservationType" if m.is_pool else "reservationAffinity.type"
        spot = m.model in ("SPOT", "FLEX_START")
        if (m.affinity == "SPECIFIC_RESERVATION" and m.model is None) or (m.affinity is None and spot):
            yield Undecided(CODE.code, m.name, "the provisioning model or the reservation is not known yet")
        elif m.affinity == "SPECIFIC_RESERVATION" and spot:
            yield CODE.at(m.path(key), f"SPECIFIC_RESERVATION on machines of model {m.model}", resource=m.name)


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{scheduling: {{provisioningModel: {0}}}, reservationAffinity: {{type: SPECIFIC_RESERVATION}}}}
"""


RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("STANDARD"),),
        (
            _T.format("SPOT"),
            _T.format("FLEX_START"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
