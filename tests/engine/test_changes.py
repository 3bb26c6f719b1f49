"""A sample of the changes of tests/changes through the real engine: it decides on the same steps, and refuses what would
lose data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.vocabulary import Provider
from tests.changes.cases import CASES
from tests.changes.measure import Measure, entry

MOVED = ("create", "update", "replace", "delete")
PROGRAM = """
import json
from gpuinfra import GpuCluster

spec = json.load(open("spec.json"))
GpuCluster(spec["name"], spec)
"""
BY_ID = {case.id: case for case in CASES}


def stack_of(folder: Path, spec: Mapping[str, Any]) -> Path:
    """A stack whose program is a spec."""
    folder.mkdir(exist_ok=True)
    (folder / "Pulumi.yaml").write_text("name: changes\nruntime: python\n", encoding="utf-8")
    (folder / "__main__.py").write_text(PROGRAM, encoding="utf-8")
    (folder / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    return folder


@pytest.mark.parametrize("cloud", list(Provider))
def test_the_engine_decides_the_same(
    cloud: Provider, tmp_path: Path, deploy: Callable[..., dict[str, Any]], gpuinfra: Callable[..., Any]
) -> None:
    cases = [BY_ID["network.existing"], BY_ID["node_pools[].instance_type"], BY_ID["storage[].zone"]]
    measure = Measure(tmp_path)
    deployed = ""
    for case in cases:
        before, after = case.specs(cloud)
        base = json.dumps(before, sort_keys=True)
        folder = stack_of(tmp_path / f"stack-{len(before['storage'])}", before)
        if base != deployed:
            deploy("up", folder)
            deployed = base
        stack_of(folder, after)
        steps = measure.steps(case, cloud)
        if "data" in entry(steps)["effects"]:
            said = _refusal(gpuinfra, folder)
            assert "lab-scratch-storage" in said, case.id
            assert "protected" in said, case.id
            continue
        done = deploy("preview", folder)["changes"]
        assert {op: done.get(op, 0) for op in MOVED} == _counted(steps), case.id
    measure.close()


def _counted(steps: list[Any]) -> dict[str, int]:
    found = Counter(step.op for step in steps)
    return {op: found[op] for op in MOVED}


def _refusal(gpuinfra: Callable[..., Any], folder: Path) -> str:
    done = gpuinfra("preview", str(folder), "--simulate", "--yes", "--format", "json", status=1)
    return str(done.stderr)


def test_what_is_in_a_subnet_goes_before_it(
    tmp_path: Path, deploy: Callable[..., dict[str, Any]], gpuinfra: Callable[..., Any]
) -> None:
    """A cloud refuses to delete a subnet with nodes in it, and two subnets with one range."""
    spec = {
        "name": "zone",
        "location": {"provider": "aws", "region": "us-east-1", "zone": "use1-az4"},
        "node_pools": [{"name": "gpu", "instance_type": "g6.xlarge"}],
        "shutdown": {"lease": "8h"},
    }
    folder = stack_of(tmp_path / "zone", spec)
    deploy("up", folder)
    stack_of(folder, {**spec, "location": {**spec["location"], "zone": "use1-az6"}})
    deploy("up", folder)
    seen = json.loads(gpuinfra("simulate", "show", str(folder), "--format", "json").stdout)["events"]
    order = [(e["what"], e["subject"]) for e in seen]
    gone = order.index(("delete", "zone-nodes-subnet"))
    assert order.index(("delete", "zone-gpu-pool-group")) < gone
    assert order[gone:].index(("create", "zone-nodes-subnet")) > 0, "made again only then"
