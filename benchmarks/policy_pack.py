"""What the policy pack adds to a preview, beside a pack that holds one policy that does nothing.

The program registers 200 resources of a GPU cluster; both packs run in turn in the same folder, through the engine and the
simulated clouds. Limit: a tenth more than the empty pack, median of the paired ratios of the processor's time of everything
that the preview starts; what a person waited is printed beside it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from .processes import PYTHON, ROOT, once, verdict

LIMIT = 1.10
POOLS = 33
"""So many that the cluster has 209 resources."""
_PROGRAM = """
from benchmarks.large_specs import spec_of
from gpuinfra import GpuCluster
from gpuinfra.spec.models import ClusterSpec

GpuCluster("large", ClusterSpec.model_validate(spec_of({n}, "aws")))
"""
_EMPTY = """
from pulumi_policy import EnforcementLevel, PolicyPack, StackValidationPolicy

PolicyPack("empty", [StackValidationPolicy("nothing", "Nothing.", lambda args, report: None, EnforcementLevel.MANDATORY)])
"""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--pools", type=int, default=POOLS)
    args = parser.parse_args(argv)
    from gpuinfra.engine import EngineError, find

    try:
        engine = find()
    except EngineError as e:
        print(f"  not run: {e}")
        return 0
    print(f"engine {engine.version}, {engine.source}")
    with tempfile.TemporaryDirectory() as scratch:
        return 0 if _run(Path(scratch), engine.command, args.runs, args.pools) else 1


def _run(scratch: Path, engine: Path, runs: int, pools: int) -> bool:
    folder = _stack(scratch, pools)
    packs = {"empty": _empty_pack(scratch), "ours": _our_pack(scratch)}
    env = _environment(scratch, folder, engine)
    pulumi = [str(engine), "--non-interactive"]
    subprocess.run([*pulumi, "stack", "init", "dev"], cwd=folder, env=env, check=True, capture_output=True)
    ratios: list[tuple[float, float]] = []
    spent: dict[str, list[float]] = {name: [] for name in packs}
    for run in range(runs + 1):
        found = {}
        # Each goes first in every other run, so that a machine that warms up helps neither.
        for name in list(packs)[:: 1 if run % 2 else -1]:
            began = time.monotonic()
            took = once([*pulumi, "preview", "--policy-pack", str(packs[name])], cwd=folder, env=env)
            found[name] = (time.monotonic() - began, took)
            spent[name].append(found[name][0])
        if run:
            ratios.append((found["ours"][0] / found["empty"][0], found["ours"][1] / found["empty"][1]))
    medians = ", ".join(f"{name} pack {statistics.median(s[1:]):.2f} s" for name, s in spent.items())
    print(f"preview of a cluster of {pools} pools, median of {runs}: {medians}")
    waits, works = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(f"  ours over the empty pack, as a person waits: {waits:.3f}")
    return verdict("ours over the empty pack, the processor's time", works, LIMIT)


def _stack(scratch: Path, pools: int) -> Path:
    folder = scratch / "large"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: large\nruntime: python\n")
    (folder / "__main__.py").write_text(_PROGRAM.format(n=pools))
    return folder


def _empty_pack(scratch: Path) -> Path:
    folder = scratch / "empty"
    folder.mkdir()
    (folder / "PulumiPolicy.yaml").write_text("runtime: python\nversion: 0.0.1\n")
    (folder / "__main__.py").write_text(_EMPTY)
    return folder


def _our_pack(scratch: Path) -> Path:
    folder = scratch / "ours"
    once([PYTHON, "-W", "ignore", "-m", "gpuinfra", "policy-pack", str(folder)])
    return folder


def _environment(scratch: Path, folder: Path, engine: Path) -> dict[str, str]:
    from gpuinfra.simulation.home import Home
    from tests import language_host

    home = Home(folder)
    home.prepare()
    env = {**os.environ, **home.environment(), "PYTHONPATH": str(ROOT)}
    if language_host.real(engine) is None:
        env["PATH"] = f"{language_host.install(scratch / 'bin').parent}{os.pathsep}{env['PATH']}"
    return env


if __name__ == "__main__":
    raise SystemExit(main())
