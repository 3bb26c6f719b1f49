"""The interfaces of a node, one by one, and whether collectives have a fabric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .. import catalog
from ..catalog import InstanceType, NetworkCards
from ..diagnostics import Collector
from ..spec.models import NodePool
from ..vocabulary import FabricKind, FabricWish, Provider, Workload
from . import findings as f
from .models import Decision, Fabric, Nic

_WHOLE_BOARD = 8
BARE_METAL_RDMA = "rdma-metal"
"""The RDMA network of bare-metal machines: its profile differs, and it makes its own subnet."""


@dataclass(frozen=True)
class Question:
    """What decides a pool's interfaces."""

    provider: Provider
    instance: InstanceType
    gpus: int
    most: int
    wish: FabricWish
    workload: Workload


def plan_fabric(q: Question, pool: NodePool, public: bool, path: str, out: Collector) -> tuple[Fabric, Decision]:
    """The fabric of a pool; findings where it cannot be had, or where a public address forbids it."""
    possible, nics_with, nics_without = _LAYOUTS[q.provider](q.instance)
    if q.wish is FabricWish.REQUIRED and possible is FabricKind.NONE:
        out.add(
            f.NO_FABRIC.at(
                f"{path}.fabric", f"'required', and {q.instance.name} has no fabric", _smallest_with_fabric(q)
            )
        )
    use, reason = _use(q, possible)
    fabric = Fabric(
        possible if use else FabricKind.NONE,
        (q.instance.fabric_gbps or q.instance.network_gbps) if use else None,
        nics_with if use else nics_without,
        reason,
    )
    if public and len(fabric.nics) > 1 and q.provider in _PUBLIC_TAKES_ONE_NIC:
        field = f"{path}.public_ip" if pool.public_ip is not None else "network.public_nodes"
        out.add(
            f.PUBLIC_MULTI_NIC.at(
                field, f"{q.instance.name} ({path}) has {len(fabric.nics)} network interfaces and a public address"
            )
        )
    _check_group_limit(q, fabric, path, out)
    if fabric.present:
        speed = f" {fabric.gbps:g} Gbps" if fabric.gbps else ""
        value = f"{fabric.kind}{speed}, {len(fabric.nics)} interface{'s' if len(fabric.nics) > 1 else ''}"
    else:
        value = "none"
    return fabric, Decision(f"{path}.fabric", value, reason)


def _use(q: Question, possible: FabricKind) -> tuple[bool, str]:
    if possible is FabricKind.NONE:
        return False, f"{q.instance.name} has none"
    if q.wish is FabricWish.NONE:
        return False, "none is asked for"
    if q.wish is FabricWish.REQUIRED:
        return True, "required, and the type has it"
    if q.most < 2:
        return False, "one node has no other to talk to"
    if q.workload.exchanges_data or q.gpus >= _WHOLE_BOARD:
        return True, f"{q.most} nodes of {q.workload.with_article} cluster exchange data"
    return False, f"independent nodes of {q.workload.with_article} cluster do not need it; fabric: required turns it on"


def _smallest_with_fabric(q: Question) -> str:
    """The smallest type of the family that has a fabric, else others that have one."""
    have = [
        t
        for t in catalog.instance_types(q.provider)
        if t.family == q.instance.family and _LAYOUTS[q.provider](t)[0] is not FabricKind.NONE
    ]
    if not have:
        sold = [t for t in catalog.instance_types(q.provider) if not catalog.retired(q.provider, t.name)]
        able = [t for t in sold if _has_fabric(q.provider, t.name)]
        same = [t for t in able if t.gpu_model == q.instance.gpu_model]
        # The least GPU memory first: nobody who has an L4 means a rack of GB300.
        able.sort(key=lambda t: (t.gpu_count * (t.gpu_memory_gib or 0), t.name))
        known = ", ".join(t.name for t in (same or able)[:3])
        return f"take a type with one, as {known}: gpuinfra instances --provider {q.provider}"
    least = min(have, key=lambda t: (t.vcpus or 0, t.name))
    return f"the smallest type of the {q.instance.family} family with one is {least.name}"


