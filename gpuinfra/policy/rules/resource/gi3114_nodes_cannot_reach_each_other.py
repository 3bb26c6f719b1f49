"""A network between GPU nodes without a rule that lets them in.

What: Several nodes with more than one interface stand in a network of this program that has no firewall rule for traffic among them.
Why: A VPC network lets nothing in that no rule allows: collectives over that interface hang until their timeout.
Fix: Add a rule for each network: allow tcp, udp and icmp from the network's own range.
References: Google Cloud docs, VPC firewall rules, implied rules; GoogleCloudPlatform/cluster-toolkit:modules/network/multivpc
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_firewall import lets_everything, openings_unknown
from ...gcp_graph import is_roce, profile_unknown
from ...gcp_interfaces import RDMA_KINDS, cards_astray
from ...gcp_machines import Machines
from ...gcp_types import FIREWALL, NETWORK
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3114", "nodes-cannot-reach-each-other", Severity.WARNING, __doc__, ("GCP-NET-14",))
_POLICIES = (
    "gcp:compute/regionNetworkFirewallPolicyAssociation:RegionNetworkFirewallPolicyAssociation",
    "gcp:compute/networkFirewallPolicyAssociation:NetworkFirewallPolicyAssociation",
)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each network. A network with a firewall policy is not judged: the policy may let them in."""
    said: set[str] = set()
    for m in ctx.gcp.machines:
        several = ctx.gcp.several(m)
        if not m.has_gpus or several is False or len(ctx.gcp.attachments(m) or ()) < 2:
            continue
        if cards_astray(ctx.gcp, m):
            continue
        for network in _networks(ctx, m):
            if is_roce(network) or profile_unknown(network) or network.urn in said:
                continue
            said.add(network.urn)
            verdict = _let_in(ctx, network)
            if verdict is None:
                yield Undecided(
                    CODE.code, network.name, "the network of a firewall rule, or what it lets in, is not known yet"
                )
            elif not verdict and several is None:
                yield Undecided(CODE.code, network.name, "how many machines there are is not known yet")
            elif not verdict:
                yield CODE.at(
                    network.name,
                    f"no rule lets nodes '{m.name}' reach each other in this network",
                    resource=network.name,
                )


def _networks(ctx: GraphContext, m: Machines) -> list[Resource]:
    """The networks of the ordinary interfaces, where preview knows them one by one; else all that are not RDMA's."""
    attachments = ctx.gcp.attachments(m) or ()
    # GKE lets the nodes of a cluster reach each other in its own network.
    attachments = attachments[1:] if m.is_pool else attachments
    if any(a.late for a in attachments):
        # Some of them may be the RDMA cards': without a profile that is another rule's finding.
        return [] if any(a.kind in RDMA_KINDS for a in attachments) else list(ctx.gcp.homes(m) or ())
    return [a.network for a in attachments if a.network is not None and a.kind not in RDMA_KINDS]


def _let_in(ctx: GraphContext, network: Resource) -> bool | None:
    unknown = False
    for r in ctx.gcp.of_type(FIREWALL):
        links = ctx.gcp.linked(r, "network", NETWORK)
        unknown = unknown or links.unknown
        if network in links.resources and r.get("direction") != "EGRESS" and lets_everything(r):
            return True
        unknown = unknown or (network in links.resources and openings_unknown(r))
    if any(network in ctx.gcp.linked(p, "attachmentTarget", NETWORK).resources for p in ctx.gcp.of_type(*_POLICIES)):
        return True
    return None if unknown else False


_T = """\
- {{type: gcp.compute.Network, name: a, inputs: {{}}}}
- {{type: gcp.compute.Network, name: b, inputs: {{}}}}
- {{type: gcp.compute.Firewall, name: in-a, inputs: {{network: !ref a.id , sourceRanges: [10.0.0.0/24], allows: {0}}}}}
- type: gcp.compute.Firewall
  name: in-b
  inputs: {{network: {1}, sourceRanges: [10.0.1.0/24], allows: [{{protocol: tcp}}, {{protocol: udp}}]}}
- type: gcp.compute.InstanceTemplate
  name: nodes
  inputs: {{machineType: a3-highgpu-8g, networkInterfaces: [{{network: !ref a.id }}, {{network: !ref b.id }}]}}
- type: gcp.compute.InstanceGroupManager
  name: group
  inputs: {{targetSize: 2, versions: [{{instanceTemplate: !ref nodes.selfLink }}]}}
"""


RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format("[{protocol: all}]", "!ref b.id "),),
        (
            _T.format("[{protocol: icmp}]", "!ref b.id "),
            _T.format("[{protocol: tcp, ports: [22]}]", "!ref b.id "),
        ),
        (_T.format("[{protocol: all}]", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
