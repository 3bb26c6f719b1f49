"""How long the rules take: `python -m benchmarks rules`.

All plan rules over plans of 64 nodes, as one pool and as 64 pools, on each cloud; all resource rules over a recorded
graph of 1,000 resources of each cloud, made of the shipped goldens; and over 1,000 resources of all clouds in one
program, made of the rules' own examples, so that every rule has work and finds faults. In processor time, the median of
some runs; the rules are loaded and the tables read before.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from gpuinfra.plan import resolve
from gpuinfra.plan.models import ClusterPlan
from gpuinfra.policy import UNKNOWN, OutputRef, Resource, ResourceGraph, Secret, check_graph, check_plan
from gpuinfra.policy.examples import BASE_SPEC, overlaid
from gpuinfra.policy.examples import graph_of as example_graph
from gpuinfra.policy.registry import plan_rules, resource_rules
from gpuinfra.spec.models import ClusterSpec

PLAN_LIMIT_MS = 50.0
GRAPH_LIMIT_S = 1.0
NODES = 64
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
GOLDENS = Path(__file__).parents[1] / "tests" / "golden"
_CLOUDS = {
    "aws": {"location": {"provider": "aws", "region": "us-east-1"}, "type": "p5.48xlarge"},
    "gcp": {"location": {"provider": "gcp", "project": "acme-lab", "region": "us-central1"}, "type": "g2-standard-4"},
    "azure": {"location": {"provider": "azure", "region": "eastus"}, "type": "Standard_NC24ads_A100_v4"},
}


def plan_of(cloud: str, pools: int) -> ClusterPlan:
    """A plan of 64 nodes in so many pools."""
    facts = _CLOUDS[cloud]
    listed = [{"name": f"pool-{n}", "instance_type": facts["type"], "count": NODES // pools} for n in range(pools)]
    over = {"location": facts["location"], "node_pools": listed, "storage": []}
    plan = resolve(ClusterSpec.model_validate(overlaid(yaml.safe_load(BASE_SPEC), over)), NOW).plan
    if plan is None:
        raise SystemExit(f"no plan for {cloud}")
    return plan


def graph_of(cloud: str, size: int) -> ResourceGraph:
    """A recorded graph of so many resources: the golden cluster of a cloud, again and again under other names."""
    found = json.loads((GOLDENS / f"{cloud}-complex" / "preview.json").read_text(encoding="utf-8"))
    listed = found["resources"] if isinstance(found, dict) else found
    resources: list[Resource] = []
    copy = 0
    while len(resources) < size:
        resources += [_resource(item, copy) for item in listed]
        copy += 1
    resources = sorted(resources[:size], key=lambda r: r.urn)
    return ResourceGraph("bench", "dev", True, tuple(resources))


def graph_of_examples(size: int) -> ResourceGraph:
    """So many resources of all clouds: the examples of all rules in turn, under other names, as one program."""
    texts = [t for r in resource_rules() for t in (*r.examples.bad, *r.examples.good)]
    resources: list[Resource] = []
    copy = 0
    while len(resources) < size:
        found = example_graph(texts[copy % len(texts)])
        resources += [_renamed(r, copy) for r in found.resources]
        copy += 1
    return ResourceGraph("bench", "dev", True, tuple(sorted(resources[:size], key=lambda r: r.urn)))


def _renamed(r: Resource, copy: int) -> Resource:
    """A resource of an example under another name, with all that points at others of the same copy."""
    return replace(
        r,
        urn=f"{r.urn}-{copy}",
        name=f"{r.name}-{copy}",
        inputs=_pointing(r.inputs, copy),
        parent=f"{r.parent}-{copy}" if r.parent else "",
        dependencies=tuple(f"{u}-{copy}" for u in r.dependencies),
        property_dependencies={k: tuple(f"{u}-{copy}" for u in v) for k, v in r.property_dependencies.items()},
    )


def _pointing(value: Any, copy: int) -> Any:
    if isinstance(value, OutputRef):
        return OutputRef(f"{value.resource}-{copy}", value.property)
    if isinstance(value, dict):
        return {k: _pointing(v, copy) for k, v in value.items()}
    return [_pointing(v, copy) for v in value] if isinstance(value, list) else value


def _resource(item: dict[str, Any], copy: int) -> Resource:
    again = _again(item, copy)
    return Resource(
        urn=again["urn"],
        type=item["type"],
        name=again["name"],
        custom=not item["type"].startswith(("gpuinfra:", "pulumi:pulumi:Stack")),
        inputs=again["inputs"],
        parent=again.get("parent", ""),
        dependencies=tuple(again.get("dependencies", ())),
        property_dependencies={k: tuple(v) for k, v in again.get("propertyDependencies", {}).items()},
        options=again.get("options", {}),
    )


def _again(item: dict[str, Any], copy: int) -> dict[str, Any]:
    """A resource of the golden as values that rules read, its name and all that points at others of the same copy."""
    out = {**item, "name": f"{item['name']}-{copy}", "inputs": _value(item["inputs"], copy)}
    for key in ("urn", "parent"):
        out[key] = f"{item[key]}-{copy}" if item.get(key) else ""
    out["dependencies"] = [f"{u}-{copy}" for u in item.get("dependencies", ())]
    out["propertyDependencies"] = {
        k: [f"{u}-{copy}" for u in v] for k, v in item.get("propertyDependencies", {}).items()
    }
    return out


def _value(value: Any, copy: int) -> Any:
    if isinstance(value, dict):
        if "$unknown" in value:
            return UNKNOWN
        if "$secret" in value:
            return Secret("secret")
        if "$output" in value:
            name, _, prop = value["$output"].rpartition(".")
            return OutputRef(f"{name}-{copy}", prop)
        return {k: _value(v, copy) for k, v in value.items()}
    return [_value(v, copy) for v in value] if isinstance(value, list) else value


def median_s(action: Callable[[], object], runs: int) -> float:
    """The median processor time of some runs, after one that reads the tables."""
    action()
    times: list[float] = []
    for _ in range(runs):
        begin = time.process_time()
        action()
        times.append(time.process_time() - begin)
    return statistics.median(times)


def slowest(graph: ResourceGraph) -> list[tuple[float, str]]:
    """The rules that take most of a graph, each alone: (seconds, code)."""
    alone: list[tuple[float, str]] = []
    for rule in resource_rules():
        begin = time.process_time()
        check_graph(graph, now=NOW, rules=(rule,))
        alone.append((time.process_time() - begin, rule.code.code))
    return sorted(alone, reverse=True)[:5]


def main(options: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--resources", type=int, default=1000)
    parser.add_argument("--slowest", action="store_true", help="name the rules that take most, each alone")
    args = parser.parse_args(options)
    missed = False
    for cloud in _CLOUDS:
        for pools in (1, NODES):
            plan = plan_of(cloud, pools)
            ms = median_s(lambda plan=plan: check_plan(replace(plan)), args.runs) * 1e3
            missed |= ms > PLAN_LIMIT_MS
            print(
                f"{cloud:6} {len(plan_rules())} plan rules, {NODES} nodes in {pools:2} pools: {ms:7.1f} ms "
                f"(limit {PLAN_LIMIT_MS:g} ms)"
            )
    graphs = {cloud: graph_of(cloud, args.resources) for cloud in _CLOUDS}
    graphs["all"] = graph_of_examples(args.resources)
    for cloud, graph in graphs.items():
        seconds = median_s(lambda graph=graph: check_graph(graph, now=NOW), args.runs)
        missed |= seconds > GRAPH_LIMIT_S
        print(
            f"{cloud:6} {len(resource_rules())} resource rules, {len(graph.resources)} resources: {seconds:6.3f} s "
            f"(limit {GRAPH_LIMIT_S:g} s)"
        )
        if args.slowest:
            print("       " + ", ".join(f"{code} {s * 1e3:.0f} ms" for s, code in slowest(graph)))
    print("missed" if missed else "kept")
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
