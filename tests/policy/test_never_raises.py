"""Rules do not raise, whatever the plan or the resources: every example, mutated, is judged by every rule."""

from __future__ import annotations

import random
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from gpuinfra.plan import resolve
from gpuinfra.policy import UNKNOWN, OutputRef, ResourceGraph, Secret, check_graph, check_plan, registry
from gpuinfra.policy.examples import BASE_SPEC, NOW, graph_of, overlaid
from gpuinfra.spec.models import ClusterSpec

ODD: list[Any] = [
    None,
    UNKNOWN,
    OutputRef("nowhere", "id"),
    OutputRef("nodes", "id"),
    Secret("x"),
    Secret([UNKNOWN]),
    Secret({"a": Secret(1)}),
    "",
    "${nodes.id}",
    "${a.b}-c",
    "\x00\ud800",
    "at(2026-99-99T00:00:00)",
    "true",
    "9" * 400,
    "-1",
    -1,
    0,
    10**30,
    1e308,
    float("nan"),
    float("inf"),
    True,
    [],
    {},
    [None],
    [[]],
    [{}],
    [UNKNOWN],
    {"": None},
    {"a": [UNKNOWN]},
]
SPEC_ODD: list[Any] = [
    None, "", "x", "\u2603 ; rm -rf /", "../..", "/", "0.0.0.0/0", "::/0", "1.2.3.4/33", -1, 0, 1, 10_000, 1e9, True, [],
    {}, [None], ["a", "a"], "1s", "3650d", "1 TB", "2026-12-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
    "spot", "reservation", "capacity_block", "flex_start", "slurm", "* * * * *", "* * * * * *", "60 * * * *", "0 0 31 2 *",
    "p5.48xlarge", "g4dn.xlarge", "a3-megagpu-8g", "Standard_ND96isr_H100_v5", "m5.large", "cr-0123456789abcdef0",
    {"min": 0, "max": 10_000}, {"min": 3, "max": 4}, {"cron": "0 0 * * *", "timezone": "Nowhere/Land"},
]  # fmt: skip


@cache
def graphs() -> list[ResourceGraph]:
    rules = registry.resource_rules()
    texts = [t for r in rules for t in (*r.examples.good, *r.examples.bad, *r.examples.unknown)]
    return [graph_of(t) for t in texts]


@cache
def specs() -> list[dict[str, Any]]:
    texts = ["{}", *(t for r in registry.plan_rules() for t in (*r.examples.good, *r.examples.bad))]
    return [overlaid(yaml.safe_load(BASE_SPEC), yaml.safe_load(t) or {}) for t in texts]


def mutated(value: Any, rng: random.Random, odd: list[Any], rate: float) -> Any:
    """A copy with some values, at any depth, replaced by odd ones."""
    if rng.random() < rate:
        return deepcopy(rng.choice(odd))
    if isinstance(value, Mapping):
        return {k: mutated(v, rng, odd, rate) for k, v in value.items()}
    if isinstance(value, list):
        return [mutated(v, rng, odd, rate) for v in value]
    return value


@settings(max_examples=400, derandomize=True, deadline=None)
@given(st.integers(0, 2**32))
def test_no_resource_rule_raises(seed: int):
    rng = random.Random(seed)
    graph = rng.choice(graphs())
    known = sorted({k for g in graphs() for r in g if r.type == graph.resources[0].type for k in r.inputs})
    resources = []
    for r in graph:
        inputs = mutated(dict(r.inputs), rng, ODD, 0.15)
        inputs = inputs if isinstance(inputs, dict) else {}
        if known and rng.random() < 0.3:
            inputs[rng.choice(known)] = deepcopy(rng.choice(ODD))
        options = {
            **r.options,
            rng.choice(["ignoreChanges", "replaceOnChanges"]): rng.choice([["*"], [""], ["a[0].b"], ['["x"]']]),
        }
        resources.append(replace(r, inputs=inputs, options=options, parent=rng.choice(["", r.urn, "urn:none"])))
    facts = {
        "cr-1": mutated(
            {"type": "capacity-block", "start": "2026-12-01T00:00:00Z", "end": "x", "count": 4}, rng, ODD, 0.4
        )
    }
    check_graph(replace(graph, resources=tuple(resources)), now=NOW, facts=facts)


@settings(max_examples=400, derandomize=True, deadline=None)
@given(st.integers(0, 2**32))
def test_no_plan_rule_raises(seed: int):
    rng = random.Random(seed)
    data = mutated(deepcopy(rng.choice(specs())), rng, SPEC_ODD, 0.06)
    try:
        spec = ClusterSpec.model_validate(data)
    except ValidationError:
        return
    plan = resolve(spec, NOW).plan
    if plan is not None:
        for d in check_plan(plan):
            assert d.path
            assert d.message


def test_the_fuzzer_reaches_plans():
    made = 0
    for seed in range(200):
        rng = random.Random(seed)
        try:
            spec = ClusterSpec.model_validate(mutated(deepcopy(rng.choice(specs())), rng, SPEC_ODD, 0.06))
        except ValidationError:
            continue
        made += resolve(spec, NOW).plan is not None
    assert made > 25


def test_every_example_is_judged_by_every_rule_and_twice_alike():
    for graph in graphs():
        first = check_graph(graph, now=NOW)
        assert check_graph(graph, now=NOW) == first


def test_messages_hold_no_secret():
    rng = random.Random(7)
    for graph in graphs():
        resources = tuple(
            replace(r, inputs={k: Secret("hunter2-hunter2") if rng.random() < 0.5 else v for k, v in r.inputs.items()})
            for r in graph
        )
        report = check_graph(replace(graph, resources=resources), now=NOW)
        shown = "\n".join([*(f"{d} {d.hint}" for d in report.diagnostics), *(str(u) for u in report.undecided)])
        assert "hunter2" not in shown
