"""Address ranges that clash, are public, or are too small.

What: Subnets of one network, or those of one machine's interfaces, overlap each other, a range for pods, services or a control plane, or one that is kept for a file system or for private services; a subnet is no private range; or it has fewer addresses than nodes.
Why: Google refuses overlapping subnets in a network. Over several networks nothing refuses them, and the node sends packets out of the wrong interface.
Fix: Give each subnet a private range of its own (10/8, 172.16/12, 192.168/16), with room for the nodes and the four addresses that Google keeps.
References: NetAppDocs/occm#486; Google Cloud docs, Subnets
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network, ip_network
from itertools import combinations
from typing import Any

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_machines import Machines
from ...gcp_types import CLUSTER, FILESTORE, GLOBAL_ADDRESS, NETWORK, SUBNET
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, plain

CODE = described("GI3111", "subnets-overlap", Severity.ERROR, __doc__, ("GCP-NET-11",))
_PRIVATE = tuple(map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "240.0.0.0/4")))
"""Private and shared ranges that Google takes without routes of its own."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each subnet that overlaps earlier ones, which it names, and for each range that is wrong by itself."""
    gcp = ctx.gcp
    together: dict[frozenset[str], tuple[Resource, Resource, str]] = {}
    for network in gcp.of_type(NETWORK):
        for a, b in combinations(gcp.subnets_of(network), 2):
            together.setdefault(frozenset((a.urn, b.urn)), (a, b, f"of network '{network.name}'"))
    alone: set[str] = set()
    for m in gcp.machines:
        found = gcp.subnets_reached(m)
        for a, b in combinations(found, 2):
            together.setdefault(frozenset((a.urn, b.urn)), (a, b, f"of machines '{m.name}'"))
        for subnet in found:
            for verdict in _alone(ctx, m, subnet):
                # Pools of one cluster share its subnet.
                if isinstance(verdict, Undecided) or subnet.urn not in alone:
                    yield verdict
                alone |= set() if isinstance(verdict, Undecided) else {subnet.urn}
    clashes: dict[str, tuple[Resource, dict[str, list[str]]]] = {}
    unknown: set[str] = set()
    ranges = {r.urn: _range(r) for r in gcp.of_type(SUBNET)}
    for a, b, why in together.values():
        first, second = ranges.get(a.urn), ranges.get(b.urn)
        for r in (a, b):
            if late(r.get("ipCidrRange")) and r.urn not in unknown:
                unknown.add(r.urn)
                yield Undecided(CODE.code, r.name, "the range is not known yet")
        if first is not None and second is not None and first.overlaps(second):
            of_both = clashes.setdefault(b.urn, (b, {}))[1]
            of_both.setdefault(why, []).append(f"{first} of '{a.name}'")
    for b, found in clashes.values():
        parts = (
            f"{' and '.join(others)}, {'both' if len(others) == 1 else 'all'} {why}" for why, others in found.items()
        )
        said = f"{ranges[b.urn]} overlaps {'; and '.join(parts)}"
        yield CODE.at(f"{b.name}.ipCidrRange", said, resource=b.name)
    yield from _kept(ctx)
    for network in gcp.of_type(NETWORK):
        yield from _secondary(ctx, network)


def _private_services(ctx: GraphContext, kept: Resource) -> Iterator[Diagnostic | Undecided]:
    given = [kept.get(key) for key in ("purpose", "address", "prefixLength")]
    purpose, address, length = given
    # Without an address Google takes a range that is free.
    if address is None or (purpose != "VPC_PEERING" and not late(purpose)):
        return
    subnets = [s for net in ctx.gcp.linked(kept, "network", NETWORK).resources for s in ctx.gcp.subnets_of(net)]
    if subnets and any(map(late, (*given, *(s.get("ipCidrRange") for s in subnets)))):
        yield Undecided(CODE.code, kept.name, "which addresses private services keep is not known yet")
        return
    own = _parsed(f"{address}/{length}")
    clash = next((s for s in subnets if own and (found := _range(s)) is not None and own.overlaps(found)), None)
    if clash is not None:
        said = f"{own}, which private services keep, overlaps {_range(clash)} of subnet '{clash.name}'"
        yield CODE.at(f"{kept.name}.address", said, resource=kept.name)


def _secondary(ctx: GraphContext, network: Resource) -> Iterator[Diagnostic | Undecided]:
    """The further ranges of a network's subnets, for pods and services, and those of control planes: Google refuses one
    that overlaps another of the network."""
    subnets = ctx.gcp.subnets_of(network)
    taken = [(found, f"the range of subnet '{s.name}'") for s in subnets if (found := _range(s)) is not None]
    more: list[tuple[Resource, str, IPv4Network, str]] = []
    for s in subnets:
        listed = entries(s.get("secondaryIpRanges"))
        if listed and any(late(plain(v)) for v in (s.get("ipCidrRange"), *(e.get("ipCidrRange") for e in listed))):
            yield Undecided(CODE.code, s.name, "a range is not known yet")
        for n, one in enumerate(listed):
            if (found := _parsed(plain(one.get("ipCidrRange")))) is not None:
                named = f"range '{plain(one.get('rangeName'))}' of subnet '{s.name}'"
                more.append((s, f"secondaryIpRanges[{n}].ipCidrRange", found, named))
    for cluster in ctx.gcp.of_type(CLUSTER):
        block = cluster.get("privateClusterConfig", "masterIpv4CidrBlock")
        if late(block):
            yield Undecided(CODE.code, cluster.name, "the control plane's range is not known yet")
        found = _parsed(block)
        if found is not None and network in ctx.gcp.linked(cluster, "network", NETWORK).resources:
            path = "privateClusterConfig.masterIpv4CidrBlock"
            more.append((cluster, path, found, f"the control plane of cluster '{cluster.name}'"))
    for owner, path, found, named in more:
        clash = next((f"{other}, {what}" for other, what in taken if other.overlaps(found)), "")
        if clash:
            yield CODE.at(f"{owner.name}.{path}", f"{found} overlaps {clash}", resource=owner.name)
        taken.append((found, named))


