"""The network: ranges that are disjoint, inside, and large enough; or an existing one by id."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network, NetmaskValueError

from .. import catalog
from ..diagnostics import Collector, Diagnostic
from ..spec.models import Network
from ..vocabulary import FabricKind, Provider, StorageKind
from . import findings as f
from .address_ranges import Limits, Want, cut, prefix_that_fits
from .fabric import BARE_METAL_RDMA
from .models import Decision, NetworkPlan, PoolPlan, StoragePlan, Subnet

DEFAULT_CIDR = "10.40.0.0/16"
BASTION_ROLE = "bastion"
# Azure Bastion, settings: AzureBastionSubnet is a /26 or larger.
_BASTION_ADDRESSES = 64
_BASTION = "Bastion wants a subnet of its own, a /26"
_PRIVATE = tuple(IPv4Network(n) for n in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"))
_CONTAINER_BRIDGE = IPv4Network("172.17.0.0/16")
_KEEPS_ADDRESS = frozenset({"interface", "efa", "gvnic", "idpf", "primary"})
# A file system's servers and a gateway take addresses of the nodes' subnet too.
_ADDRESSES_PER_STORAGE = 8


@dataclass(frozen=True)
class _Habits:
    """A cloud's networks."""

    widest: int
    narrowest: int
    """Prefix lengths that a network may have."""
    limits: Limits
    network_id: str
    subnet_id: str
    id_form: str
    public_subnet: bool = False
    """The address translation of private nodes stands in a subnet of its own."""
    subnet_is_zonal: bool = False
    """A subnet stands in one zone, so storage in another zone wants one there."""
    services_range: bool = False
    """File systems are peered and take a range of their own."""
    own_subnet: tuple[StorageKind, ...] = ()
    """Storage that wants a subnet of its own, in the nodes' network."""
    bucket_addresses: int = 0
    """Addresses of the nodes' subnet that a new bucket takes for the private way to it."""
    fabric_range: str = ""
    """A range that the fabric keeps for itself."""


_HABITS: dict[Provider, _Habits] = {
    Provider.AWS: _Habits(
        16,
        28,
        Limits(5, 28),
        r"vpc-[0-9a-z]{6,}",
        r"subnet-[0-9a-z]{6,}",
        "vpc-… and subnet-…",
        public_subnet=True,
        subnet_is_zonal=True,
    ),
    Provider.GCP: _Habits(
        8,
        29,
        Limits(4, 29),
        r"(https://[^ ]+/|projects/[^/]+/global/networks/)?[a-z]([-a-z0-9]*[a-z0-9])?",
        r"(https://[^ ]+/|projects/[^/]+/regions/[^/]+/subnetworks/)?[a-z]([-a-z0-9]*[a-z0-9])?",
        "a name, or projects/P/global/networks/N and projects/P/regions/R/subnetworks/S",
        services_range=True,
    ),
    Provider.AZURE: _Habits(
        8,
        29,
        Limits(5, 29),
        r"(?i)/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.Network/virtualNetworks/[^/]+",
        r"(?i)/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.Network/virtualNetworks/[^/]+/subnets/[^/]+",
        "ARM ids: /subscriptions/…/virtualNetworks/V and …/virtualNetworks/V/subnets/S",
        # Managed Lustre: its own subnet, not delegated; NetApp: its own, delegated to Microsoft.NetApp/volumes.
        own_subnet=(StorageKind.LUSTRE, StorageKind.NFS),
        # An endpoint for each of the two names of an account with folders (Azure Storage, Use private endpoints).
        bucket_addresses=2,
        # Microsoft, Set up InfiniBand on HPC VMs (2026-09).
        fabric_range="172.16.0.0/16",
    ),
}


