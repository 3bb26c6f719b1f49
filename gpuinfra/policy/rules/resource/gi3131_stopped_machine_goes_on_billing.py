"""A machine that is stopped at its end, and keeps its disks.

What: `instanceTerminationAction` is STOP on a spot machine, or on one with a run time.
Severity: info where the machine is no spot machine
Why: A stopped machine keeps its disks and reserved addresses, and they go on billing until somebody deletes them.
Fix: Set instanceTerminationAction: DELETE, or keep STOP and delete the machine yourself.
References: related-sciences/gce-github-runner#67
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3131", "stopped-machine-goes-on-billing", Severity.WARNING, __doc__, ("GCP-SCH-14",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine whose stop is not refused anyway."""
    for m in ctx.gcp.vms:
        action = m.get("scheduling", "instanceTerminationAction")
        timed = any(m.get("scheduling", k) is not None for k in ("maxRunDuration", "terminationTime"))
        if late(action) or (action == "STOP" and m.purchase is None):
            yield Undecided(
                CODE.code, m.name, "what happens at the end, or how the machine is bought, is not known yet"
            )
        if action != "STOP" or m.purchase in (None, CapacityType.FLEX_START):
            continue
        discard = truth(m.get("scheduling", "onInstanceStopAction", "discardLocalSsd"))
        if m.has_local_ssd and not discard:
            continue
        if m.purchase is CapacityType.SPOT or timed:
            yield CODE.at(
                m.path("scheduling.instanceTerminationAction"),
                "STOP leaves the disks and reserved addresses, which go on billing",
                resource=m.name,
                severity=None if m.purchase is CapacityType.SPOT else Severity.INFO,
            )


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: g2-standard-8, scheduling: {{provisioningModel: {1}, instanceTerminationAction: {0}}}}}
"""


RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (
            _T.format("DELETE", "SPOT"),
            _T.format("STOP", "STANDARD"),
        ),
        (_T.format("STOP", "SPOT"),),
        (_T.format("!unknown ", "SPOT"),),
    ),
    providers=(Provider.GCP,),
)
