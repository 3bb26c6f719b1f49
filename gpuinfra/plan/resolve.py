"""`resolve(spec)`: the spec's wishes become decisions, each with its reason; what cannot be had is a finding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from .. import catalog
from ..catalog import Accelerator, Miss
from ..clock import current_moment
from ..diagnostics import Collector, Diagnostic
from ..spec.models import ClusterSpec, NodePool
from ..spec.quantities import format_duration, format_moment
from ..vocabulary import Launcher, LocalNvme, OnLimit, Provider, StorageKind
from . import findings as f
from .arguments import check_moment, wrong_type
from .capacity import plan_capacity, plan_counts
from .fabric import Question, plan_fabric
from .images import resolve_images
from .instances import Machine, choose_machine
from .label_forms import CLUSTER_LABEL as CLUSTER_LABEL
from .label_forms import POOL_LABEL as POOL_LABEL
from .models import ClusterPlan, Decision, LeasePlan, LocalNvmePlan, PoolPlan
from .names import cloud_name, pool_resource_name
from .network import plan_network
from .placement import Nodes, plan_placement
from .root_disk import plan_root
from .storage import plan_storage
from .zone_as_region import zone_as_region
from .zones import Standing, check_region, choose_zone

_NVME_MOUNT = "/local"


@dataclass(frozen=True)
class Resolution:
    """What came out: the plan (partial where an error left something out; None where nothing could be decided)."""

    plan: ClusterPlan | None
    diagnostics: tuple[Diagnostic, ...]


def resolve(spec: ClusterSpec, now: datetime | None = None, *, name: str | None = None) -> Resolution:
    """The plan of a spec.

    `now` is the moment that leases and blocks are judged by; left out, the current one. `name` replaces the spec's own
    as the beginning of every resource name: a component passes its own, so that two clusters never share a name.
    """
    if not isinstance(spec, ClusterSpec):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise wrong_type("spec", spec, "a ClusterSpec, as gpuinfra.load(path).spec")
    check_moment("now", now)
    moment = now or current_moment()
    prefix = name or spec.name
    out = Collector()
    provider = Provider(spec.location.provider)
    if (misplaced := zone_as_region(provider, spec.location)) is not None:
        return Resolution(None, (misplaced,))
    if not check_region(provider, spec.location, out):
        return Resolution(None, out.found)
    machines, decisions = _machines(spec, provider, out)
    zone, zone_decision = choose_zone(
        provider,
        spec.location,
        spec.network.existing is not None,
        [_standing(*one) for one in machines],
        out,
    )
    if zone_decision:
        decisions.insert(0, zone_decision)
    moves = _moves(spec)
    _check_names(spec, provider, out)
    _check_prefix(spec, provider, prefix, out)
    setting = _Setting(spec, provider, prefix, zone, moment, moves, any(m.gpus for _, _, m in machines))
    pools: list[PoolPlan] = []
    for path, pool, machine in machines:
        planned, why = _pool(setting, path, pool, machine, out)
        if planned:
            pools.append(planned)
        decisions += why
    storage, why_storage = plan_storage(provider, spec.location.region, zone, prefix, spec.storage, out)
    network, why_network = plan_network(
        provider,
        spec.location.region,
        spec.network,
        zone,
        pools,
        storage,
        out,
        bastion=getattr(spec.location, "bastion", False),
    )
    lease, why_lease = _lease(spec)
    decisions += [*why_network, *why_storage, *why_lease]
    plan = ClusterPlan(
        spec,
        provider,
        prefix,
        spec.location.region,
        zone,
        network,
        tuple(pools),
        storage,
        lease,
        spec.shutdown.idle_after if spec.shutdown else None,
        tuple(sorted({**spec.labels, CLUSTER_LABEL: prefix}.items())),
        moment,
        tuple(decisions),
        complete=not out.has_errors,
    )
    return Resolution(plan, out.found)


def _machines(
    spec: ClusterSpec, provider: Provider, out: Collector
) -> tuple[list[tuple[str, NodePool, Machine]], list[Decision]]:
    """The pools whose machine is known; findings for the others and for names used twice."""
    found: list[tuple[str, NodePool, Machine]] = []
    decisions: list[Decision] = []
    seen: dict[str, int] = {}
    for n, pool in enumerate(spec.node_pools):
        path = f"node_pools[{n}]"
        if pool.name in seen:
            out.add(
                f.NAME_TWICE.at(
                    f"{path}.name",
                    f"'{pool.name}' is the name of node_pools[{seen[pool.name]}] too",
                    "rename one of them",
                )
            )
        seen.setdefault(pool.name, n)
        machine, decision = choose_machine(provider, spec.location, pool, path, out)
        if machine and seen[pool.name] == n:
            found.append((path, pool, machine))
        if decision:
            decisions.append(decision)
    return found, decisions


def _standing(path: str, pool: NodePool, machine: Machine) -> Standing:
    offered_as = f"accelerator:{machine.attached}" if machine.attached else machine.instance.name
    return Standing(path, machine.instance, machine.gpus, pool.capacity.type, offered_as)


def _moves(spec: ClusterSpec) -> bool:
    """Whether something outside `up` may change the number of nodes; then `up` leaves it alone, or it would start again
    what an end has stopped."""
    end = spec.shutdown
    stops = bool(end and (end.idle_after or end.lease or end.stop_at))
    return stops or bool(spec.budget and spec.budget.on_limit is not OnLimit.NOTIFY)


def _check_names(spec: ClusterSpec, provider: Provider, out: Collector) -> None:
    """Names that the user gives are refused when the cloud would refuse them; only derived ones are shortened."""
    location = spec.location
    given = [("location.resource_group", "resource_group", getattr(location, "resource_group", None) or "")]
    for n, pool in enumerate(spec.node_pools):
        if pool.proximity not in ("auto", "none"):
            given.append((f"node_pools[{n}].proximity", "placement_group", pool.proximity))
    for path, kind, name in given:
        row = catalog.limit(provider, f"name.{kind}")
        if row and name and len(name) > row.maximum:
            out.add(
                f.NAME_TOO_LONG.at(
                    path,
                    f"'{name[:40]}…' has {len(name)} characters, and the cloud takes {row.maximum}",
                    f"shorten it to {row.maximum} characters",
                )
            )
        elif row and name and row.pattern and not re.search(row.pattern, name):
            out.add(f.NAME_TOO_LONG.at(path, f"'{name}' has characters that the cloud does not take", "rename it"))


def _check_prefix(spec: ClusterSpec, provider: Provider, prefix: str, out: Collector) -> None:
    """Derived names begin with the cluster's, and some clouds keep beginnings for themselves."""
    made = [s.name for s in spec.storage if s.kind is StorageKind.BUCKET and not s.existing]
    names = [("security_group", f"{prefix}-nodes"), *(("bucket", f"{prefix}-{name}") for name in made)]
    for kind, name in names:
        row = catalog.limit(provider, f"name.{kind}")
        # What the provider adds to a name of its own making begins with a hyphen.
        if row and row.pattern and not re.search(row.pattern, f"{name}-0"):
            said = kind.replace("_", " ")
            out.add(
                f.NAME_TOO_LONG.at(
                    "name", f"the cloud takes no {said} named '{name}-…'", f"give the cluster another name: {row.notes}"
                )
            )
            return


