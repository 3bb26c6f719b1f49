"""How long the compatibility solver takes for a pool: `python -m benchmarks solver`.

Every container of the catalog is asked of every GPU on every node image that `auto` takes, fits and misfits alike, each
once, in processor time. Beside it, in the same run: reading one pool of a spec, which every pool costs anyway.
"""

from __future__ import annotations

import argparse
import statistics
import time

from gpuinfra import catalog
from gpuinfra.catalog import Miss
from gpuinfra.plan.compatibility import Outcome, Question, catalog_facts, solve
from gpuinfra.plan.containers import plan_of
from gpuinfra.plan.node_images import choose_node_image, driver_kind_needed
from gpuinfra.spec.models import NodePool
from gpuinfra.vocabulary import FabricKind, Provider

LIMIT_MS = 1.0


def questions() -> list[Question]:
    """One machine of each GPU model and cloud, with each container of the catalog."""
    containers = [plan_of(row) for row in catalog.container_images()]
    found: list[Question] = []
    for provider in Provider:
        seen: set[str] = set()
        for instance in catalog.instance_types(provider):
            accelerator = catalog.accelerator(instance.gpu_model)
            if instance.gpu_model in seen or isinstance(accelerator, Miss):
                continue
            seen.add(instance.gpu_model)
            kind = driver_kind_needed(instance, accelerator)
            choice = choose_node_image(provider, instance, accelerator, "auto", catalog_facts(provider))
            found += [Question(instance, accelerator, choice.node, c, kind, FabricKind.EFA) for c in containers]
    return found


def main(options: list[str] | None = None) -> int:
    argparse.ArgumentParser(description=__doc__).parse_args(options)
    asked = questions()
    took: dict[Outcome, list[float]] = {o: [] for o in Outcome}
    for question in asked:
        begin = time.process_time()
        verdict = solve(question)
        took[verdict.outcome].append((time.process_time() - begin) * 1e3)
    every = sorted(t for times in took.values() for t in times)
    ninety_nine = every[int(len(every) * 0.99)]
    for outcome, times in took.items():
        print(
            f"{outcome:8} {len(times):6} questions, median {statistics.median(times):.3f} ms, worst {max(times):.3f} ms"
        )
    begin = time.process_time()
    for _ in range(200):
        NodePool.model_validate({"name": "gpu", "instance_type": "p5.48xlarge", "count": 4, "mig": "1g.10gb"})
    peer = (time.process_time() - begin) / 200 * 1e3
    median = statistics.median(every)
    print(f"solver: median {median:.3f} ms, 99th percentile {ninety_nine:.3f} ms a pool (limit {LIMIT_MS} ms)")
    print(f"peer, reading one pool of a spec: {peer:.3f} ms")
    missed = median > LIMIT_MS
    print("missed" if missed else "kept")
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
