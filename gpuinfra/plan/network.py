"""The network: ranges that are disjoint, inside, and large enough; or an existing one by id."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Network, NetmaskValueError
from math import ceil, log2

from .. import catalog
from ..diagnostics import Collector
from ..spec.models import Network
from ..vocabulary import FabricKind, Provider, StorageKind
from . import findings as f
from .models import Decision, NetworkPlan, PoolPlan, StoragePlan, Subnet

DEFAULT_CIDR = "10.40.0.0/16"
_PRIVATE = tuple(IPv4Network(n) for n in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"))
_KEEPS_ADDRESS = frozenset({"interface", "efa", "gvnic", "idpf", "primary"})
# A file system's servers and a gateway take addresses of the nodes' subnet too.
_ADDRESSES_PER_STORAGE = 8
_SERVICES_ADDRESSES = 256


@dataclass(frozen=True)
class _Habits:
    """A cloud's networks."""

    widest: int
    narrowest: int
    """Prefix lengths that a network may have."""
    narrowest_subnet: int
    reserved: int
    """Addresses of each subnet that the cloud keeps."""
    public_subnet: bool
    """The address translation of private nodes stands in a subnet of its own."""
    services_range: bool
    """File systems are peered and take a range of their own."""
    lustre_subnet: bool
    """Lustre wants a subnet of its own."""
    fabric_range: str
    """A range that the fabric keeps for itself."""
    network_id: str
    subnet_id: str
    id_form: str


_HABITS: dict[Provider, _Habits] = {
    Provider.AWS: _Habits(
        16, 28, 28, 5, True, False, False, "", r"vpc-[0-9a-z]{6,}", r"subnet-[0-9a-z]{6,}", "vpc-… and subnet-…"
    ),
    Provider.GCP: _Habits(
        8,
        29,
        29,
        4,
        False,
        True,
        False,
        "",
        r"(https://[^ ]+/|projects/[^/]+/global/networks/)?[a-z]([-a-z0-9]*[a-z0-9])?",
        r"(https://[^ ]+/|projects/[^/]+/regions/[^/]+/subnetworks/)?[a-z]([-a-z0-9]*[a-z0-9])?",
        "a name, or projects/P/global/networks/N and projects/P/regions/R/subnetworks/S",
    ),
    # 172.16.0.0/16: Microsoft, Set up InfiniBand on HPC VMs (2026-09).
    Provider.AZURE: _Habits(
        8,
        29,
        29,
        5,
        False,
        False,
        True,
        "172.16.0.0/16",
        r"(?i)/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.Network/virtualNetworks/[^/]+",
        r"(?i)/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.Network/virtualNetworks/[^/]+/subnets/[^/]+",
        "ARM ids: /subscriptions/…/virtualNetworks/V and …/virtualNetworks/V/subnets/S",
    ),
}


def plan_network(
    provider: Provider,
    wish: Network,
    zone: str,
    pools: Sequence[PoolPlan],
    storage: Sequence[StoragePlan],
    out: Collector,
) -> tuple[NetworkPlan, tuple[Decision, ...]]:
    """The network of a cluster and why it is so; findings where the range does not do."""
    habits = _HABITS[provider]
    if wish.existing and wish.cidr is not None:
        out.add(f.NETWORK_TWICE.at("network.cidr", "network.cidr and network.existing are both given"))
    decisions: list[Decision] = []
    subnets: tuple[Subnet, ...] = ()
    cidr = ""
    wants = _wants(habits, wish, zone, pools, storage)
    if wish.existing:
        _check_ids(habits, wish.existing.network, wish.existing.subnet, out)
        decisions.append(Decision("network", wish.existing.network, f"existing, with subnet {wish.existing.subnet}"))
        wants = [w for w in wants if w.own_network]
    net = _read_cidr(habits, wish.cidr or DEFAULT_CIDR, pools, out) if wants else None
    if net:
        cidr = str(net)
        subnets = _cut(habits, net, wants, out)
        if not wish.existing:
            reason = "named in the spec" if wish.cidr else "the default range"
            decisions.append(Decision("network.cidr", cidr, reason))
        decisions += [Decision(f"network.{s.role}", s.cidr, s.reason) for s in subnets]
    kinds = {s.kind for s in storage}
    plan = NetworkPlan(
        "network",
        wish.existing.network if wish.existing else "",
        wish.existing.subnet if wish.existing else "",
        cidr,
        subnets,
        wish.ssh_from,
        wish.ssh_keys,
        needs_nat=not wish.existing and any(not p.public_ip for p in pools),
        fabric_rules=any(p.fabric.present for p in pools),
        lustre_rules=StorageKind.LUSTRE in kinds,
        nfs_rules=StorageKind.NFS in kinds,
    )
    return plan, tuple(decisions)


