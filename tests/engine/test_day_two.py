"""What is changed in a cluster that runs: only what the change asks for is touched, and `up` succeeds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"


def test_a_cluster_of_google_grows(stack_copy: Callable[[str], Path], deploy: Callable[..., dict[str, Any]]) -> None:
    folder = stack_copy("gcp-l4-inference")
    before = deploy("up", folder)
    file = folder / "cluster.yaml"
    spec = yaml.safe_load(file.read_text(encoding="utf-8"))

    def changed() -> dict[str, Any]:
        file.write_text(yaml.safe_dump(spec), encoding="utf-8")
        made = deploy("up", folder)
        assert set(deploy("preview", folder)["changes"]) == {"same"}
        return made["changes"]

    # Nodes that run keep the template that they were made with; the next one stands before the old one goes.
    spec["labels"]["stage"] = "prod"
    assert changed()["replace"] == 1

    spec["budget"]["per_month_usd"] = 9000
    spec["node_pools"].append({"name": "wide", "instance_type": "g2-standard-48", "count": 1})
    spec["storage"].append({"name": "home", "kind": "nfs", "size_gib": 1024, "mount": "/shared"})
    grown = changed()
    assert grown["replace"] == 2, "templates mount the storage; the identity's condition names the pools"
    assert "delete" not in grown

    kept = {r["name"] for r in before["resources"]} - {r["name"] for r in deploy("preview", folder)["resources"]}
    assert not kept