def plan_network(
    provider: Provider,
    region: str,
    wish: Network,
    zone: str,
    pools: Sequence[PoolPlan],
    storage: Sequence[StoragePlan],
    out: Collector,
    *,
    bastion: bool = False,
) -> tuple[NetworkPlan, tuple[Decision, ...]]:
    """The network of a cluster and why it is so; findings where the range does not do. `bastion`: the location asks for
    one."""
    habits = _HABITS[provider]
    if wish.existing and wish.cidr is not None:
        out.add(f.NETWORK_TWICE.at("network.cidr", "network.cidr and network.existing are both given"))
    decisions: list[Decision] = []
    subnets: tuple[Subnet, ...] = ()
    cidr = ""
    wants = _wants(habits, zone, pools, storage)
    wants += [Want(BASTION_ROLE, _BASTION_ADDRESSES - habits.limits.reserved, "", _BASTION)] if bastion else []
    if wish.existing:
        _check_ids(provider, region, wish.existing.network, wish.existing.subnet, out)
        _check_own_subnets(habits, zone, storage, bastion, out)
        decisions.append(Decision("network", wish.existing.network, f"existing, with subnet {wish.existing.subnet}"))
        wants = [w for w in wants if w.own_network]
    net = _read_cidr(habits, wish.cidr or DEFAULT_CIDR, pools, wants, out) if wants else None
    if net:
        cidr = str(net)
        subnets = _subnets(habits, net, wants, out)
        if not wish.existing:
            reason = "named in the spec" if wish.cidr else "the default range"
            decisions.append(Decision("network.cidr", cidr, reason))
        decisions += [Decision(f"network.{s.role}", s.cidr, s.reason) for s in subnets]
    _check_packet_sizes(pools, out)
    kinds = {s.kind for s in storage}
    plan = NetworkPlan(
        "network",
        wish.existing.network if wish.existing else "",
        wish.existing.subnet if wish.existing else "",
        cidr,
        subnets,
        wish.ssh_from,
        wish.ssh_keys,
        needs_nat=not wish.existing and (any(not p.public_ip for p in pools) or _servers_reach_out(habits, storage)),
        fabric_rules=any(p.fabric.present for p in pools),
        lustre_rules=StorageKind.LUSTRE in kinds,
        nfs_rules=StorageKind.NFS in kinds,
    )
    return plan, tuple(decisions)


def id_finding(provider: Provider, path: str, value: str, *, subnet: bool = False) -> Diagnostic | None:
    """A finding where a text is not the id of a network, or of a subnet, in the cloud's form."""
    habits = _HABITS[provider]
    if re.fullmatch(habits.subnet_id if subnet else habits.network_id, value):
        return None
    return f.NETWORK_ID.at(path, f"'{value}' is not an id of this cloud", f"the form is {habits.id_form}")


def _check_ids(provider: Provider, region: str, network: str, subnet: str, out: Collector) -> None:
    found = (
        id_finding(provider, "network.existing.network", network),
        id_finding(provider, "network.existing.subnet", subnet, subnet=True),
    )
    out.add(*(d for d in found if d))
    good = not any(found)
    elsewhere = re.search(r"/regions/([^/]+)/", subnet)
    if elsewhere and elsewhere[1] != region:
        out.add(
            f.NETWORK_ID.at(
                "network.existing.subnet",
                f"the subnet stands in {elsewhere[1]}, and location.region is {region}",
                "name a subnet of the region",
            )
        )
    if good and "/subnets/" in subnet and not subnet.lower().startswith(f"{network.lower()}/subnets/"):
        out.add(
            f.NETWORK_ID.at(
                "network.existing.subnet",
                "the subnet belongs to another network than network.existing.network",
                "name a subnet of that network",
            )
        )


def _check_packet_sizes(pools: Sequence[PoolPlan], out: Collector) -> None:
    """Machines with networks of their own want each a packet size, and pools share the nodes' network."""
    sizes: dict[int, PoolPlan] = {}
    for pool in pools:
        if any(n.network != "host" for n in pool.fabric.nics):
            sizes.setdefault(catalog.nic_layout(pool.instance.name).mtu_host, pool)
    if len(sizes) > 1:
        wants = ", ".join(f"{p.instance.name} {size}" for size, p in sorted(sizes.items()))
        last = list(sizes.values())[-1]
        out.add(f.MIXED_MTU.at(f"{last.path}.instance_type", f"the pools share a network and want other MTUs: {wants}"))


