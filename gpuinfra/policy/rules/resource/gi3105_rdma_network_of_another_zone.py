"""An RDMA network of another zone than its machines.

What: The profile of an RDMA network names another zone than the machines that attach to it, or its subnets stand in another region.
Why: An RDMA network serves one zone, the one in its profile's name: machines of another zone cannot attach.
Fix: Name the machines' zone in networkProfile, and its region in the subnets.
References: Google Cloud docs, RDMA network profiles; dstackai/dstack#3142
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import is_roce, profile, profile_unknown
from ...gcp_machines import Machines
from ...gcp_types import NETWORK, last_part, region_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3105", "rdma-network-of-another-zone", Severity.ERROR, __doc__, ("GCP-NET-05",))
_SHOWN = 3


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each network whose machines stand elsewhere, and one for each subnet."""
    for network in ctx.gcp.of_type(NETWORK):
        found = profile(network)
        if profile_unknown(network) and any(ctx.gcp.reaches(m, network) for m in ctx.gcp.machines):
            yield Undecided(CODE.code, network.name, "its profile is not known yet")
        if found is None or not is_roce(network):
            continue
        zone = found[0]
        for subnet in ctx.gcp.subnets_of(network):
            region = plain(subnet.get("region"))
            if late(region):
                yield Undecided(CODE.code, subnet.name, "its region is not known yet")
            elif isinstance(region, str) and last_part(region) != region_of(zone):
                yield CODE.at(
                    f"{subnet.name}.region",
                    f"the subnet stands in {last_part(region)}, and its network '{network.name}' is one of {zone}",
                    resource=subnet.name,
                )
        yield from _machines(ctx, [m for m in ctx.gcp.machines if ctx.gcp.reaches(m, network)], network, zone)


def _machines(
    ctx: GraphContext, machines: list[Machines], network: Resource, zone: str
) -> Iterator[Diagnostic | Undecided]:
    away: dict[str, list[str]] = {}
    for m in machines:
        stands, unknown = ctx.gcp.zones(m)
        if unknown:
            yield Undecided(CODE.code, m.name, "the zone of the machines is not known yet")
        for other in (z for z in stands if z != zone):
            away.setdefault(other, []).append(m.name)
    if away:
        names = list(dict.fromkeys(name for found in away.values() for name in found))
        told = ", ".join(f"'{name}'" for name in names[:_SHOWN]) + (" and others" if len(names) > _SHOWN else "")
        first = next(iter(away))
        yield CODE.at(
            f"{network.name}.networkProfile",
            f"the network is one of {zone}, and machines {told} stand in {', '.join(away)}",
            f"write networkProfile: projects/<project>/global/networkProfiles/{first}-{(profile(network) or ('', ''))[1]}",
            resource=network.name,
        )


_T = """\
- type: gcp.compute.Network
  name: rdma
  inputs: {{networkProfile: projects/acme-lab/global/networkProfiles/us-central1-b-vpc-roce}}
- {{type: gcp.compute.Subnetwork, name: r0, inputs: {{network: !ref rdma.id , region: {1}}}}}
- type: gcp.compute.Instance
  name: box
  inputs: {{zone: {0}, machineType: a4-highgpu-8g, networkInterfaces: [{{subnetwork: !ref r0.id , nicType: MRDMA}}]}}
"""


RULE = ResourceRule(
    CODE,
    ("network", "fabric", "zone"),
    check,
    Examples(
        (_T.format("us-central1-b", "us-central1"),),
        (
            _T.format("us-central1-c", "us-central1"),
            _T.format("us-central1-b", "us-east1"),
        ),
        (_T.format("!unknown ", "us-central1"),),
    ),
    providers=(Provider.GCP,),
)