def _has_fabric(provider: Provider, name: str) -> bool:
    row = catalog.instance_type(provider, name)
    return isinstance(row, InstanceType) and _LAYOUTS[provider](row)[0] is not FabricKind.NONE


def _check_group_limit(q: Question, fabric: Fabric, path: str, out: Collector) -> None:
    ib = catalog.infiniband(q.instance.name) if q.provider in _BOUND_TO_ONE_SET else None
    if not fabric.present or ib is None or q.most <= ib.max_nodes:
        return
    beyond = q.most > _RAISED_SET_LIMIT
    out.add(
        f.FABRIC_LIMIT.at(
            f"{path}.count",
            f"{q.most} nodes of {q.instance.name} need one scale set, which holds {ib.max_nodes}"
            + (f", and {_RAISED_SET_LIMIT} at the very most" if beyond else ""),
            f"have at most {_RAISED_SET_LIMIT} nodes"
            if beyond
            else f"ask the cloud's support for up to {_RAISED_SET_LIMIT} before you deploy",
            severity=f.E if beyond else None,
        )
    )


Layout = tuple[FabricKind, tuple[Nic, ...], tuple[Nic, ...]]
"""The fabric that a type can have; its interfaces with it, and without."""


def _card_layout(instance: InstanceType) -> Layout:
    plain = (Nic(0, 0, "interface"),)
    cards = catalog.network_cards(instance.name)
    if not cards or not cards.efa_cards:
        return FabricKind.NONE, plain, plain
    return FabricKind.EFA, _efa_nics(cards), plain


def _efa_nics(cards: NetworkCards) -> tuple[Nic, ...]:
    """Card 0 keeps an ordinary interface, since the primary may never be EFA-only; one EFA device for each card that
    has one (EC2 User Guide, EFA for accelerated instance types)."""
    nics = [Nic(0, 0, "interface")]
    if 0 in cards.efa_cards and cards.max_interfaces[0] >= 2:
        nics.append(Nic(0, 1, "efa-only"))
    elif 0 in cards.efa_cards:
        nics = [Nic(0, 0, "efa")]
    # On GB200 even cards hold an ordinary interface beside their EFA device, so theirs is `efa`.
    mixed = cards.efa_interface_type == "mixed"
    for card in cards.efa_cards:
        if card:
            nics.append(Nic(card, 0, "efa" if mixed and card % 2 == 0 else "efa-only"))
    return tuple(nics)


def _slot_layout(instance: InstanceType) -> Layout:
    """Google wants every interface of a machine, whether it is used or not."""
    layout = catalog.nic_layout(instance.name)
    own = {"rdma": BARE_METAL_RDMA} if layout.rdma_subnets == 0 else {}
    nics = tuple(Nic(s.order, 0, s.nic_type.lower(), own.get(s.network, s.network)) for s in layout.slots)
    kind = instance.fabric if len(nics) > 1 else FabricKind.NONE
    return kind, nics, nics


def _virtual_function_layout(instance: InstanceType) -> Layout:
    """Azure declares no interface for InfiniBand: the virtual function appears by itself on the sizes that have it."""
    nics = (Nic(0, 0, "primary"),)
    return (FabricKind.INFINIBAND if instance.fabric is FabricKind.INFINIBAND else FabricKind.NONE), nics, nics


_LAYOUTS: dict[Provider, Callable[[InstanceType], Layout]] = {
    Provider.AWS: _card_layout,
    Provider.GCP: _slot_layout,
    Provider.AZURE: _virtual_function_layout,
}


def fabric_of(provider: Provider, instance: InstanceType) -> FabricKind:
    """The fabric that nodes of a type can have."""
    return _LAYOUTS[provider](instance)[0]


# Microsoft, Set up InfiniBand on HPC VMs: 100 nodes of a scale set with one placement group, 300 by support request.
_RAISED_SET_LIMIT = 300
_PUBLIC_TAKES_ONE_NIC = frozenset({Provider.AWS})
_BOUND_TO_ONE_SET = frozenset({Provider.AZURE})
