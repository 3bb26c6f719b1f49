"""How fast a cluster registers on each cloud, beside the program that a person would write for it (`by_hand/`).

Both register the same resources with the same options through the same typed SDK under the same recorder; the rate is resources a second of the
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
from statistics import median

from gpuinfra.policy.resource_graph import Resource

from .large_specs import PLACES, spec_of
from .processes import verdict

Program = Callable[[], None]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=11)
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
    where = " and ".join(providers)
    print(f"registration on {where}, {pools} pools each, median of {runs}")
    for name, values in rates.items():
        print(f"       {name}: {counts[name]} resources, {median(values):.0f}/s (best {max(values):.0f}/s)")
    # The two of a run stand side by side in time, so that what else the machine does slows both.
    ratio = median(theirs / ours for theirs, ours in zip(rates["by hand"], rates["gpuinfra"], strict=True))
    return verdict(f"{where}: rate by hand over ours", ratio, 1 / 0.9)


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
        name: Counter(_shape(r) for r in record(program, preview=True) if r.custom)
        for name, program in programs.items()
    }
    ours, theirs = made["gpuinfra"], made["by hand"]
    if ours != theirs:
        only = [f"  only {name}: {n} x {shape}" for name, more in (("ours", ours - theirs), ("by hand", theirs - ours))
                for shape, n in more.items()]  # fmt: skip
        raise SystemExit("the peer does not make the same resources:\n" + "\n".join(only))


def _shape(resource: Resource) -> str:
    """A resource's type with the names of what it is given and with its options, whose URNs are only counted: those of
    the parts that the two programs are made of differ."""
    options = {k: len(v) if k == "replaceWith" else v for k, v in sorted(resource.options.items()) if v}
    given = ", ".join(sorted(resource.inputs))
    return f"{resource.type}({given}) {options}"


if __name__ == "__main__":
    raise SystemExit(main())
