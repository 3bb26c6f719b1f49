"""`gpuinfra plan` on each cloud, beside a process that only imports the SDK modules that it uses.

Limit: 1.3 times the import, plus 0.3 s, also for one spec on all clouds, planned in one process. And 400 pools in less
than 5 times the time of 100, in one process each.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from .large_specs import PLACES, spec_of
from .processes import PYTHON, medians, verdict

_STACK = "stacks/{}-h100-training/cluster.yaml"
_PLANS = """
import io, contextlib, sys
import gpuinfra.cli
for spec in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            gpuinfra.cli.main(['plan', spec, '--format', 'json'])
        except SystemExit as end:
            assert not end.code, end.code
"""
"""Plans each spec. What it has loaded at its end is what its peer imports."""
_SHOW = "print(' '.join(m for m in sys.modules if m.split('.')[0].startswith('pulumi')))"


def _sdk_modules(specs: Sequence[str]) -> list[str]:
    command = [PYTHON, "-c", _PLANS + _SHOW, *specs]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()[-1].split()


def _register(pools: int, provider: str) -> float:
    """Seconds to record a cluster of so many pools."""
    from gpuinfra import GpuCluster
    from gpuinfra.spec.models import ClusterSpec
    from gpuinfra.testing import record

    spec = ClusterSpec.model_validate(spec_of(pools, provider))
    start = time.process_time()
    graph = record(lambda: GpuCluster("large", spec), preview=True)
    took = time.process_time() - start
    print(f"       {pools} pools: {len(graph.resources)} resources in {took:.2f} s")
    return took


def _start(providers: Sequence[str], runs: int) -> bool:
    """The plan of one spec on these clouds, beside the import of what it loads."""
    specs = [_STACK.format(p) for p in providers]
    modules = _sdk_modules(specs)
    where = " and ".join(providers)
    ours = [PYTHON, "-m", "gpuinfra", "plan", *specs] if len(specs) == 1 else [PYTHON, "-c", _PLANS, *specs]
    with tempfile.TemporaryDirectory() as temp:
        peer = Path(temp) / "peer.py"
        peer.write_text("import importlib\nfor m in " + repr(modules) + ":\n    importlib.import_module(m)\n")
        found = medians({"plan": ours, f"import of its {len(modules)} SDK modules": [PYTHON, str(peer)]}, runs)
    print(f"plan on {where}: whole process, median of {runs}")
    for name, seconds in found.items():
        print(f"       {name}: {seconds:.3f} s")
    plan_s, peer_s = found.values()
    return verdict(f"plan on {where}, s", plan_s, 1.3 * peer_s + 0.3)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pools", type=int, nargs=2, default=(100, 400))
    parser.add_argument("--providers", nargs="+", choices=PLACES, default=list(PLACES))
    args = parser.parse_args(argv)
    kept = True
    for providers in (*([p] for p in args.providers), *([args.providers] if len(args.providers) > 1 else [])):
        kept &= _start(providers, args.runs)
    few, many = args.pools
    for provider in args.providers:
        print(f"growth on {provider}")
        _register(1, provider)
        ratio = _register(many, provider) / _register(few, provider)
        kept &= verdict(f"{many} pools over {few} pools on {provider}, times", ratio, 5 * many / few / 4)
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