def _alone(ctx: GraphContext, m: Machines, subnet: Resource) -> Iterator[Diagnostic | Undecided]:
    if late(subnet.get("ipCidrRange")):
        yield Undecided(CODE.code, subnet.name, "the range is not known yet")
    found = _range(subnet)
    if found is None:
        return
    if not any(found.subnet_of(p) for p in _PRIVATE if isinstance(p, IPv4Network)):
        yield CODE.at(f"{subnet.name}.ipCidrRange", f"{found} is public address space", resource=subnet.name)
    kept = catalog.limit(Provider.GCP, "subnet_reserved_addresses")
    room = found.num_addresses - (kept.maximum if kept is not None else 0)
    most = ctx.gcp.most_machines(m)
    if room >= most and ctx.gcp.several(m) is None:
        yield Undecided(CODE.code, m.name, "how many machines need an address is not known yet")
    if room < most:
        yield CODE.at(
            f"{subnet.name}.ipCidrRange",
            f"{found} has {room} addresses for up to {most:g} nodes of '{m.name}'",
            resource=subnet.name,
        )


def _kept(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """Ranges of file systems and of private services that were named and lie in a subnet."""
    for r in ctx.gcp.of_type(GLOBAL_ADDRESS):
        yield from _private_services(ctx, r)
    for fs in ctx.gcp.of_type(FILESTORE):
        for n, one in enumerate(entries(fs.get("networks"))):
            kept = _parsed(plain(one.get("reservedIpRange")))
            for subnet in ctx.gcp.of_type(SUBNET):
                found = _range(subnet)
                if kept is not None and found is not None and kept.overlaps(found):
                    yield CODE.at(
                        f"{fs.name}.networks[{n}].reservedIpRange",
                        f"{kept} overlaps {found} of subnet '{subnet.name}'",
                        resource=fs.name,
                    )


def _range(subnet: Resource) -> IPv4Network | None:
    return _parsed(subnet.get("ipCidrRange"))


def _parsed(value: Any) -> IPv4Network | None:
    if not isinstance(value, str) or "/" not in value:
        return None
    try:
        found = ip_network(value, strict=False)
    except ValueError:
        return None
    return found if isinstance(found, IPv4Network) else None


_T = """\
- {{type: gcp.compute.Network, name: net, inputs: {{}}}}
- {{type: gcp.compute.Subnetwork, name: a, inputs: {{network: !ref net.id , ipCidrRange: 10.0.0.0/24}}}}
- {{type: gcp.compute.Subnetwork, name: b, inputs: {{network: !ref net.id , ipCidrRange: {0}}}}}
- type: gcp.compute.InstanceTemplate
  name: nodes
  inputs: {{machineType: g2-standard-4, networkInterfaces: [{{subnetwork: !ref b.id }}]}}
- type: gcp.compute.InstanceGroupManager
  name: group
  inputs: {{targetSize: 20, versions: [{{instanceTemplate: !ref nodes.selfLink }}]}}
"""
_PODS = """\
- {{type: gcp.compute.Network, name: net, inputs: {{}}}}
- type: gcp.compute.Subnetwork
  name: a
  inputs: {{network: !ref net.id , ipCidrRange: 10.0.0.0/20, secondaryIpRanges: [{{rangeName: pods, ipCidrRange: {0}}}]}}
- type: gcp.container.Cluster
  name: plane
  inputs: {{network: !ref net.id , privateClusterConfig: {{masterIpv4CidrBlock: {1}}}}}
"""

_SERVICES = """\
- {{type: gcp.compute.Network, name: net, inputs: {{}}}}
- {{type: gcp.compute.Subnetwork, name: a, inputs: {{network: !ref net.id , ipCidrRange: 10.0.0.0/20}}}}
- type: gcp.compute.GlobalAddress
  name: kept
  inputs: {{purpose: VPC_PEERING, address: {0}, prefixLength: 20, network: !ref net.id }}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (
            _T.format("10.0.1.0/24"),
            _PODS.format("10.4.0.0/14", "172.16.0.0/28"),
            _SERVICES.format("10.200.0.0"),
            _SERVICES.format("null"),
        ),
        (
            _T.format("10.0.0.128/25"),
            _T.format("192.169.0.0/24"),
            _T.format("10.0.1.0/28"),
            _PODS.format("10.0.0.0/14", "172.16.0.0/28"),
            _PODS.format("10.4.0.0/14", "10.5.0.0/28"),
            _SERVICES.format("10.0.0.0"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
