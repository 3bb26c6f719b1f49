"""What a plan draws on the quotas of an account, all pools together: what its first `up` takes, and what it may take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from .. import catalog
from ..plan.models import ClusterPlan, PoolPlan
from ..vocabulary import CapacityType, Provider
from .account_facts import AccountFacts, Offering

TOTAL = "total"
_MARKETS = {
    CapacityType.ON_DEMAND: "on_demand",
    # Google Cloud: spot and flex-start charge the preemptible quota.
    CapacityType.SPOT: "spot",
    CapacityType.FLEX_START: "spot",
    # Whether a Capacity Block draws on the on-demand quota is not documented.
    CapacityType.CAPACITY_BLOCK: "on_demand",
}
"""The quota by the purchase. A reservation took its share when it was made."""

_UNITS = {"vcpu": "vCPU", "gpu": "GPU"}


@dataclass
class Need:
    """What some pools take of one quota."""

    quota: str
    """Empty: it is not known which."""
    unit: str
    market: str
    sure: bool
    """False: whether the purchase draws on the quota at all is not documented."""
    why_unknown: str = ""
    pools: list[PoolPlan] = field(default_factory=list[PoolPlan])
    amount: float = 0
    """At the first `up`."""
    most: float = 0
    """With every pool at its largest."""

    @property
    def path(self) -> str:
        return f"{self.pools[0].path}.count"

    def sum_text(self, *, most: bool = False) -> str:
        """As '4 × 192 = 768 vCPU'."""
        parts = " + ".join(
            f"{p.count_max if most else nodes_at_start(p)} × {per_node(p, self.unit):g}" for p in self.pools
        )
        return f"{parts} = {self.most if most else self.amount:g} {unit_text(self.unit)}"

    @property
    def names(self) -> str:
        return " and ".join(f"'{p.name}'" for p in self.pools)

    @property
    def who_need(self) -> str:
        """As "'gpu' needs", the start of a sentence."""
        return f"{self.names} need{'s' if len(self.pools) == 1 else ''}"


def unit_text(unit: str) -> str:
    """A unit as a sentence has it."""
    return _UNITS.get(unit, unit)


def nodes_at_start(pool: PoolPlan) -> int:
    """Nodes that the pool has once it runs: also those of a block that has not begun."""
    return max(pool.count_initial, pool.wanted)


def per_node(pool: PoolPlan, unit: str) -> float | None:
    """What one node takes of a quota that counts in `unit`; None where the tables do not say."""
    return pool.gpus_per_node if unit == "gpu" else pool.instance.vcpus


def offered_as(pool: PoolPlan) -> tuple[str, ...]:
    """The names by which an account lists a pool's machine: its type, and what is attached to it."""
    return tuple(n for n in (pool.instance.name, pool.attached_accelerator) if n)


def family_needs(plan: ClusterPlan, facts: AccountFacts | None = None) -> tuple[Need, ...]:
    """What pools take of the quotas of their families, by quota and purchase, in the plan's order."""
    needs: dict[tuple[str, str, bool, str], Need] = {}
    for pool in plan.pools:
        market = _MARKETS.get(pool.capacity.type)
        if market is None or not pool.count_max:
            continue
        row = _row(plan.provider, pool, market)
        quota, why = (row["quota"], row["notes"]) if row else ("", "the tables name no quota for it")
        stated = _stated_quota(pool, facts) if market == "on_demand" else ""
        unit = row["unit"] if row else "vcpu"
        if stated:
            quota, unit = stated, "vcpu"
        sure = pool.capacity.type is not CapacityType.CAPACITY_BLOCK
        if per_node(pool, unit) is None:
            quota, why = "", "its size is not in the tables"
        key = (quota or pool.path, market, sure, unit)
        _add(needs.setdefault(key, Need(quota, unit, market, sure, "" if quota else why)), pool)
    return tuple(needs.values())


def total_needs(plan: ClusterPlan) -> tuple[Need, ...]:
    """What pools that are bought on demand take of a quota over all families, where the cloud has one."""
    row = next((r for r in catalog.rows("quotas", plan.provider) if r["market"] == TOTAL), None)
    if row is None:
        return ()
    need = Need(row["quota"], row["unit"], TOTAL, sure=True)
    for pool in plan.pools:
        if pool.capacity.type is not CapacityType.ON_DEMAND or not pool.count_max:
            continue
        share = per_node(pool, need.unit)
        if share is None:
            need.why_unknown = f"the size of {pool.instance.name} is not in the tables"
        if share:
            _add(need, pool)
    return (need,) if need.pools else ()