@dataclass(frozen=True)
class _Setting:
    """What every pool of a cluster shares."""

    spec: ClusterSpec
    provider: Provider
    prefix: str
    zone: str
    now: datetime
    moves: bool
    gpus: bool
    """Some pool has GPUs."""

    def spans(self, pool: NodePool, gpus: int) -> bool:
        """Whether the job runs on a pool: where it names none, on those with GPUs."""
        named = self.spec.job.pools if self.spec.job else ()
        return pool.name in named if named else bool(gpus) or not self.gpus


def _pool(
    setting: _Setting, path: str, pool: NodePool, machine: Machine, out: Collector
) -> tuple[PoolPlan | None, list[Decision]]:
    spec, provider, now = setting.spec, setting.provider, setting.now
    instance = machine.instance
    capacity, why_capacity = plan_capacity(provider, pool, instance, now, path, out)
    counts, why_count = plan_counts(pool, capacity, now, setting.moves, path)
    public = spec.network.public_nodes if pool.public_ip is None else pool.public_ip
    question = Question(provider, instance, machine.gpus, counts.most, pool.fabric, spec.workload)
    fabric, why_fabric = plan_fabric(question, pool, public, path, out)
    placement, why_placement = plan_placement(
        provider, pool.proximity, Nodes(instance, capacity, fabric, counts.most, spec.workload), path, out
    )
    card = _card(machine)
    images = resolve_images(
        path,
        provider=provider,
        instance=instance,
        accelerator=card,
        gpus=machine.gpus,
        fabric=fabric.kind,
        mig=pool.mig,
        image=spec.image,
        workload=spec.workload,
        # Nodes with GPUs hold the image ready for whoever works on them, also where the job does not run.
        runs_job=bool(machine.gpus) or setting.spans(pool, machine.gpus),
        nodes=counts.most,
        launcher=spec.job.launcher if spec.job and setting.spans(pool, machine.gpus) else Launcher.NONE,
    )
    out.add(*images.diagnostics)
    decisions = [why_capacity, why_count, why_fabric, why_placement, *images.decisions]
    if images.node_image is None:
        return None, decisions
    nvme = _local_nvme(pool, machine)
    root_on, why_root = plan_root(instance.name, images.node_image, nvme, path)
    decisions += [why_root] if why_root else []
    return (
        PoolPlan(
            path,
            pool.name,
            pool_resource_name(setting.prefix, pool.name),
            cloud_name(provider, "node_group", setting.prefix, pool.name),
            instance,
            card,
            machine.gpus,
            machine.attached,
            counts.least,
            counts.initial,
            counts.most,
            counts.wanted,
            setting.zone,
            capacity,
            fabric,
            placement,
            images.node_image,
            images.container,
            images.mig,
            nvme,
            public,
            counts.moves,
            root_on,
        ),
        decisions,
    )


def _card(machine: Machine) -> Accelerator | None:
    if not machine.gpus:
        return None
    card = catalog.accelerator(machine.gpu_model)
    return None if isinstance(card, Miss) else card


def _local_nvme(pool: NodePool, machine: Machine) -> LocalNvmePlan:
    total = machine.instance.local_nvme_gb
    # Where drives are attached at a price (Google's optional Local SSD), only a spec that asks for them gets them.
    asked = "local_nvme" in pool.model_fields_set or not machine.instance.local_nvme_optional
    mode = pool.local_nvme if total and asked else LocalNvme.NONE
    return LocalNvmePlan(mode, total, "" if mode is LocalNvme.NONE else _NVME_MOUNT)


def _lease(spec: ClusterSpec) -> tuple[LeasePlan, list[Decision]]:
    path = "shutdown.lease"
    lease = spec.shutdown.lease if spec.shutdown else None
    if lease is None:
        return LeasePlan(path, None, None), []
    if isinstance(lease, timedelta):
        reason = "counted from the first `up` and kept in the stack's state; a later preview does not move it"
        return LeasePlan(path, lease, None), [Decision(path, format_duration(lease), reason)]
    return LeasePlan(path, None, lease), [Decision(path, format_moment(lease), "named in the spec")]
