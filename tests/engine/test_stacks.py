"""Every stack and template lives a whole life on the simulated clouds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from .driving import STACKS, Driven

GROUPS = (
    "aws:autoscaling/group:Group",
    "gcp:compute/instanceGroupManager:InstanceGroupManager",
    "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager",
    "azure-native:compute:VirtualMachineScaleSet",
)


@pytest.mark.parametrize("name", STACKS)
def test_a_whole_life(name: str, stack: Callable[[str], Driven]) -> None:
    it = stack(name)
    preview = it.do("preview")
    planned = preview["changes"]
    assert set(planned) == {"create"}
    made = it.do("up")
    assert made["changes"] == planned
    assert _costs(preview["planned"]) == _costs(made["clusters"]), "a reviewer sees the price before there is anything"
    assert all(one["price_as_of"] and one["lease"] for one in preview["planned"])
    assert len(made["resources"]) == planned["create"] - 1, "all but the stack itself"
    it.agrees()
    assert it.changes("preview") == {}
    it.simulate("advance", "1h")
    assert it.changes("preview") == {}, "an hour later"
    assert it.changes("refresh") == {}
    assert it.changes("up") == {}
    _one_change_of_each_kind(it)
    there = sum(1 for r in it.state["resources"] if not r["type"].startswith("pulumi:providers:"))
    assert it.changes("destroy", "--unprotect") == {"delete": there}
    it.gone()


def _costs(clusters: list[dict[str, Any]]) -> dict[str, Any]:
    return {one["name"]: (one["usd_per_hour"], one["usd_per_hour_at_least"], one["lease"]) for one in clusters}


def _one_change_of_each_kind(it: Driven) -> None:
    """In place, rolling, replaced, and refused where the stack keeps data."""
    before = _ids(it)
    _respec(it, lambda spec: spec["budget"].update(per_month_usd=spec["budget"]["per_month_usd"] + 1000))
    assert set(it.changes("up")) == {"update"}, "in place"
    assert _ids(it) == before

    _respec(it, lambda spec: spec.update(labels={**spec.get("labels", {}), "stage": "two"}))
    assert it.changes("up")
    after = _ids(it)
    groups = {u for u in before if _type(u) in GROUPS}
    assert groups
    assert {u for u in groups if after.get(u) != before[u]} == set(), "rolling: the groups stay"
    assert {u for u in before if "storage" in u.lower() and after.get(u) != before[u]} == set(), "and so do the data"

    _respec(it, _with_another_pool)
    changed = it.changes("up")
    assert {"create", "delete"} <= set(changed), "replaced"
    it.agrees()
    gone = groups - set(_ids(it))
    assert gone, "the group of the old name"

    there = _ids(it)
    if _respec(it, _with_the_data_elsewhere):
        assert "nothing was changed" in it.refused("up"), "refused: it would take the data, or what guards them"
    assert _ids(it) == there


def _with_another_pool(spec: dict[str, Any]) -> None:
    pool = spec["node_pools"][-1]
    old, pool["name"] = pool["name"], "other"
    job = spec.get("job") or {}
    if "pools" in job:
        job["pools"] = ["other" if p == old else p for p in job["pools"]]


def _with_the_data_elsewhere(spec: dict[str, Any]) -> bool:
    """Whether there was storage of its own to give another name."""
    own = [s for s in spec.get("storage", ()) if not s.get("existing")]
    for entry in own[:1]:
        entry["name"] = f"{entry['name']}2"
    return bool(own)


def _specs(it: Driven) -> list[Path]:
    return sorted(p for p in it.folder.glob("*.yaml") if not p.name.startswith("Pulumi"))


def _respec(it: Driven, change: Callable[[dict[str, Any]], Any]) -> bool:
    """Changes every spec of the stack; whether one was."""
    told: list[Any] = []
    for path in _specs(it):
        spec = yaml.safe_load(path.read_text("utf-8"))
        told.append(change(spec))
        path.write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
    return any(t is not False for t in told)


def _type(urn: str) -> str:
    return urn.split("::")[2].split("$")[-1]


def _ids(it: Driven) -> dict[str, str]:
    """Which thing of the cloud each resource of the state is."""
    return {r["urn"]: r["id"] for r in it.state["resources"] if r["custom"] and not r["type"].startswith("pulumi:")}
