"""What each change does, on the simulated clouds, in the words of the reference."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from gpuinfra.cluster import GpuCluster
from gpuinfra.reference.on_change import Effect
from gpuinfra.simulation.clouds.aws import types as aws
from gpuinfra.simulation.clouds.azure import types as azure
from gpuinfra.simulation.clouds.gcp import types as gcp
from gpuinfra.vocabulary import Provider
from tests.specs import NOW

from .cases import CASES, Case
from .small_engine import SmallEngine, Step, temporary

TABLE = Path(__file__).parents[1] / "golden" / "on_change.json"
"""What was measured; `python -m tests.changes` writes it."""
GROUPS = {aws.GROUP, gcp.GROUP, gcp.REGION_GROUP, *gcp.REQUESTS, azure.SET}
"""What holds running nodes: replaced or deleted, the nodes go."""
TEMPLATES = {aws.TEMPLATE, *gcp.TEMPLATES}
"""What new nodes are made of."""
NETWORKS = {
    "aws:ec2/vpc:Vpc",
    "aws:ec2/subnet:Subnet",
    "gcp:compute/network:Network",
    "gcp:compute/subnetwork:Subnetwork",
    "azure-native:network:VirtualNetwork",
    azure.SUBNET,
}
_OF_A_NODE = ("virtualMachineProfile.", "launchTemplate", "mixedInstancesPolicy")
"""Where a group says what its new nodes are."""


def effects(steps: Iterable[Step]) -> frozenset[Effect]:
    """What the steps come to."""
    found = {e for step in steps if (e := _effect(step)) is not None}
    greater = found - {Effect.IN_PLACE, Effect.NEW_NODES}
    if greater:
        return frozenset(greater)
    return frozenset({Effect.NEW_NODES} if Effect.NEW_NODES in found else found)


def _effect(step: Step) -> Effect | None:
    gone = step.op in ("replace", "delete")
    if step.op == "same":
        return None
    if step.refused:
        return Effect.CLOUD_REFUSES
    if gone and step.protect:
        return Effect.DATA
    # The own subnet of a store goes with the store, and that of the address translation with it.
    if gone and step.type in NETWORKS and not step.name.endswith(("-storage-subnet", "-public-subnet")):
        return Effect.NETWORK
    if gone and step.type in GROUPS:
        return Effect.NODES
    if step.type in TEMPLATES and step.op in ("replace", "update"):
        return Effect.NEW_NODES
    if step.type in (azure.SET, aws.GROUP) and any(p.startswith(_OF_A_NODE) for p in step.paths):
        return Effect.NEW_NODES
    return Effect.IN_PLACE


def program(spec: Mapping[str, Any]) -> Callable[[], Any]:
    """A stack's program."""
    return lambda: GpuCluster(spec["name"], spec, now=NOW)


class Measure:
    """Runs cases; each cluster that changes stand on is deployed once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._deployed: dict[str, SmallEngine] = {}

    def steps(self, case: Case, cloud: Provider) -> list[Step]:
        """What the change does to every resource."""
        before, after = case.specs(cloud)
        assert before != after, f"{case.id} changes nothing on {cloud}"
        key = json.dumps(before, sort_keys=True)
        if key not in self._deployed:
            engine = SmallEngine(self._folder / str(len(self._deployed)))
            engine.up(program(before))
            self._deployed[key] = engine
        return list(self._deployed[key].preview(program(after)).steps.values())

    def close(self) -> None:
        for engine in self._deployed.values():
            engine.close()


def measured(cases: Iterable[Case] = CASES, clouds: Iterable[Provider] = tuple(Provider)) -> dict[str, Any]:
    """Case and cloud to its effects and the types of what is touched."""
    wanted = set(clouds)
    found: dict[str, Any] = {}
    with temporary() as folder:
        measure = Measure(Path(folder))
        try:
            for case in cases:
                for cloud in case.clouds():
                    if cloud in wanted:
                        row = found.setdefault(case.id, {"field": case.field, "change": case.change, "on": {}})
                        row["on"][str(cloud)] = entry(measure.steps(case, cloud))
        finally:
            measure.close()
    return found


def entry(steps: Iterable[Step]) -> dict[str, Any]:
    """A row's cell: the effects, and which types take part in them."""
    steps = list(steps)
    touched: dict[str, set[str]] = {}
    for step in steps:
        if step.op != "same":
            touched.setdefault(step.op, set()).add(step.type)
    return {
        "effects": sorted(effects(steps)),
        **{op: sorted(types) for op, types in sorted(touched.items())},
    }