def _check_ids(habits: _Habits, network: str, subnet: str, out: Collector) -> None:
    for path, value, form in (
        ("network.existing.network", network, habits.network_id),
        ("network.existing.subnet", subnet, habits.subnet_id),
    ):
        if not re.fullmatch(form, value):
            out.add(f.NETWORK_ID.at(path, f"'{value}' is not an id of this cloud", f"the form is {habits.id_form}"))


@dataclass(frozen=True)
class _Want:
    """A range that is wanted: `addresses` in use at most."""

    role: str
    addresses: int
    zone: str
    reason: str
    own_network: bool = False
    """It stands in a network of its own, so it is made even where the nodes' network exists."""


def _wants(
    habits: _Habits, wish: Network, zone: str, pools: Sequence[PoolPlan], storage: Sequence[StoragePlan]
) -> list[_Want]:
    most = sum(p.count_max for p in pools)
    host = sum(
        p.count_max * sum(n.network == "host" and n.kind in _KEEPS_ADDRESS for n in p.fabric.nics) for p in pools
    )
    new_files = [s for s in storage if not s.existing and s.kind is not StorageKind.BUCKET]
    in_subnet = 0 if habits.services_range else len(new_files) * _ADDRESSES_PER_STORAGE
    files = f" and {len(new_files)} file system{'s' if len(new_files) > 1 else ''}" if new_files else ""
    nodes = f"room for at most {most} node{'s' if most > 1 else ''}{files}"
    wants = [_Want("nodes", host + in_subnet, zone, nodes)]
    if habits.public_subnet and any(not p.public_ip for p in pools):
        wants.append(_Want("public", 2, zone, "the address translation of private nodes stands here, in their zone"))
    if habits.services_range and new_files:
        wants.append(_Want("services", _SERVICES_ADDRESSES - habits.reserved, "", "file systems are peered from here"))
    if habits.lustre_subnet and any(s.kind is StorageKind.LUSTRE for s in new_files):
        wants.append(_Want("storage", 200, zone, "Lustre wants a subnet of its own"))
    return wants + _fabric_wants(pools)


def _fabric_wants(pools: Sequence[PoolPlan]) -> list[_Want]:
    """A range for each further network of a machine with many interfaces; RDMA interfaces share one network and have a
    subnet each (Google Cloud, GPU machine types: NICs)."""
    nodes: dict[str, int] = {}
    for pool in pools:
        rdma = 0
        for nic in pool.fabric.nics:
            role = nic.network
            if role == "host":
                continue
            if role == "rdma":
                role, rdma = f"rdma{rdma}", rdma + 1
            nodes[role] = nodes.get(role, 0) + pool.count_max
        if any(
            catalog.nic_layout(pool.instance.name).rdma_subnets == 0 for n in pool.fabric.nics if n.network == "rdma"
        ):
            # Bare-metal RoCE networks make their own subnet; a declared one is refused.
            nodes = {r: n for r, n in nodes.items() if not r.startswith("rdma")}
    return [_Want(role, n, "", f"interface network {role}: {n} nodes", True) for role, n in nodes.items()]


