"""A GPU node with an external address.

What: An interface of a GPU machine asks for an external address, or a GKE pool of GPU machines is not private.
Severity: error from the third interface on, where the machine is refused
Why: GPU nodes are found by scanners within minutes, each address costs money, and from the third interface on the machine is refused.
Fix: Leave accessConfigs out, and let nodes reach the internet through Cloud NAT and people reach nodes through IAP. On GKE set enablePrivateNodes.
References: GoogleCloudPlatform/ai-infra-cluster-provisioning#76; Google Cloud docs, Identity-Aware Proxy for TCP
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import is_roce
from ...gcp_interfaces import RDMA_KINDS, outer_address
from ...gcp_machines import Machines
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain, truth

CODE = described("GI3112", "gpu-node-with-outer-address", Severity.WARNING, __doc__, ("GCP-NET-12",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine; a first interface of our own component is judged by the plan rules."""
    for m in ctx.gcp.machines:
        if not m.has_gpus:
            continue
        if m.is_pool:
            yield from _pool(ctx, m)
            continue
        attachments = [a for a in ctx.gcp.attachments(m) or () if a.network is None or not is_roce(a.network)]
        if any(late(plain(a.raw.get("accessConfigs"))) for a in attachments):
            yield Undecided(CODE.code, m.name, "the addresses of an interface are not known yet")
        open_ones = [a for a in attachments if a.kind not in RDMA_KINDS and outer_address(a.raw)]
        far = [a for a in open_ones if a.index > 1]
        if far:
            yield CODE.at(
                m.path(f"networkInterfaces[{far[0].index}].accessConfigs"),
                f"interface {far[0].index} asks for an external address; only the first two may have one",
                resource=m.name,
                severity=Severity.ERROR,
            )
        elif open_ones and not ctx.gcp.ours(m.source):
            yield CODE.at(
                m.path(f"networkInterfaces[{open_ones[0].index}].accessConfigs"),
                "the GPU node asks for an external address",
                resource=m.name,
            )


def _pool(ctx: GraphContext, m: Machines) -> Iterator[Diagnostic | Undecided]:
    cluster = ctx.gcp.cluster_of(m.source)
    own = m.source.get("networkConfig", "enablePrivateNodes")
    said = own if own is not None or cluster is None else cluster.get("privateClusterConfig", "enablePrivateNodes")
    if late(said):
        yield Undecided(CODE.code, m.name, "whether the nodes are private is not known yet")
    elif cluster is not None and not truth(said):
        # The pool that comes with a cluster is as private as the cluster.
        key = "privateClusterConfig" if m.name == cluster.name else "networkConfig"
        yield CODE.at(f"{m.name}.{key}.enablePrivateNodes", "GPU nodes of GKE with external addresses", resource=m.name)


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: g2-standard-8, networkInterfaces: [{{network: default, accessConfigs: {0}}}]}}
"""
_THIRD = """\
- type: gcp.compute.Instance
  name: box
  inputs: {machineType: g2-standard-8, networkInterfaces: [{network: a}, {network: b}, {network: c, accessConfigs: [{}]}]}
"""


RULE = ResourceRule(
    CODE,
    ("network", "security"),
    check,
    Examples(
        (
            _T.format("[]"),
            _T.format("null"),
        ),
        (
            _T.format("[{}]"),
            _THIRD,
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
