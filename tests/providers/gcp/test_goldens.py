"""Whole outputs. GPUINFRA_REWRITE_GOLDENS=1 rewrites them.

Of user data a golden holds the files' paths and the node's facts: their contents have goldens of their own beside the tests
of the boot bundle.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuinfra.cluster import GpuCluster
from gpuinfra.policy.engine import check_graph
from gpuinfra.testing import compare_golden, record

from .clusters import NOW

GOLDENS = Path(__file__).parents[2] / "golden"


@pytest.mark.parametrize("mode", ["preview", "update"])
@pytest.mark.parametrize("case", ["gcp-minimal", "gcp-complex"])
def test_whole_output(case: str, mode: str) -> None:
    spec = GOLDENS / case / "cluster.yaml"
    name = yaml.safe_load(spec.read_text(encoding="utf-8"))["name"]
    kept: list[GpuCluster] = []
    graph = record(lambda: kept.append(GpuCluster(name, spec, now=NOW)), preview=mode == "preview")
    assert [str(d) for d in check_graph(graph, kept[0].plan).diagnostics] == [], "our own rules judge our own room"
    resources = [readable(r) for r in graph.to_json()]
    compare_golden(
        {"resources": resources, "reads": sorted(r.name for r in graph.reads)}, GOLDENS / case / f"{mode}.json"
    )


def readable(resource: dict[str, Any]) -> dict[str, Any]:
    metadata = resource["inputs"].get("metadata")
    data = metadata.get("user-data") if isinstance(metadata, dict) else None
    if isinstance(data, str):
        document = yaml.safe_load(data)
        files = {f["path"]: f["content"] for f in document["write_files"]}
        facts = json.loads(files["/etc/gpuinfra/cluster.json"])
        metadata["user-data"] = {"files": sorted(files), "facts": facts, "commands": document["runcmd"]}
    return resource
