"""Whole outputs of every room. GPUINFRA_REWRITE_GOLDENS=1 rewrites them.

What a node boots is long and may be compressed, so a golden holds what can be read in it: the files' paths and the
node's facts. Their contents have goldens of their own beside the tests of the boot bundle.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuinfra.cluster import GpuCluster
from gpuinfra.policy.engine import check_graph
from gpuinfra.providers import available
from gpuinfra.testing import compare_golden, record

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
GOLDENS = Path(__file__).parents[1] / "golden"
CASES = [f"{provider}-{size}" for provider in available() for size in ("minimal", "complex")]


@pytest.mark.parametrize("mode", ["preview", "update"])
@pytest.mark.parametrize("case", CASES)
def test_whole_output(case: str, mode: str) -> None:
    spec = GOLDENS / case / "cluster.yaml"
    name = yaml.safe_load(spec.read_text(encoding="utf-8"))["name"]
    kept: list[GpuCluster] = []
    graph = record(lambda: kept.append(GpuCluster(name, spec, now=NOW)), preview=mode == "preview")
    assert [str(d) for d in check_graph(graph, kept[0].plan).diagnostics] == [], "our own rules judge our own room"
    resources = [readable(r) for r in graph.to_json()]
    compare_golden(
        {"resources": resources, "reads": sorted(r.name for r in graph.reads)},
        GOLDENS / case / f"{mode}.json",
        # Recording judged the texts already: there "None" is a word of Azure.
        allow=["the text of a missing value"],
    )


def readable(value: Any) -> Any:
    """The value, with every cloud-init document in it as its files, facts and commands."""
    if isinstance(value, dict):
        return {key: readable(v) for key, v in value.items()}
    if isinstance(value, list):
        return [readable(v) for v in value]
    document = cloud_config(value) if isinstance(value, str) else None
    if document is None:
        return value
    files = {f["path"]: f["content"] for f in document["write_files"]}
    facts = json.loads(files["/etc/gpuinfra/cluster.json"])
    return {"files": sorted(files), "facts": facts, "commands": document["runcmd"]}


def cloud_config(text: str) -> dict[str, Any] | None:
    """The document that a text holds, plain, in base64, or compressed; None for any other text."""
    if not text.startswith("#cloud-config"):
        try:
            packed = base64.b64decode(text, validate=True)
            text = (gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed).decode()
        except (binascii.Error, ValueError, OSError):
            return None
    return yaml.safe_load(text) if text.startswith("#cloud-config") else None