def _check_own_subnets(
    habits: _Habits, zone: str, storage: Sequence[StoragePlan], bastion: bool, out: Collector
) -> None:
    """An existing network has one subnet for us: what wants another cannot be made in it."""
    if bastion:
        out.add(
            f.OWN_SUBNET.at(
                "location.bastion",
                "a Bastion wants a subnet of its own, and the existing network gives one for the nodes",
                "make the Bastion apart, or let the network be new",
            )
        )
    for store in storage:
        if store.existing or store.kind is StorageKind.BUCKET:
            continue
        if store.kind in habits.own_subnet:
            why = (
                f"new {store.kind} storage wants a subnet of its own, and the existing network gives one for the nodes"
            )
        elif habits.subnet_is_zonal and store.zone and zone and store.zone != zone:
            why = f"new storage in {store.zone} wants a subnet there, and the existing subnet stands in {zone}"
        else:
            continue
        out.add(
            f.OWN_SUBNET.at(
                store.path, why, "make the storage apart and name it in `existing`, or let the network be new"
            )
        )


_SERVICES_PREFIX = 20
"""Room for a dozen peered file systems: a reserved range cannot grow while one stands in it."""


def _wants(habits: _Habits, zone: str, pools: Sequence[PoolPlan], storage: Sequence[StoragePlan]) -> list[Want]:
    most = sum(p.count_max for p in pools)
    host = sum(
        p.count_max * sum(n.network == "host" and n.kind in _KEEPS_ADDRESS for n in p.fabric.nics) for p in pools
    )
    files = [s for s in storage if not s.existing and s.kind is not StorageKind.BUCKET]
    apart = [s for s in files if s.kind in habits.own_subnet]
    elsewhere = [s for s in files if habits.subnet_is_zonal and s.zone and zone and s.zone != zone]
    beside = [s for s in files if not habits.services_range and s not in apart and s not in elsewhere]
    text = f"room for at most {most} node{'s' if most != 1 else ''}"
    if beside:
        text += f" and {len(beside)} file system{'s' if len(beside) != 1 else ''}"
    buckets = sum(s.kind is StorageKind.BUCKET and not s.existing for s in storage) * habits.bucket_addresses
    text += f" and {buckets} endpoints of buckets" if buckets else ""
    wants = [Want("nodes", host + len(beside) * _ADDRESSES_PER_STORAGE + buckets, zone, text)]
    if habits.public_subnet and any(not p.public_ip for p in pools):
        wants.append(Want("public", 2, zone, "the address translation of private nodes stands here, in their zone"))
    for other in sorted({s.zone for s in elsewhere}):
        inside = [s.name for s in elsewhere if s.zone == other]
        wants.append(
            Want(f"storage-{other}", len(inside) * _ADDRESSES_PER_STORAGE, other, f"{', '.join(inside)} stands there")
        )
    if habits.services_range and files:
        addresses = sum(_services_addresses(s) for s in files) - habits.limits.reserved
        peered = f"peered with: {', '.join(s.name for s in files)}"
        wants.append(Want("services", addresses, "", peered, comfortable=_SERVICES_PREFIX))
    wants += [Want(f"storage-{s.name}", _apart_addresses(habits, s), zone, _APART[s.kind]) for s in apart]
    return wants + _fabric_wants(pools)


_APART = {
    StorageKind.LUSTRE: "Lustre wants a subnet of its own, not delegated",
    StorageKind.NFS: "NetApp wants a subnet of its own, delegated to it",
}
# Azure Managed Lustre, prerequisites: usable subnet size by capacity (TiB, prefix).
_LUSTRE_SUBNETS = ((16, 27), (40, 26), (92, 25), (196, 24), (400, 23))
_NETAPP_PREFIX = 28
_LARGEST_LUSTRE_PREFIX = 22


def lustre_prefix(tib: float) -> int:
    """Prefix length of the subnet that a Managed Lustre file system of so many TiB takes for itself."""
    return next((p for most, p in _LUSTRE_SUBNETS if tib <= most), _LARGEST_LUSTRE_PREFIX)


def _servers_reach_out(habits: _Habits, storage: Sequence[StoragePlan]) -> bool:
    """Servers of Lustre in a subnet of theirs are managed over the internet side of the cloud's own services (Azure
    Managed Lustre, prerequisites: subnet access and permissions)."""
    return StorageKind.LUSTRE in habits.own_subnet and any(
        s.kind is StorageKind.LUSTRE and not s.existing for s in storage
    )


def _apart_addresses(habits: _Habits, store: StoragePlan) -> int:
    """Addresses of the subnet that a file system wants for itself."""
    prefix = _NETAPP_PREFIX if store.kind is StorageKind.NFS else lustre_prefix((store.size_gib or 0) / 1024)
    return 2 ** (32 - prefix) - habits.limits.reserved


