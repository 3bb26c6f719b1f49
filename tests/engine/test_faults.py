"""What breaks in the middle of `up`, what is there afterwards, and that the next `up` and `destroy` put it right."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpuinfra.engine import Engine

from .breaking import below, ended, kill, plugins, when
from .driving import ROOT, Driven
from .killing import TEMPLATES, killed_at_random, recovers


@pytest.mark.parametrize("seed", range(10))
def test_the_engine_is_killed_at_a_random_point(seed: int, engine: Engine, tmp_path: Path) -> None:
    killed_at_random(seed, tmp_path)


@pytest.mark.parametrize("package", TEMPLATES)
def test_a_plugin_is_killed(package: str, stack: Callable[[str], Driven]) -> None:
    it = stack(TEMPLATES[package])
    with when(it.home.world, 8, lambda: kill(plugins(os.getpid(), package))) as hit:
        it.refused("up")
    assert hit
    recovers(it)


def _started(it: Driven, slow: str) -> subprocess.Popen[str]:
    """An `up` on its way. A resource of the slow type takes seconds, so that it is not over before anything hits it."""
    stock = it.folder / "stock.yaml"
    stock.write_text(f"slow: {{'{slow}': 5}}\n")
    words = [sys.executable, "-W", "ignore", "-m", "gpuinfra", "up", str(it.folder), "--simulate", "--yes"]
    words += ["--stock", str(stock)]
    return subprocess.Popen(
        [sys.executable, "-c", _HEARS_CTRL_C, *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


# A shell has what it starts in the background ignore it, and so would all that comes after. It is set in a process of its own:
# between fork and exec of one that serves gRPC nothing may run.
_HEARS_CTRL_C = """\
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda s: s.name)
def test_who_ends_it_lets_the_engine_write_down_what_it_made(
    signal_: signal.Signals, stack: Callable[[str], Driven]
) -> None:
    """Ctrl-C, an order to end as a pipeline gives it, and a terminal that is closed."""
    it = stack("aws-h100-hours")
    process = _started(it, "aws:autoscaling/group:Group")
    with when(it.home.world, 8, lambda: kill([process.pid], signal_)) as hit:
        said, _ = process.communicate(timeout=120)
    assert hit, said
    assert process.returncode == 130, said
    assert "interrupted" in said
    assert "Traceback" not in said
    assert not list(it.home.state.glob(".pulumi/locks/**/*.json")), "the lock is given back"
    it.agrees()
    recovers(it)


def test_the_whole_tool_is_killed(stack: Callable[[str], Driven]) -> None:
    it = stack("gcp-h100-hours")
    process = _started(it, "gcp:compute/instanceGroupManager:InstanceGroupManager")
    left: dict[int, str] = {}

    def act() -> bool:
        left.update(below(process.pid))
        return kill([process.pid])

    with when(it.home.world, 8, act) as hit:
        process.communicate(timeout=120)
    assert hit
    assert ended(lambda: [p for p in left if Path(f"/proc/{p}").exists()], 30), "what it started ends by itself"
    recovers(it)


def test_a_refusal_in_the_middle_of_up(stack: Callable[[str], Driven], tmp_path: Path) -> None:
    it = stack("azure-h100-training")
    stock = tmp_path / "stock.yaml"
    stock.write_text("zones: {eastus-1: {Standard_ND96isr_H100_v5: 3}}\n")
    said = it.refused("up", "--stock", str(stock))
    assert "AllocationFailed" in said or "Allocation" in said
    held = {r["type"] for r in it.state["resources"]}
    assert "azure-native:network:VirtualNetwork" in held, "what was made before stays, and is known"
    assert "azure-native:compute:VirtualMachineScaleSet" not in held
    with it.world() as world:
        assert {t.urn for t in world.things()} <= {r["urn"] for r in it.state["resources"]}
    stock.write_text("zones: {eastus-1: {Standard_ND96isr_H100_v5: 4}}\n")
    it.do("up", "--stock", str(stock))
    recovers(it)


@pytest.mark.parametrize(("name", "zone", "type_", "code"), [
    ("aws-h100-training", "use2-az1", "p5.48xlarge", "InsufficientInstanceCapacity"),
    ("gcp-h100-training", "us-central1-a", "a3-megagpu-8g", "ZONE_RESOURCE_POOL_EXHAUSTED"),
])  # fmt: skip
def test_a_zone_out_of_stock_leaves_a_group_that_waits(
    name: str, zone: str, type_: str, code: str, stack: Callable[[str], Driven], tmp_path: Path
) -> None:
    """These clouds make the group, and it goes on asking: `up` succeeds, and what is missing is seen."""
    it = stack(name)
    stock = tmp_path / "stock.yaml"
    stock.write_text(f"zones: {{{zone}: {{{type_}: 1}}}}\n")
    it.do("up", "--stock", str(stock))
    with it.world() as world:
        assert [n.zone for n in world.nodes()] == [zone]
        assert any(code in e.detail for e in world.events() if e.what == "shortage")
    assert it.changes("preview") == {}, "a group that waits is no difference"
    it.do("destroy", "--unprotect")
    it.gone()


@pytest.mark.parametrize(("name", "quota", "code"), [
    ("aws-h100-training", "L-417A185B", "VcpuLimitExceeded"),
    ("gcp-h100-training", "GPUS-PER-GPU-FAMILY-per-project-region/NVIDIA_H100_MEGA", "QUOTA_EXCEEDED"),
    ("azure-h100-training", "standardNDSH100v5Family", "QuotaExceeded"),
])  # fmt: skip
def test_a_quota_of_zero(name: str, quota: str, code: str, stack: Callable[[str], Driven], tmp_path: Path) -> None:
    """No node comes, the cloud's own code says why, and with a quota the next `up`, or the group itself, completes."""
    it = stack(name)
    stock = tmp_path / "stock.yaml"
    stock.write_text(f"quotas: {{{quota}: 0}}\n")
    if name.startswith("azure"):
        assert code in it.refused("up", "--stock", str(stock))
    else:
        it.do("up", "--stock", str(stock))
        with it.world() as world:
            assert any(code in e.detail for e in world.events() if e.what == "shortage")
    with it.world() as world:
        assert [*world.nodes()] == []
    stock.write_text(f"quotas: {{{quota}: 100000}}\n")
    it.do("up", "--stock", str(stock))
    it.simulate("advance", "1h")
    with it.world() as world:
        assert len([n for n in world.nodes() if n.ended_at is None]) == 4
    it.agrees()
    it.do("destroy", "--unprotect")
    it.gone()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[Path, str], None]]:
    """Puts a file system of a given size in the place of a folder, or gives one that is there another size."""
    mounted: list[Path] = []

    def put(folder: Path, size: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        option = f"remount,size={size}" if folder in mounted else f"size={size}"
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", option, "tmpfs", str(folder)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"a small file system needs the right to mount: {done.stderr.strip()}")
        if folder not in mounted:
            mounted.append(folder)

    yield put
    for folder in mounted:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def test_the_disk_is_full_for_the_state(
    stack: Callable[[str], Driven], small_disk: Callable[[Path, str], None]
) -> None:
    it = stack("aws-h100-hours")
    small_disk(it.home.state, "100k")
    said = it.refused("up")
    assert "disk is full" in said
    small_disk(it.home.state, "64m")
    recovers(it)
