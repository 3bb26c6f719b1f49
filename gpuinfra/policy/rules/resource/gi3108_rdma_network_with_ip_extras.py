"""A firewall, a router or an outer address on an RDMA network.

What: A VPC firewall rule, a Cloud Router, a global firewall policy, or an external address of an interface belongs to an RDMA network.
Why: An RDMA network lets its members through by itself and refuses all of these; the call that makes them fails.
Fix: Leave it out. Where traffic must be limited, use a regional firewall policy of type RDMA_ROCE_POLICY.
References: GoogleCloudPlatform/cluster-toolkit#3987; Google Cloud docs, RDMA network profiles
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import is_roce, profile_unknown
from ...gcp_interfaces import RDMA_KINDS, outer_address
from ...gcp_types import FIREWALL, NETWORK, ROUTER
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3108", "rdma-network-with-ip-extras", Severity.ERROR, __doc__, ("GCP-NET-08",))
_GLOBAL_POLICY = "gcp:compute/networkFirewallPolicyAssociation:NetworkFirewallPolicyAssociation"
_EXTRAS = {
    FIREWALL: ("network", "a firewall rule"),
    ROUTER: ("network", "a router"),
    _GLOBAL_POLICY: ("attachmentTarget", "a global firewall policy"),
}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each resource, and for each interface."""
    networks = [n for n in ctx.gcp.of_type(NETWORK) if is_roce(n)]
    open_ = [n for n in ctx.gcp.of_type(NETWORK) if profile_unknown(n)]
    for r in ctx.gcp.of_type(*_EXTRAS) if networks or open_ else ():
        key, what = _EXTRAS[r.type]
        links = ctx.gcp.linked(r, key, NETWORK)
        if links.unknown:
            yield Undecided(CODE.code, r.name, "its network is not known yet")
        for network in links.resources:
            if network in open_:
                yield Undecided(CODE.code, r.name, "whether its network is one for RDMA is not known yet")
            if network in networks:
                yield CODE.at(
                    f"{r.name}.{key}", f"{what} on '{network.name}', an RDMA network, which takes none", resource=r.name
                )
    for m in ctx.gcp.vms:
        for a in ctx.gcp.attachments(m) or ():
            inner = a.kind in RDMA_KINDS or a.network in networks
            if inner and late(a.raw.get("accessConfigs")):
                yield Undecided(CODE.code, m.name, "whether an RDMA interface has an external address is not known yet")
            elif inner and outer_address(a.raw):
                yield CODE.at(
                    m.path(f"networkInterfaces[{a.index}].accessConfigs"),
                    "an RDMA interface takes no external address",
                    resource=m.name,
                )


_T = """\
- type: gcp.compute.Network
  name: rdma
  inputs: {{networkProfile: projects/acme-lab/global/networkProfiles/us-central1-b-vpc-roce}}
- {{type: gcp.compute.Network, name: plain, inputs: {{}}}}
- {{type: gcp.compute.Firewall, name: inner, inputs: {{network: {0}, allows: [{{protocol: tcp}}]}}}}
"""
_NIC = """\
- type: gcp.compute.Network
  name: rdma
  inputs: {networkProfile: projects/acme-lab/global/networkProfiles/us-central1-b-vpc-roce}
- type: gcp.compute.Instance
  name: box
  inputs: {networkInterfaces: [{network: !ref rdma.id , nicType: MRDMA, accessConfigs: [{}]}]}
"""


RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format("!ref plain.id "),),
        (
            _T.format("!ref rdma.id "),
            _NIC,
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
