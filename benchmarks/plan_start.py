"""`gpuinfra plan` beside a process that only imports the SDK modules that it uses.

Limit: 1.3 times the import, plus 0.3 s. And 400 pools in less than 5 times the time of 100, in one process each.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from .large_specs import spec_of
from .processes import PYTHON, medians, verdict

# What a plan of the shipped stack has loaded at its end, asked of the process itself, so that the peer imports the same.
_LOADED = (
    "import sys, gpuinfra.cli\n"
    "try:\n    gpuinfra.cli.main(['plan', 'stacks/aws-h100-training/cluster.yaml', '--format', 'json'])\n"
    "except SystemExit:\n    pass\n"
    "print('\\n' + ' '.join(m for m in sys.modules if m.split('.')[0] in ('pulumi', 'pulumi_aws', 'pulumiverse_time')))"
)


def _sdk_modules() -> list[str]:
    import subprocess

    out = subprocess.run([PYTHON, "-c", _LOADED], capture_output=True, text=True, check=True).stdout
    return out.strip().splitlines()[-1].split()


def _register(pools: int) -> float:
    """Seconds to record a cluster of so many pools."""
    from gpuinfra import GpuCluster
    from gpuinfra.spec.models import ClusterSpec
    from gpuinfra.testing import record

    spec = ClusterSpec.model_validate(spec_of(pools))
    start = time.perf_counter()
    graph = record(lambda: GpuCluster("large", spec), preview=True)
    took = time.perf_counter() - start
    print(f"       {pools} pools: {len(graph.resources)} resources in {took:.2f} s")
    return took


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pools", type=int, nargs=2, default=(100, 400))
    args = parser.parse_args(argv)
    modules = _sdk_modules()
    with tempfile.TemporaryDirectory() as temp:
        peer = Path(temp) / "peer.py"
        peer.write_text("import importlib\nfor m in " + repr(modules) + ":\n    importlib.import_module(m)\n")
        found = medians(
            {
                "gpuinfra plan": [PYTHON, "-m", "gpuinfra", "plan", "stacks/aws-h100-training/cluster.yaml"],
                f"import of its {len(modules)} SDK modules": [PYTHON, str(peer)],
            },
            args.runs,
        )
    print(f"plan: whole process, median of {args.runs}")
    for name, seconds in found.items():
        print(f"       {name}: {seconds:.3f} s")
    ours, peer_s = found.values()
    kept = verdict("gpuinfra plan, s", ours, 1.3 * peer_s + 0.3)
    few, many = args.pools
    _register(1)
    ratio = _register(many) / _register(few)
    kept &= verdict(f"{many} pools over {few} pools, times", ratio, 5 * many / few / 4)
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
