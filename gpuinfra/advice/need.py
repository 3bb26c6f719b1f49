"""What a pool needs of any cloud: GPUs, how many, in how many nodes, and whether the nodes need a fabric."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .. import catalog
from ..catalog import InstanceType, Miss
from ..diagnostics import Collector
from ..plan.fabric import Question, plan_fabric
from ..plan.instances import Machine, choose_machine, models_of
from ..spec.models import ClusterSpec, CountRange, NodePool
from ..vocabulary import CapacityType, FabricWish, Provider, Workload

_WHOLE_BOARD = 8
_FORM = re.compile(r"(-\d+GB)?(-(SXM|PCIE|NVL))?$")
_CARD = re.compile(r"-(PCIE|NVL)$")


@dataclass(frozen=True)
class Need:
    """The need of one pool with GPUs."""

    path: str
    pool: str
    models: tuple[str, ...]
    """GPU models that meet it: several where the spec's word stands for several cards."""
    memory_gib: float | None
    """Least memory of one GPU, where the spec names one."""
    gpus: int
    """GPUs of one node."""
    share: float | None
    """The share of a GPU that each of them is at least; None: unknown."""
    nodes: int
    fabric: bool
    capacity: CapacityType

    @property
    def total_gpus(self) -> int:
        return self.nodes * self.gpus


def needs_of(spec: ClusterSpec, out: Collector) -> tuple[Need, ...]:
    """The needs of the pools with GPUs; findings where a pool's GPUs cannot be told. A pool that is off has none."""
    found: list[Need] = []
    for n, pool in enumerate(spec.node_pools):
        need = _need(spec, pool, f"node_pools[{n}]", out)
        if need is not None and need.nodes:
            found.append(need)
    return tuple(found)


def _need(spec: ClusterSpec, pool: NodePool, path: str, out: Collector) -> Need | None:
    provider = Provider(spec.location.provider)
    said = Collector()
    machine, _ = choose_machine(provider, spec.location, pool, path, said)
    models = models_of(pool.accelerator.model) if pool.accelerator else ()
    nodes, most = nodes_of(pool)
    if pool.instance_type is None and pool.accelerator is not None and models:
        # What the spec's own cloud does not sell, another may.
        wish = pool.accelerator
        fabric = needs_fabric(spec.workload, provider, machine, pool, wish.count, most)
        return Need(path, pool.name, models, wish.memory_gib, wish.count, 1.0, nodes, fabric, pool.capacity.type)
    if machine is None:
        out.add(*said.found)
        return None
    if not machine.gpus:
        return None
    fabric = needs_fabric(spec.workload, provider, machine, pool, machine.gpus, most)
    return Need(
        path,
        pool.name,
        (machine.gpu_model,),
        None,
        machine.gpus,
        share_of(machine),
        nodes,
        fabric,
        pool.capacity.type,
    )


def nodes_of(pool: NodePool) -> tuple[int, int]:
    """The nodes that a pool starts with (of a range that starts with none, the most), and the most that it has."""
    if isinstance(pool.count, CountRange):
        first = pool.count.min if pool.count.initial is None else pool.count.initial
        return first or pool.count.max, pool.count.max
    return pool.count, pool.count


def share_of(machine: Machine) -> float | None:
    """The share of a GPU that each GPU of a machine is; GPUs that are attached are whole."""
    return 1.0 if machine.attached else machine.instance.gpu_fraction


def needs_fabric(
    workload: Workload, provider: Provider, machine: Machine | None, pool: NodePool, gpus: int, most: int
) -> bool:
    """Whether a pool needs a fabric: it requires one, or its own machines have one that its nodes would use.

    Where the own cloud has no such machine, whole boards in several nodes need one.
    """
    if pool.fabric is FabricWish.REQUIRED:
        return True
    if pool.fabric is FabricWish.NONE or most < 2:
        return False
    if machine is None:
        return gpus >= _WHOLE_BOARD
    question = Question(provider, machine.instance, machine.gpus, most, pool.fabric, workload)
    fabric, _ = plan_fabric(question, pool, False, "", Collector())
    return fabric.present


def family_of(model: str) -> str:
    """The GPU of a model, whatever its memory and form: H100 of H100-SXM, A100 of A100-80GB-PCIE."""
    return _FORM.sub("", model)


def serves(model: str, wanted: Sequence[str], gpus: int) -> bool:
    """Whether a form of a GPU does where others of its family are wanted. A card does for a module where a node has
    one GPU, and a module always: what tells them apart is the link between the GPUs of a node."""
    if model in wanted:
        return True
    return gpus == 1 or not _CARD.search(model) or all(_CARD.search(w) for w in wanted)


def memory_of(model: str, instance: InstanceType | None = None) -> float | None:
    """Memory of one GPU of a model, in GiB; where the GPU table lacks it, as the machine's row has it."""
    card = catalog.accelerator(model)
    known = None if isinstance(card, Miss) else card.memory_gib
    return known or (instance.gpu_memory_gib if instance else None)
