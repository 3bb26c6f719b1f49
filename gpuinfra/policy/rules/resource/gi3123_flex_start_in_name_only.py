"""Flex-start capacity that would be something else.

What: A template of model FLEX_START, or one whose group has a resize request, lacks a part of flex-start: the model, a run time, termination by DELETE, no restart, or NO_RESERVATION.
Why: The resize request has no field for the queue: without FLEX_START in the template it runs as ordinary capacity at the ordinary price. The other parts are refused when the request is made.
Fix: Write scheduling: {provisioningModel: FLEX_START, automaticRestart: false, instanceTerminationAction: DELETE, onHostMaintenance: TERMINATE, maxRunDuration: {seconds: …}} and reservationAffinity: {type: NO_RESERVATION}.
References: skypilot-org/skypilot#9726; Google Cloud docs, Flex-start VMs
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_machines import Machines
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3123", "flex-start-in-name-only", Severity.ERROR, __doc__, ("GCP-SCH-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template, with all that is missing. A reservation that is named is another rule's."""
    for m in ctx.gcp.vms:
        if m.model != "FLEX_START" and not m.requests:
            continue
        values = {
            k: m.get("scheduling", k) for k in ("automaticRestart", "instanceTerminationAction", "maxRunDuration")
        }
        if m.model is None or m.affinity is None or any(map(late, values.values())):
            yield Undecided(CODE.code, m.name, "the scheduling is not known yet")
            continue
        faults = list(_faults(m, values))
        if faults:
            why = f" (resize request '{m.requests[0].name}' starts from it)" if m.requests else ""
            yield CODE.at(m.path("scheduling"), f"no flex-start{why}: {'; '.join(faults)}", resource=m.name)


def _faults(m: Machines, values: Mapping[str, Any]) -> Iterator[str]:
    if m.model != "FLEX_START":
        yield f"provisioningModel is {m.model}, and must be FLEX_START"
    if truth(values["automaticRestart"]) is not False:
        yield "automaticRestart must be false"
    if values["instanceTerminationAction"] != "DELETE":
        yield f"instanceTerminationAction is {values['instanceTerminationAction'] or 'absent'}, and must be DELETE"
    if values["maxRunDuration"] is None:
        yield "maxRunDuration is missing"
    if m.affinity not in ("NO_RESERVATION", "SPECIFIC_RESERVATION"):
        yield "reservationAffinity must be NO_RESERVATION"


_T = """\
- type: gcp.compute.InstanceTemplate
  name: nodes
  inputs:
    machineType: a3-megagpu-8g
    reservationAffinity: {{type: NO_RESERVATION}}
    scheduling:
      {{provisioningModel: {0}, automaticRestart: false, instanceTerminationAction: {1}, maxRunDuration: {{seconds: 43200}}}}
- {{type: gcp.compute.InstanceGroupManager, name: group, inputs: {{versions: [{{instanceTemplate: !ref nodes.id }}]}}}}
- {{type: gcp.compute.ResizeRequest, name: ask, inputs: {{instanceGroupManager: !ref group.name , resizeBy: 4}}}}
"""


RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("FLEX_START", "DELETE"),),
        (
            _T.format("null", "DELETE"),
            _T.format("FLEX_START", "STOP"),
        ),
        (_T.format("!unknown ", "DELETE"),),
    ),
    providers=(Provider.GCP,),
)
