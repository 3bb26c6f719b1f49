"""How fast a cluster registers, beside the program that a person would write for it (`by_hand.py`).

Both register through the same typed SDK under the same recorder; the rate is resources a second. Limit: at least 0.9
times the peer's rate.
"""

from __future__ import annotations

import argparse
import statistics
import time

from .large_specs import spec_of
from .processes import verdict


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pools", type=int, default=60)
    args = parser.parse_args(argv)
    from gpuinfra import GpuCluster
    from gpuinfra.spec.models import ClusterSpec
    from gpuinfra.testing import record

    from .by_hand import cluster

    spec = ClusterSpec.model_validate(spec_of(args.pools))
    pools = spec_of(args.pools)["node_pools"]
    programs = {"gpuinfra": lambda: GpuCluster("large", spec), "by hand": lambda: cluster(pools)}
    rates: dict[str, list[float]] = {name: [] for name in programs}
    counts: dict[str, int] = {}
    for run in range(args.runs + 1):
        for name, program in programs.items():
            start = time.perf_counter()
            counts[name] = len(record(program, preview=True).resources)
            if run:  # the first run of each loads modules
                rates[name].append(counts[name] / (time.perf_counter() - start))
    found = {name: statistics.median(values) for name, values in rates.items()}
    print(f"registration, {args.pools} pools, median of {args.runs}")
    for name, rate in found.items():
        print(f"       {name}: {counts[name]} resources, {rate:.0f}/s")
    ratio = found["by hand"] / found["gpuinfra"]
    return 0 if verdict("rate by hand over ours", ratio, 1 / 0.9) else 1


if __name__ == "__main__":
    raise SystemExit(main())
