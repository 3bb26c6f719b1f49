"""New file systems on Google Cloud in a network that is there already.

What: New Lustre or NFS storage on Google Cloud, and the network exists.
Why: Both stand in Google's own networks, and are reached through a private services connection of the nodes' network. An existing network must bring it: without one the file system is refused at `up`. Lustre's servers open connections to the nodes too, and a firewall rule must let them in.
Fix: Make the connection in that network (gcloud services vpc-peerings connect); for Lustre let its range in on TCP 988 and 6988.
References: Google Cloud docs, Private services access; Google Cloud docs, Managed Lustre, configure a VPC network
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider, StorageKind
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2310", "file-system-without-services", Severity.INFO, __doc__, ("GCP-STO-02",))
_LUSTRE = "; let that connection's range in on TCP 988 and 6988"


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each new file system. A bucket stands in no network."""
    if ctx.plan.network.is_new:
        return
    for storage in ctx.plan.storage:
        if storage.existing or storage.kind is StorageKind.BUCKET:
            continue
        yield CODE.at(
            storage.path,
            f"new {storage.kind} '{storage.name}' wants a private services connection of the existing network "
            f"{ctx.plan.network.existing_network}, and none is made in it",
            "see that it is there: gcloud services vpc-peerings list --network="
            f"{ctx.plan.network.existing_network.rsplit('/', 1)[-1]}"
            + (_LUSTRE if storage.kind is StorageKind.LUSTRE else ""),
        )


_T = """\
location: {{provider: gcp, project: acme-lab, region: us-central1}}
node_pools: [{{instance_type: g2-standard-4}}]
network: {0}
storage: {1}
"""
_THERE = "{existing: {network: prod, subnet: gpu}}"

RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (
            _T.format("{}", "[{size_gib: 18000, throughput_mbps_per_tib: 500}]"),
            _T.format(_THERE, "[]"),
        ),
        (_T.format(_THERE, "[{size_gib: 18000, throughput_mbps_per_tib: 500}]"),),
    ),
    providers=(Provider.GCP,),
)