def quota_of(provider: Provider, instance_type: str, market: str) -> tuple[str, str]:
    """(quota, unit) that a machine draws on, by the tables; an empty quota where they do not say."""
    row = _longest(provider, (instance_type,), market)
    return (row["quota"], row["unit"]) if row else ("", "")


def own_share(plan: ClusterPlan, need: Need, facts: AccountFacts) -> float:
    """What nodes of this very cluster, which run already, take of the quota: they are not asked for again."""
    if facts.own_nodes is None:
        return 0
    market = "spot" if need.market == "spot" else "on_demand"
    seen = {p.instance.name: per_node(p, need.unit) or 0 for p in need.pools}
    return sum(facts.own_nodes.get(f"{market}/{name}", 0) * share for name, share in seen.items())


def _add(need: Need, pool: PoolPlan) -> None:
    share = per_node(pool, need.unit) or 0
    need.pools.append(pool)
    need.amount += nodes_at_start(pool) * share
    need.most += pool.count_max * share


def _row(provider: Provider, pool: PoolPlan, market: str) -> Mapping[str, str] | None:
    # What is attached goes before the machine.
    return _longest(provider, tuple(reversed(offered_as(pool))), market)


def _longest(provider: Provider, names: tuple[str, ...], market: str) -> Mapping[str, str] | None:
    """The catalog's row for the first name that has one: the longest pattern decides."""
    rows = [r for r in catalog.rows("quotas", provider) if r["market"] == market]
    for name in names:
        fitting = [r for r in rows if fnmatchcase(name, r["pattern"])]
        if fitting:
            return max(fitting, key=lambda r: len(r["pattern"]))
    return None


def _stated_quota(pool: PoolPlan, facts: AccountFacts | None) -> str:
    """The family that the cloud itself names for the size."""
    found = facts.entry("offerings", pool.instance.name) if facts is not None else None
    return found.quota if isinstance(found, Offering) else ""


@dataclass(frozen=True)
class OtherNeed:
    """What a plan takes of a quota that counts no GPUs and no vCPUs of a family."""

    quota: str
    amount: float
    what: str
    path: str


def other_needs(plan: ClusterPlan) -> tuple[OtherNeed, ...]:
    """What a plan takes of quotas beside its machines'."""
    return tuple(n for n in _OTHERS[plan.provider](plan) if n.amount)


def _aws(plan: ClusterPlan) -> Iterator[OtherNeed]:
    if plan.network.is_new:
        yield OtherNeed("L-F678F1CE", 1, "VPC", "network")
        yield OtherNeed("L-0263D0A3", int(plan.network.needs_nat), "Elastic IP address", "network")


def _gcp(plan: ClusterPlan) -> Iterator[OtherNeed]:
    apart = {s.role for s in plan.network.subnets if s.role.startswith(("host", "gpu"))}
    rdma = any(n.network.startswith("rdma") for p in plan.pools for n in p.fabric.nics)
    yield OtherNeed("NETWORKS", len(apart) + int(rdma) + int(plan.network.is_new), "VPC network", "network")
    public = sum(nodes_at_start(p) for p in plan.pools if p.public_ip)
    yield OtherNeed("IN_USE_ADDRESSES", public, "external address", "network.public_nodes")
    disks = 0
    for pool in plan.pools:
        layout = catalog.nic_layout(pool.instance.name)
        # A pd-balanced disk counts as SSD; hyperdisks have quotas of their own.
        if layout.boot_disk.startswith("pd-"):
            disks += nodes_at_start(pool) * pool.node_image.root_gib
    yield OtherNeed("SSD_TOTAL_GB", disks, "GB of SSD disk", "node_pools")
    n1 = [p for p in plan.pools if p.instance.family == "n1" and p.capacity.type is CapacityType.ON_DEMAND]
    yield OtherNeed("CPUS", sum(nodes_at_start(p) * (p.instance.vcpus or 0) for p in n1), "vCPU", "node_pools")


def _azure(plan: ClusterPlan) -> Iterator[OtherNeed]:
    lustre = [s for s in plan.storage if s.kind == "lustre" and not s.existing]
    yield OtherNeed("amlFilesystems", len(lustre), "Managed Lustre file system", lustre[0].path if lustre else "")


_OTHERS = {Provider.AWS: _aws, Provider.GCP: _gcp, Provider.AZURE: _azure}
