"""A machine with Local SSD that is to be stopped.

What: `instanceTerminationAction` is STOP (or `desiredStatus` TERMINATED) on a machine with Local SSD, bundled or asked for, and nothing says that the SSD may be discarded.
Why: A stop loses what is on a Local SSD, so Google refuses one that does not allow for it: the run time ends, and the machine goes on.
Fix: Set instanceTerminationAction: DELETE; or onInstanceStopAction: {discardLocalSsd: true}, which loses the contents of the SSD.
References: hashicorp/terraform-provider-google#18112; hashicorp/terraform-provider-google#26173; hashicorp/terraform-provider-google#13519
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...gcp_endings import stops_at_end, stops_with_ssd
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3128", "stop-with-local-ssd", Severity.ERROR, __doc__, ("GCP-SCH-11",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine. Flex-start machines must be deleted anyway, which another rule says."""
    for m in ctx.gcp.vms:
        discards = truth(m.get("scheduling", "onInstanceStopAction", "discardLocalSsd"))
        if late(m.get("scheduling", "instanceTerminationAction")) and m.has_local_ssd and not discards:
            yield Undecided(CODE.code, m.name, "whether the machine stops at its end is not known yet")
        if not stops_with_ssd(m) or m.purchase is CapacityType.FLEX_START:
            continue
        discard = m.get("scheduling", "onInstanceStopAction", "discardLocalSsd")
        if late(discard) or m.has_local_ssd is None:
            yield Undecided(CODE.code, m.name, "whether the machine has a Local SSD to discard is not known yet")
        elif not truth(discard) and m.has_local_ssd:
            key = "scheduling.instanceTerminationAction" if stops_at_end(m) else "desiredStatus"
            bundled = m.layout is not None and m.layout.local_ssd_bundled
            what = f"the bundled Local SSD of {m.machine_type}" if bundled else "Local SSD"
            yield CODE.at(
                m.path(key),
                f"a stop is refused with {what}; the contents are lost when it is discarded",
                resource=m.name,
            )


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs:
    machineType: {0}
    scheduling: {{instanceTerminationAction: {1}, maxRunDuration: {{seconds: 86400}}, onInstanceStopAction: {2}}}
"""


RULE = ResourceRule(
    CODE,
    ("time", "storage"),
    check,
    Examples(
        (
            _T.format("g2-standard-8", "STOP", "null"),
            _T.format("a2-ultragpu-1g", "DELETE", "null"),
            _T.format("a2-ultragpu-1g", "STOP", "{discardLocalSsd: true}"),
        ),
        (_T.format("a2-ultragpu-1g", "STOP", "null"),),
        (_T.format("a2-ultragpu-1g", "STOP", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
