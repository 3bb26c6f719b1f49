"""Machines and their subnet in two regions.

What: A machine, a group or a GKE cluster stands in another region than the subnet that it is given.
Why: A subnet serves one region: the machine or the cluster is refused, after the network has been made.
Fix: Make the subnet in the machines' region, or take one of the network's that stands there.
References: Google Cloud docs, subnets; Google Cloud docs, create a VM instance in a specific subnet
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import GcpGraph, is_roce
from ...gcp_machines import Machines
from ...gcp_types import CLUSTER, REGION_GROUP, SUBNET, TEMPLATES, is_zone, last_part, region_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3350", "subnet-of-another-region", Severity.ERROR, __doc__, ("GCP-NET-05",))
_IN_PATH = re.compile(r"regions/([a-z0-9-]+)/subnetworks/")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine and cluster. Subnets of RDMA networks are another rule's."""
    gcp = ctx.gcp
    for m in gcp.vms:
        stands, unknown = _regions(gcp, m)
        subnets = [
            (f"{m.name}.networkInterfaces[{a.index}].subnetwork", _region_of(a.subnet, a.raw.get("subnetwork")))
            for a in gcp.attachments(m) or ()
            if a.network is None or not is_roce(a.network)
        ]
        yield from _judged(m.name, "machines", stands, unknown, subnets)
    for cluster in gcp.of_type(CLUSTER):
        links = gcp.linked(cluster, "subnetwork", SUBNET)
        subnet = links.resources[0] if len(links.resources) == 1 else None
        stands = frozenset(r for r in [_region(cluster.get("location"))] if r)
        region = _region_of(subnet, cluster.get("subnetwork"))
        yield from _judged(
            cluster.name, "cluster", stands, late(cluster.get("location")), [(f"{cluster.name}.subnetwork", region)]
        )


def _judged(
    name: str, what: str, stands: frozenset[str], unknown: bool, subnets: list[tuple[str, Any]]
) -> Iterator[Diagnostic | Undecided]:
    known = [(path, last_part(r)) for path, r in subnets if isinstance(r, str) and r and not late(r)]
    away = [(path, region) for path, region in known if stands and region not in stands]
    if away:
        path, region = away[0]
        yield CODE.at(
            path,
            f"the subnet stands in {region}, and {what} '{name}' in {', '.join(sorted(stands))}",
            f"make a subnet in {min(stands)}",
            resource=name,
        )
    elif (unknown and known) or (stands and any(late(r) for _, r in subnets)):
        yield Undecided(CODE.code, name, "the region of the machines or of their subnet is not known yet")


def _regions(gcp: GcpGraph, m: Machines) -> tuple[frozenset[str], bool]:
    """The regions that machines may stand in, and whether some are not known yet."""
    zones, unknown = gcp.zones(m)
    found = {region_of(z) for z in zones}
    owners = [g for g in m.groups if g.type == REGION_GROUP]
    # A template's own region says where its subnets are looked for.
    owners += [m.source] if m.source.type in TEMPLATES and not m.groups else []
    values = [o.get("region") for o in owners]
    found |= {r for v in values if (r := _region(v))}
    return frozenset(found), unknown or any(map(late, values))


def _region(place: Any) -> str:
    """The region of a zone or region; empty where it is not known."""
    if not isinstance(place, str) or late(place):
        return ""
    name = last_part(place)
    return region_of(name) if is_zone(name) else name


def _region_of(subnet: Resource | None, written: Any) -> Any:
    """The region of a subnet, unknown where it is; None where nothing says it."""
    if subnet is not None:
        return subnet.get("region")
    written = plain(written)
    match = _IN_PATH.search(written) if isinstance(written, str) and not late(written) else None
    return match[1] if match else None


_T = """\
- {{type: gcp.compute.Network, name: net, inputs: {{autoCreateSubnetworks: false}}}}
- {{type: gcp.compute.Subnetwork, name: sub, inputs: {{network: !ref net.id , region: {0}, ipCidrRange: 10.0.0.0/24}}}}
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: g2-standard-8, zone: {1}, networkInterfaces: [{{subnetwork: !ref sub.id }}]}}
"""
_PATH = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: g2-standard-8, zone: us-central1-a, networkInterfaces: [{{subnetwork: projects/p/regions/{0}/subnetworks/s}}]}}
"""
_CLUSTER = """\
- {{type: gcp.compute.Subnetwork, name: sub, inputs: {{network: net, region: europe-west4, ipCidrRange: 10.0.0.0/24}}}}
- {{type: gcp.container.Cluster, name: plane, inputs: {{location: {0}, subnetwork: !ref sub.name }}}}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (
            _T.format("us-central1", "us-central1-a"),
            _T.format("us-central1", "null"),
            _PATH.format("us-central1"),
            _CLUSTER.format("europe-west4-b"),
        ),
        (
            _T.format("us-east4", "us-central1-a"),
            _PATH.format("us-east4"),
            _CLUSTER.format("us-central1"),
        ),
        (_T.format("!unknown ", "us-central1-a"), _T.format("us-east4", "!unknown "), _CLUSTER.format("!unknown ")),
    ),
    providers=(Provider.GCP,),
)
