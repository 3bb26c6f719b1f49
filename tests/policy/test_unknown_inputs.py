"""An input of a right program that is not known yet is no fault: nothing is found that was not found before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from benchmarks.mistakes.ours import NOW
from gpuinfra.policy.engine import check_graph
from gpuinfra.policy.examples import graph_of
from gpuinfra.policy.resource_graph import UNKNOWN, ResourceGraph

FILES = sorted((Path(__file__).parent / "correct").glob("*-program-*.yaml"))


def findings(graph: ResourceGraph) -> set[tuple[str, str]]:
    return {(d.code, d.path) for d in check_graph(graph, now=NOW).diagnostics}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_what_is_not_known_yet_is_no_fault(path: Path):
    graph = graph_of(yaml.safe_load(path.read_text(encoding="utf-8"))["resources"])
    before = findings(graph)
    seen: set[tuple[str, str, str]] = set()
    found: set[tuple[str, str, str]] = set()
    for n, r in enumerate(graph.resources):
        for key, value in r.inputs.items():
            kind = (r.type, key, str(value)[:40])
            if kind in seen:
                continue
            seen.add(kind)
            holed = [*graph.resources]
            holed[n] = replace(r, inputs={**r.inputs, key: UNKNOWN})
            new = findings(replace(graph, resources=tuple(holed))) - before
            found |= {(f"{r.name}.{key}", *one) for one in new}
    assert found == set()
