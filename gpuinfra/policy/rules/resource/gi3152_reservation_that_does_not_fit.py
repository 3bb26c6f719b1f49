"""A reservation that does not fit the machines that aim at it.

What: The reservation that machines aim at has another machine type or zone, serves any machine and not only those that name it, or holds fewer machines than start.
Severity: warning where the reservation is only too small
Why: A reservation serves machines that equal it; the rest is refused, or runs beside it at a second price.
Fix: Make type and zone equal, and set specificReservationRequired: true.
References: GoogleCloudPlatform/cluster-toolkit#5074; GoogleCloudPlatform/cluster-toolkit#4372
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_machines import Machines
from ...gcp_types import last_part
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3152", "reservation-that-does-not-fit", Severity.ERROR, __doc__, ("GCP-RSV-01", "GCP-RSV-04"))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each difference, where the program makes the reservation."""
    for m in ctx.gcp.machines:
        held = ctx.gcp.reservation(m)
        if held is not None and m.affinity is None:
            yield Undecided(CODE.code, m.name, "whether the machines name the reservation is not known yet")
        if held is None or m.affinity != "SPECIFIC_RESERVATION":
            continue
        kind = held.get("specificReservation", "instanceProperties", "machineType")
        zone, required = held.get("zone"), held.get("specificReservationRequired")
        if any(map(late, (kind, zone, required))):
            yield Undecided(CODE.code, m.name, "the reservation is not known yet")
            continue
        if isinstance(kind, str) and m.machine_type and last_part(kind) != m.machine_type:
            yield CODE.at(
                m.path("machineType"),
                f"{m.machine_type} starts from a reservation of {last_part(kind)}",
                resource=m.name,
            )
        stands, open_ = ctx.gcp.zones(m)
        if open_ and not stands:
            yield Undecided(CODE.code, m.name, "the zone of the machines is not known yet")
        if isinstance(zone, str) and stands and last_part(zone) not in stands:
            yield CODE.at(
                f"{held.name}.zone",
                f"the reservation stands in {last_part(zone)}, and machines '{m.name}' in {', '.join(stands)}",
                resource=held.name,
            )
        if not truth(required):
            yield CODE.at(
                f"{held.name}.specificReservationRequired",
                f"not true, though machines '{m.name}' name the reservation",
                resource=held.name,
            )
        yield from _room(ctx, m, held)


def _room(ctx: GraphContext, m: Machines, held: Resource) -> Iterator[Diagnostic]:
    count, most = number(held.get("specificReservation", "count")), ctx.gcp.most_machines(m)
    if count is not None and most > count:
        yield CODE.at(
            f"{held.name}.specificReservation.count",
            f"{count:g} machines are reserved, and up to {most:g} of '{m.name}' start from it",
            resource=held.name,
            severity=Severity.WARNING,
        )


_T = """\
- type: gcp.compute.Reservation
  name: held
  inputs:
    zone: us-central1-b
    specificReservationRequired: {1}
    specificReservation: {{count: 2, instanceProperties: {{machineType: {0}}}}}
- type: gcp.compute.Instance
  name: box
  inputs:
    machineType: a3-megagpu-8g
    zone: {2}
    reservationAffinity: {{type: SPECIFIC_RESERVATION, specificReservation: {{values: [!ref held.name ]}}}}
"""


RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("a3-megagpu-8g", "true", "us-central1-b"),),
        (
            _T.format("a3-highgpu-8g", "true", "us-central1-b"),
            _T.format("a3-megagpu-8g", "null", "us-central1-b"),
            _T.format("a3-megagpu-8g", "true", "us-central1-c"),
        ),
        (_T.format("!unknown ", "true", "us-central1-b"),),
    ),
    providers=(Provider.GCP,),
)
