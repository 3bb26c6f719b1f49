"""Whole outputs. GPUINFRA_REWRITE_GOLDENS=1 rewrites them.

Custom data is compressed, so a golden holds what can be read in it: the files' paths and the node's facts. Their contents
have goldens of their own beside the tests of the boot bundle.
"""

from __future__ import annotations

import base64
import gzip
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
@pytest.mark.parametrize("case", ["azure-minimal", "azure-complex"])
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
    login = resource["inputs"].get("virtualMachineProfile", {}).get("osProfile", {})
    data = login.get("customData")
    if isinstance(data, str):
        packed = base64.b64decode(data)
        document = yaml.safe_load(gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed)
        files = {f["path"]: f["content"] for f in document["write_files"]}
        facts = json.loads(files["/etc/gpuinfra/cluster.json"])
        login["customData"] = {"files": sorted(files), "facts": facts, "commands": document["runcmd"]}
    return resource
