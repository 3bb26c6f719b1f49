"""More NFS storage than the network has subnets for.

What: More than one NFS storage is made.
Why: A virtual network of Azure has one subnet that is delegated to NetApp Files, and each new NFS storage wants one for itself.
Fix: Make one, and mount folders of it; or make the others apart and name them in `existing`.
References: Azure NetApp Files, Resource limits
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import limit
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider, StorageKind
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2309", "one-nfs-subnet", Severity.ERROR, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each storage beyond the limit."""
    most = limit(ctx.plan.provider, "netapp_delegated_subnets")
    if most is None:
        return
    new = [s for s in ctx.plan.storage if s.kind is StorageKind.NFS and not s.existing]
    for storage in new[most.maximum :]:
        yield CODE.at(
            storage.path,
            f"'{storage.name}' wants a subnet delegated to NetApp Files, and '{new[0].name}' has the network's only one",
            f"use folders of '{new[0].name}', or make it apart and name it in existing",
        )


_AZURE = """\
location: {{provider: azure, region: eastus, zone: "1"}}
node_pools: [{{instance_type: Standard_ND96isr_H100_v5}}]
storage:
  - {{name: home, kind: nfs, size_gib: 1024, mount: /home2, throughput_mbps_per_tib: null}}
  - {{name: more, kind: {0}, mount: /more{1}}}
"""
_VOLUME = "/subscriptions/s/resourceGroups/r/providers/Microsoft.NetApp/netAppAccounts/a/capacityPools/p/volumes/v"

RULE = PlanRule(
    CODE,
    ("storage", "network"),
    check,
    Examples(
        (_AZURE.format("bucket", ""), _AZURE.format("nfs", f", existing: {_VOLUME}")),
        (_AZURE.format("nfs", ", size_gib: 1024"),),
    ),
    providers=(Provider.AZURE,),
)
