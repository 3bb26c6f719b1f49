"""`up` of a training cluster on the simulated cloud, beside the engine's own time for the program that a person would write.

The peer (`by_hand/aws.py`) makes the same resources, as `registration` proves, so that what differs is gpuinfra's own work. Both go through the same engine, plugins and empty world, in turn. Limit: 1.2 times the peer, median of the processor's
time of everything that an `up` starts. Then: 2,000 resources in one stack, and how fast a plugin starts and stops.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from .processes import PYTHON, once, verdict

POOLS = 3
"""So many that the cluster has about the resources of the shipped stack aws-h100-training."""
MANY = 2000
_PROGRAMS = {
    "gpuinfra": """
from benchmarks.large_specs import spec_of
from gpuinfra import GpuCluster
from gpuinfra.spec.models import ClusterSpec

GpuCluster("large", ClusterSpec.model_validate(spec_of({n}, "aws")))
""",
    "by hand": """
from benchmarks.by_hand.aws import cluster
from benchmarks.large_specs import spec_of

cluster(spec_of({n}, "aws")["node_pools"])
""",
}
_QUEUES = """
import pulumi_aws as aws

for n in range({n}):
    aws.sqs.Queue(f"q{{n}}", region="us-east-2", tags={{"number": str(n)}})
"""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--resources", type=int, default=MANY)
    args = parser.parse_args(argv)
    from gpuinfra.engine import EngineError, find

    try:
        engine = find()
    except EngineError as e:
        print(f"  not run: {e}")
        return 1
    print(f"engine {engine.version}, {engine.source}")
    with tempfile.TemporaryDirectory() as scratch:
        kept = _up(Path(scratch), args.runs)
        kept &= _many(Path(scratch), args.resources)
        kept &= _plugin(Path(scratch), args.runs)
    return 0 if kept else 1


def _up(scratch: Path, runs: int) -> bool:
    folders = {name: _folder(scratch, name, text.format(n=POOLS)) for name, text in _PROGRAMS.items()}
    times: dict[str, list[float]] = {name: [] for name in folders}
    for run in range(runs + 1):
        for name, folder in folders.items():
            shutil.rmtree(folder / ".gpuinfra", ignore_errors=True)
            took = once(_command("up", folder))
            if run:
                times[name].append(took)
    found = {name: statistics.median(values) for name, values in times.items()}
    print(
        f"up of a cluster of {POOLS} pools, median of {runs}: "
        + ", ".join(f"{name} {s:.2f} s" for name, s in found.items())
    )
    return verdict("ours over the peer", found["gpuinfra"] / found["by hand"], 1.2)


def _command(operation: str, folder: Path) -> list[str]:
    return [PYTHON, "-W", "ignore", "-m", "gpuinfra", operation, str(folder), "--simulate", "--yes", "--format", "json"]


def _folder(scratch: Path, name: str, program: str) -> Path:
    folder = scratch / name.replace(" ", "-")
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text(f"name: {folder.name}\nruntime: python\n")
    (folder / "__main__.py").write_text(program)
    return folder


def _many(scratch: Path, count: int) -> bool:
    folder = _folder(scratch, "many", _QUEUES.format(n=count))
    began = time.monotonic()
    once(_command("up", folder))
    up = time.monotonic() - began
    once(_command("destroy", folder))
    print(f"  ok   {count} resources in one stack: up {up:.0f} s, destroy {time.monotonic() - began - up:.0f} s")
    return True


def _plugin(scratch: Path, runs: int) -> bool:
    from gpuinfra.simulation.home import Home
    from gpuinfra.simulation.schema import Sdk

    home = Home(scratch)
    home.prepare()
    kept = True
    for package in ("aws", "gcp", "azure-native"):
        folder = home.pulumi_home / "plugins" / f"resource-{package}-v{Sdk(package).version}"
        command = [str(folder / f"pulumi-resource-{package}"), "127.0.0.1:1"]
        spans = [_one_plugin(command, {**os.environ, **home.environment()}) for _ in range(max(3, runs))]
        start, stop = (statistics.median(column) for column in zip(*spans, strict=True))
        kept &= verdict(f"seconds until the {package} plugin serves", start, 1.5)
        kept &= verdict(f"seconds until the {package} plugin is gone after SIGINT", stop, 0.5)
    return kept


def _one_plugin(command: list[str], env: dict[str, str]) -> tuple[float, float]:
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    assert process.stdout is not None
    process.stdout.readline()
    serves = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.wait()
    return serves - began, time.monotonic() - serves


if __name__ == "__main__":
    raise SystemExit(main())
