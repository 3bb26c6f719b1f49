"""How fast a cluster registers on each cloud, beside the program that a person would write for it (`by_hand/`).

Both register the same resources through the same typed SDK under the same recorder; the rate is resources a second of the
processor's time, which a busy machine changes least. Limit: at least 0.9 times the peer's rate, on each cloud and for the
clusters of all clouds in one program.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import time
from collections import Counter
from collections.abc import Callable, Sequence

from .large_specs import PLACES, spec_of
from .processes import verdict

Program = Callable[[], None]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pools", type=int, default=60)
    parser.add_argument("--providers", nargs="+", choices=PLACES, default=list(PLACES))
    args = parser.parse_args(argv)
    kept = True
    for providers in (*([p] for p in args.providers), *([args.providers] if len(args.providers) > 1 else [])):
        kept &= _compare(providers, args.pools, args.runs)
    return 0 if kept else 1


def _compare(providers: Sequence[str], pools: int, runs: int) -> bool:
    """The rates of both ways to the clusters of these clouds, in turn."""
    from gpuinfra.testing import record

    programs = {"gpuinfra": _ours(providers, pools), "by hand": _by_hand(providers, pools)}
    _check_same(programs)
    rates: dict[str, list[float]] = {name: [] for name in programs}
    counts: dict[str, int] = {}
    for run in range(runs):
        # In turn first and second, and without what the one before has left to be collected.
        for name, program in sorted(programs.items(), reverse=bool(run % 2)):
            gc.collect()
            start = time.process_time()
            counts[name] = len(record(program, preview=True).resources)
            rates[name].append(counts[name] / (time.process_time() - start))
    # What else the machine does only ever adds to a time, so the best run is the nearest to the program's own.
    found = {name: max(values) for name, values in rates.items()}
    where = " and ".join(providers)
    print(f"registration on {where}, {pools} pools each, best of {runs}")
    for name, rate in found.items():
        print(f"       {name}: {counts[name]} resources, {rate:.0f}/s")
    return verdict(f"{where}: rate by hand over ours", found["by hand"] / found["gpuinfra"], 1 / 0.9)


def _ours(providers: Sequence[str], pools: int) -> Program:
    from gpuinfra import GpuCluster
    from gpuinfra.spec.models import ClusterSpec

    specs = {_name(providers, p): ClusterSpec.model_validate(spec_of(pools, p)) for p in providers}

    def program() -> None:
        for name, spec in specs.items():
            GpuCluster(name, spec)

    return program


def _by_hand(providers: Sequence[str], pools: int) -> Program:
    written = {p: importlib.import_module(f"benchmarks.by_hand.{p}").cluster for p in providers}
    asked = {p: spec_of(pools, p)["node_pools"] for p in providers}

    def program() -> None:
        for provider, cluster in written.items():
            cluster(asked[provider])

    return program


def _name(providers: Sequence[str], provider: str) -> str:
    return "large" if len(providers) == 1 else f"large-{provider}"


def _check_same(programs: dict[str, Program]) -> None:
    """Ends the run where the two programs do not make the same things: another work is no peer."""
    from gpuinfra.testing import record

    made = {
        name: Counter(_shape(r.type, r.inputs) for r in record(program, preview=True) if r.custom)
        for name, program in programs.items()
    }
    ours, theirs = made["gpuinfra"], made["by hand"]
    if ours != theirs:
        only = [f"  only {name}: {n} x {shape}" for name, more in (("ours", ours - theirs), ("by hand", theirs - ours))
                for shape, n in more.items()]  # fmt: skip
        raise SystemExit("the peer does not make the same resources:\n" + "\n".join(only))


def _shape(type_: str, inputs: object) -> str:
    """A resource's type with the names of what it is given."""
    return f"{type_}({', '.join(sorted(inputs))})" if isinstance(inputs, dict) else type_


if __name__ == "__main__":
    raise SystemExit(main())
