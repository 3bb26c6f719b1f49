"""GPU machines from which nothing leads out.

What: A machine without an outer address stands in a network of this program that has no Cloud NAT.
Why: Drivers, packages and containers cannot be fetched: the startup script hangs, and the machine bills. Private Google Access reaches Google's own services only.
Fix: Add a router with a NAT in the machine's region, or fetch everything from Artifact Registry and Cloud Storage and waive this.
References: Google Cloud docs, Cloud NAT overview; Google Cloud docs, Private Google Access
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import Attachment, GcpGraph
from ...gcp_types import NETWORK, ROUTER, ROUTER_NAT, SUBNET
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import differ, entries, given, items, late, plain

CODE = described("GI3295", "machines-with-no-way-out", Severity.WARNING, __doc__)
_ROUTE = "gcp:compute/route:Route"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each description of machines. A network from elsewhere may have a way out that is not seen."""
    gcp = ctx.gcp
    for m in gcp.vms:
        if not m.has_gpus or m.sketched or gcp.ours(m.source):
            continue
        attached = gcp.attachments(m)
        if not attached:
            continue
        outer = [plain(a.raw.get(k)) for a in attached for k in ("accessConfigs", "ipv6AccessConfigs")]
        if any(a.network is None for a in attached):
            # Preview knows the networks of several interfaces, and not always which of them stands where.
            homes = gcp.homes(m) or ()
            if homes and not any(items(o) for o in outer) and not any(_leads_out(gcp, h, None) for h in homes):
                yield Undecided(CODE.code, m.name, "the networks of its interfaces are not known yet")
            continue
        if any(late(o) for o in outer):
            yield Undecided(CODE.code, m.name, "whether the machine has an outer address is not known yet")
        elif not any(items(o) for o in outer) and not any(
            _leads_out(gcp, a.network, a.subnet) for a in attached if a.network
        ):
            yield CODE.at(
                f"{m.name}.networkInterfaces",
                f"no outer address, and {_missing(attached[0])}",
                "add a router and a NAT that takes the machines' subnet, both in its region",
                resource=m.name,
            )


def _missing(attached: Attachment) -> str:
    network = attached.network.name if attached.network is not None else ""
    subnet = f" takes subnet '{attached.subnet.name}'" if attached.subnet is not None else ""
    return f"no NAT of network '{network}'{subnet or ' is there'}"


def _serves(gcp: GcpGraph, nat: Resource, router: Resource, subnet: Resource | None) -> bool:
    """Whether a NAT takes a subnet: all of its network in its region, or those that it lists."""
    if subnet is not None and differ(given(nat.get("region"), router.get("region")), subnet.get("region")):
        return False
    if subnet is None or nat.get("sourceSubnetworkIpRangesToNat") != "LIST_OF_SUBNETWORKS":
        return True
    listed = [plain(block.get("name")) for block in entries(nat.get("subnetworks"))]
    links = gcp.link(nat, "subnetworks", listed or nat.get("subnetworks"), SUBNET)
    return links.unknown or bool(links.foreign) or subnet in links.resources


def _leads_out(gcp: GcpGraph, network: Resource, subnet: Resource | None) -> bool:
    """Whether a NAT or a route of this program may lead out of a network."""
    for nat in gcp.of_type(ROUTER_NAT):
        routers = gcp.linked(nat, "router", ROUTER)
        if not routers.resources or routers.unknown:
            return True
        for router in routers.resources:
            links = gcp.linked(router, "network", NETWORK)
            if (links.unknown or network in links.resources) and _serves(gcp, nat, router, subnet):
                return True
    for route in gcp.of_type(_ROUTE):
        links = gcp.linked(route, "network", NETWORK)
        gateway = plain(route.get("nextHopGateway"))
        own = isinstance(gateway, str) and gateway.endswith("default-internet-gateway")
        if not own and (links.unknown or network in links.resources):
            return True
    return False


_T = """\
- {{type: gcp.compute.Network, name: net, inputs: {{autoCreateSubnetworks: false}}}}
- {{type: gcp.compute.Subnetwork, name: sub, inputs: {{network: !ref net.id , region: us-central1, ipCidrRange: 10.0.0.0/24}}}}
- type: gcp.compute.Instance
  name: box
  inputs:
    machineType: g2-standard-8
    bootDisk: {{initializeParams: {{image: x}}}}
    networkInterfaces: [{{subnetwork: !ref sub.id , accessConfigs: {0}}}]
"""
_NAT = """\
- {type: gcp.compute.Router, name: router, inputs: {network: !ref net.id , region: us-central1}}
- {type: gcp.compute.RouterNat, name: nat, inputs: {router: !ref router.name }}
"""

_AWAY = _NAT.replace("us-central1", "europe-west4")
_TWO = """\
- {type: gcp.compute.Network, name: net, inputs: {autoCreateSubnetworks: false}}
- {type: gcp.compute.Network, name: other, inputs: {autoCreateSubnetworks: false}}
- type: gcp.compute.Instance
  name: twin
  inputs:
    machineType: g2-standard-8
    bootDisk: {initializeParams: {image: x}}
    networkInterfaces: [{network: !unknown }, {network: !unknown }]
  from: {networkInterfaces: [net, other]}
"""
_OTHER = """\
- {type: gcp.compute.Subnetwork, name: away, inputs: {network: !ref net.id , region: us-central1, ipCidrRange: 10.0.1.0/24}}
- {type: gcp.compute.Router, name: router, inputs: {network: !ref net.id , region: us-central1}}
- type: gcp.compute.RouterNat
  name: nat
  inputs: {router: !ref router.name , sourceSubnetworkIpRangesToNat: LIST_OF_SUBNETWORKS, subnetworks: [{name: !ref away.id }]}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format("[{}]"), _T.format("null") + _NAT, _TWO + _NAT),
        (_T.format("null"), _T.format("null") + _OTHER, _T.format("null") + _AWAY),
        (_T.format("!unknown "), _TWO),
    ),
    providers=(Provider.GCP,),
)