def _read_cidr(habits: _Habits, text: str, pools: Sequence[PoolPlan], out: Collector) -> IPv4Network | None:
    try:
        if "/" not in text:
            raise AddressValueError("no prefix length")
        net = IPv4Network(text, strict=False)
    except (AddressValueError, NetmaskValueError, ValueError):
        out.add(f.CIDR_MALFORMED.at("network.cidr", f"'{text}' is not an IPv4 range", "write one as 10.40.0.0/16"))
        return None
    if str(net) != text:
        out.add(
            f.CIDR_MALFORMED.at("network.cidr", f"'{text}' does not begin at its own boundary", f"did you mean {net}?")
        )
        return None
    if not any(net.subnet_of(p) for p in _PRIVATE):
        out.add(f.CIDR_MALFORMED.at("network.cidr", f"'{text}' is public address space"))
        return None
    if not habits.widest <= net.prefixlen <= habits.narrowest:
        out.add(
            f.CIDR_SIZE.at(
                "network.cidr",
                f"'{text}' is a /{net.prefixlen}, and a network here is /{habits.widest} to /{habits.narrowest}",
                f"take {net.network_address}/{min(max(net.prefixlen, habits.widest), habits.narrowest)}",
            )
        )
        return None
    kept = habits.fabric_range
    if kept and any(p.fabric.kind is FabricKind.INFINIBAND for p in pools) and net.overlaps(IPv4Network(kept)):
        out.add(
            f.CIDR_RESERVED.at(
                "network.cidr", f"'{text}' overlaps {kept}, which InfiniBand keeps for itself", "take 10.40.0.0/16"
            )
        )
        return None
    return net


def _cut(habits: _Habits, net: IPv4Network, wants: Sequence[_Want], out: Collector) -> tuple[Subnet, ...]:
    """The nodes get the whole range, or its lower half where others need the upper one; those share it evenly."""
    nodes = [w for w in wants if w.role == "nodes"]
    others = [w for w in wants if w.role != "nodes"]
    if nodes and others:
        halves = list(net.subnets(1)) if net.prefixlen < habits.narrowest_subnet else []
        if not halves:
            _too_small(habits, net, wants, out)
            return ()
        lower, upper = halves[0], halves[1]
    else:
        lower = upper = net
    found: list[Subnet] = []
    for want in nodes:
        if _usable(habits, lower.prefixlen) < want.addresses:
            _too_small(habits, net, wants, out)
            return ()
        found.append(Subnet(want.role, str(lower), want.zone, want.reason))
    if others:
        share = upper.prefixlen + ceil(log2(len(others)))
        least = min(_prefix_for(habits, max(w.addresses for w in others)), habits.narrowest_subnet)
        prefix = max(share, min(24, least))
        if least < share or prefix > habits.narrowest_subnet:
            _too_small(habits, net, wants, out)
            return ()
        pieces = upper.subnets(new_prefix=prefix)
        found += [Subnet(w.role, str(piece), w.zone, w.reason) for w, piece in zip(others, pieces, strict=False)]
    return tuple(found)


def _usable(habits: _Habits, prefix: int) -> int:
    return 2 ** (32 - prefix) - habits.reserved


def _prefix_for(habits: _Habits, addresses: int) -> int:
    """The narrowest prefix whose subnet holds so many addresses."""
    return 32 - ceil(log2(max(addresses, 1) + habits.reserved))


def _too_small(habits: _Habits, net: IPv4Network, wants: Sequence[_Want], out: Collector) -> None:
    nodes = next((w.addresses for w in wants if w.role == "nodes"), 0)
    others = [w.addresses for w in wants if w.role != "nodes"]
    need = _prefix_for(habits, nodes) if nodes else 32
    if others:
        rest = min(_prefix_for(habits, max(others)), habits.narrowest_subnet) - ceil(log2(len(others)))
        need = min(need, rest) - 1
    prefix = max(min(need, net.prefixlen - 1), habits.widest)
    base = IPv4Network(f"{net.network_address}/{prefix}", strict=False)
    fits = need >= habits.widest and need < net.prefixlen
    total = nodes + sum(others)
    out.add(
        f.CIDR_TOO_SMALL.at(
            "network.cidr",
            f"'{net}' has {net.num_addresses} addresses in all; the nodes' subnet needs {nodes} besides the "
            f"{habits.reserved} that the cloud keeps"
            + (f", and {len(others)} more subnets are cut from it ({total} addresses in use)" if others else ""),
            f"take a /{need} or larger, as {base}" if fits else "have fewer nodes, or more clusters",
        )
    )
