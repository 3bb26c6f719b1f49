"""Nodes with addresses on the internet.

What: Nodes get public addresses: any node of an Azure cluster, or a GPU node of Google.
Why: GPU nodes are found by scanners within minutes. Azure's policy refuses a public address on a node, and on Google it stands on a network card that carries the job's data.
Fix: Write public_nodes: false; the nodes reach out through NAT, and you reach them through Bastion (Azure) or IAP (Google).
References: Azure security baseline, network security; GoogleCloudPlatform/ai-infra-cluster-provisioning#76
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2254", "public-gpu-nodes", Severity.WARNING, __doc__, ("AZ SEC-04", "GCP-NET-12"))
_GPU_NODES_ONLY = {Provider.AZURE: False, Provider.GCP: True}


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the cluster, at the field that makes them public."""
    only = _GPU_NODES_ONLY[ctx.plan.provider]
    public = [p for p in ctx.plan.pools if p.public_ip and (p.gpus_per_node or not only)]
    if not public:
        return
    path = "network.public_nodes" if ctx.plan.spec.network.public_nodes else f"{public[0].path}.public_ip"
    names = " and ".join(f"'{p.name}'" for p in public[:3])
    yield CODE.at(path, f"nodes of pool {names} get public addresses")


_T = """\
location: {{provider: {0}}}
network: {{public_nodes: {1}}}
node_pools: [{{instance_type: {2}}}]
storage: []
"""
_GCP, _AZURE = "gcp, project: acme-lab, region: us-central1", "azure, region: eastus"

RULE = PlanRule(
    CODE,
    ("security", "network"),
    check,
    Examples(
        (_T.format(_GCP, "false", "g2-standard-4"), _T.format(_GCP, "true", "n2-standard-4")),
        (_T.format(_GCP, "true", "g2-standard-4"), _T.format(_AZURE, "true", "Standard_NC24ads_A100_v4")),
    ),
    providers=(Provider.AZURE, Provider.GCP),
)
