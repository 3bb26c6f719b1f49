"""A Lustre file system without a zone.

What: New Lustre storage on Azure, and neither the storage nor the location names a zone.
Why: Where the region has zones the file system must stand in exactly one, and the nodes in the same.
Fix: Write location.zone, as "1".
References: Azure/cyclecloud-slurm-workspace#288; Azure Managed Lustre prerequisites
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider, StorageKind
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2264", "lustre-without-zone", Severity.WARNING, __doc__, ("AZ AML-04",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each storage. A warning, for some regions have no zones."""
    for storage in ctx.plan.storage:
        if storage.kind is StorageKind.LUSTRE and not storage.existing and not storage.zone:
            yield CODE.at("location.zone", f"lustre '{storage.name}' needs one zone where the region has zones")


_T = """\
location: {{provider: azure, region: eastus{0}}}
node_pools: [{{instance_type: Standard_ND96isr_H100_v5}}]
storage: [{{size_gib: 4096}}]
"""

RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format(', zone: "1"'), _T.format(', zone: "4"')), (_T.format(""),)),
    providers=(Provider.AZURE,),
)