def _services_addresses(store: StoragePlan) -> int:
    """Addresses that one peered file system takes: its tier's range, else a /24."""
    prefix = store.tier.min_subnet_prefix.removeprefix("/") if store.tier else ""
    return 2 ** (32 - int(prefix)) if prefix.isdigit() else 256


def _fabric_wants(pools: Sequence[PoolPlan]) -> list[Want]:
    """A range for each further network of a machine with many interfaces; RDMA interfaces share one network and have a
    subnet each, but for bare metal, whose network makes its own (Google Cloud, GPU machine types: NICs)."""
    nodes: dict[str, int] = {}
    for pool in pools:
        rdma = 0
        for nic in pool.fabric.nics:
            role = nic.network
            if role in ("host", BARE_METAL_RDMA):
                continue
            if role == "rdma":
                role, rdma = f"rdma{rdma}", rdma + 1
            nodes[role] = nodes.get(role, 0) + pool.count_max
    return [Want(role, n, "", f"interface network {role}: {n} nodes", True) for role, n in nodes.items()]


def _read_cidr(
    habits: _Habits, text: str, pools: Sequence[PoolPlan], wants: Sequence[Want], out: Collector
) -> IPv4Network | None:
    try:
        if "/" not in text:
            raise AddressValueError("no prefix length")
        net = IPv4Network(text, strict=False)
    except (AddressValueError, NetmaskValueError, ValueError):
        out.add(f.CIDR_MALFORMED.at("network.cidr", f"'{text}' is not an IPv4 range", "write one as 10.40.0.0/16"))
        return None
    if not habits.widest <= net.prefixlen <= habits.narrowest:
        fits = min(habits.narrowest, prefix_that_fits(wants, habits.limits))
        prefix = min(max(net.prefixlen, habits.widest), fits)
        out.add(
            f.CIDR_SIZE.at(
                "network.cidr",
                f"'{text}' is a /{net.prefixlen}, and a network here is /{habits.widest} to /{habits.narrowest}",
                f"take {IPv4Network((int(IPv4Address(text.split('/')[0])), prefix), strict=False)}",
            )
        )
        return None
    if str(net) != text:
        out.add(
            f.CIDR_MALFORMED.at("network.cidr", f"'{text}' does not begin at its own boundary", f"did you mean {net}?")
        )
        return None
    if not any(net.subnet_of(p) for p in _PRIVATE):
        out.add(f.CIDR_MALFORMED.at("network.cidr", f"'{text}' is not private address space"))
        return None
    kept = habits.fabric_range
    if kept and any(p.fabric.kind is FabricKind.INFINIBAND for p in pools) and net.overlaps(IPv4Network(kept)):
        out.add(
            f.CIDR_RESERVED.at(
                "network.cidr", f"'{text}' overlaps {kept}, which InfiniBand keeps for itself", "take 10.40.0.0/16"
            )
        )
        return None
    if net.overlaps(_CONTAINER_BRIDGE):
        out.add(
            f.CIDR_OF_CONTAINERS.at(
                "network.cidr",
                f"'{text}' overlaps {_CONTAINER_BRIDGE}, the default range of Docker's bridge on every node: neighbours with "
                "an address in it are not reached",
            )
        )
    return net


def _subnets(habits: _Habits, net: IPv4Network, wants: Sequence[Want], out: Collector) -> tuple[Subnet, ...]:
    ranges = cut(net, wants, habits.limits)
    if ranges is not None:
        return tuple(Subnet(w.role, str(r), w.zone, w.reason) for w, r in ranges)
    need = prefix_that_fits(wants, habits.limits)
    parts = ", ".join(f"{w.role} {w.addresses}" for w in wants[:4]) + (
        f" and {len(wants) - 4} more" if wants[4:] else ""
    )
    base = IPv4Network(f"{net.network_address}/{max(need, habits.widest)}", strict=False)
    out.add(
        f.CIDR_TOO_SMALL.at(
            "network.cidr",
            f"'{net}' has {net.num_addresses} addresses in all, and the subnets need more (addresses in use: {parts}; the "
            f"cloud keeps {habits.limits.reserved} of each)",
            f"take a /{need} or larger, as {base}" if need >= habits.widest else "have fewer nodes, or more clusters",
        )
    )
    return ()
