"""A machine bound to a reservation that it does not name.

What: `provisioningModel` is RESERVATION_BOUND, and `reservationAffinity` is not SPECIFIC_RESERVATION with a name; or the other way round, on a type whose reservations are dense blocks.
Severity: warning for a machine of a dense type whose model is STANDARD
Why: The model says that the machine lives and ends with one reservation; without its name the machine is refused.
Fix: Set reservationAffinity: {type: SPECIFIC_RESERVATION, specificReservation: {key: compute.googleapis.com/reservation-name, values: [<reservation>]}}.
References: Google Cloud docs, Consume a reservation; Google Cloud docs, Future reservations in calendar mode
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late

CODE = described("GI3125", "bound-to-no-reservation", Severity.ERROR, __doc__, ("GCP-SCH-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine."""
    for m in ctx.gcp.vms:
        if m.model is None and m.affinity != "SPECIFIC_RESERVATION":
            yield Undecided(CODE.code, m.name, "whether the machine is bound to a reservation is not known yet")
        dense = m.layout is not None and m.layout.reservation_bound
        if dense and m.model == "STANDARD" and m.affinity is None:
            yield Undecided(CODE.code, m.name, "the reservation is not known yet")
        if dense and m.model == "STANDARD" and m.affinity == "SPECIFIC_RESERVATION":
            yield CODE.at(
                m.path("scheduling.provisioningModel"),
                f"{'STANDARD' if m.get('scheduling', 'provisioningModel') else 'absent, which means STANDARD'}; reservations "
                f"of {m.machine_type} are dense blocks, whose machines are RESERVATION_BOUND",
                "write provisioningModel: RESERVATION_BOUND",
                resource=m.name,
                severity=Severity.WARNING,
            )
        if m.model != "RESERVATION_BOUND":
            continue
        values = m.get("reservationAffinity", "specificReservation", "values")
        if m.affinity is None or late(values):
            yield Undecided(CODE.code, m.name, "the reservation is not known yet")
        elif m.affinity != "SPECIFIC_RESERVATION" or not items(values):
            said = m.affinity if m.get("reservationAffinity") is not None else "absent"
            yield CODE.at(
                m.path("reservationAffinity"), f"{said}; a RESERVATION_BOUND machine names one", resource=m.name
            )


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{scheduling: {{provisioningModel: RESERVATION_BOUND}}, reservationAffinity: {0}}}
"""
_STANDARD = _T.replace("RESERVATION_BOUND", "STANDARD").replace("{{sched", "{{machineType: {1}, sched")
_NAMED = (
    "{type: SPECIFIC_RESERVATION, specificReservation: {key: compute.googleapis.com/reservation-name, values: [res-h]}}"
)


RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format(_NAMED), _STANDARD.format(_NAMED, "a3-megagpu-8g")),
        (
            _T.format("null"),
            _T.format("{type: SPECIFIC_RESERVATION}"),
            _STANDARD.format(_NAMED, "a4-highgpu-8g"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
