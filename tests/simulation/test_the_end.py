"""After its end a cluster is expired, and not missing: `up` buys nothing until the lease is changed; and when the budget is
spent, what the spec asked for has happened. On every cloud."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.cluster import GpuCluster
from gpuinfra.policy.resource_graph import ResourceGraph
from gpuinfra.simulation.clockwork import advance, all_clouds
from gpuinfra.simulation.plugin import CLOUDS
from gpuinfra.testing import record
from tests.specs import AWS, AZURE, GCP

from .in_process import Clouds

SPECS = {"aws": AWS, "gcp": GCP, "azure": AZURE}
GROUPS = ("autoscaling/group:Group", "instanceGroupManager:InstanceGroupManager", ":VirtualMachineScaleSet")


def spec_of(cloud: str, **changes: Any) -> dict[str, Any]:
    budget = {"per_month_usd": 500_000, "contacts": ["ml@example.com"], "on_limit": "stop"}
    return {**SPECS[cloud], "budget": budget, "shutdown": {"lease": "72h"}, **changes}


def up(clouds: Clouds, spec: dict[str, Any]) -> ResourceGraph:
    return clouds.up(lambda: GpuCluster("acme", spec))


def preview(clouds: Clouds, spec: dict[str, Any]) -> list[str]:
    """What a preview says."""
    graph = record(
        lambda: GpuCluster("acme", spec, now=clouds.world.now),
        preview=False,
        outputs=_held(clouds),
        invoke=clouds.invoke,
    )
    return [text for _, text in graph.logs]


def _held(clouds: Clouds) -> Any:
    def answer(type_: str, name: str, inputs: Any) -> Any:
        held = clouds.state.get((type_, name))
        return {"id": held[0], **held[2]} if held else None

    return answer


def later(clouds: Clouds, hours: float) -> None:
    advance(clouds.world, all_clouds(CLOUDS), timedelta(hours=hours))


def running(clouds: Clouds) -> int:
    return sum(1 for n in clouds.world.nodes() if n.ended_at is None)


@pytest.mark.parametrize("cloud", SPECS)
def test_an_expired_cluster_buys_nothing(cloud: str, tmp_path: Path) -> None:
    clouds, spec = Clouds(tmp_path), spec_of(cloud)
    up(clouds, spec)
    assert running(clouds) == 2
    assert not [t for t in preview(clouds, spec) if "expired" in t]
    later(clouds, 71)
    assert running(clouds) == 2
    later(clouds, 2)
    assert running(clouds) == 0, "no guest helped"
    clouds.refresh()
    assert any(t.endswith(GROUPS) for t, _ in clouds.state), "the group is there, and not missing"
    (said,) = [t for t in preview(clouds, spec) if "expired" in t]
    assert "shutdown.lease" in said
    for _ in range(2):
        up(clouds, spec)
        assert (clouds.created, clouds.replaced, running(clouds)) == ([], [], 0)
        later(clouds, 24)
        assert running(clouds) == 0
    ended = [n for n in clouds.world.nodes() if n.ended_at]
    assert len(ended) == 2
    assert all("lease" in n.why or "autoscale" in n.why for n in ended), ended


@pytest.mark.parametrize("cloud", SPECS)
def test_a_changed_lease_lets_nodes_be_started_again(cloud: str, tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    up(clouds, spec_of(cloud))
    later(clouds, 73)
    clouds.refresh()
    longer = spec_of(cloud, shutdown={"lease": "240h"})
    up(clouds, longer)
    assert not [t for t in preview(clouds, longer) if "expired" in t]
    (group,) = [t for t in clouds.world.things() if t.type.endswith(GROUPS)]
    how = next(c.groups for c in all_clouds(CLOUDS) if c.groups and group.type in c.groups.types)
    with clouds.world.step():
        # What the message asks for, since `up` leaves the number alone.
        how.resize(clouds.world, clouds.world.thing(group.type, group.id), 2, "by hand")  # type: ignore[arg-type]
    later(clouds, 24)
    assert running(clouds) == 2


@pytest.mark.parametrize("cloud", SPECS)
@pytest.mark.parametrize("on_limit", ["stop", "notify"])
def test_a_spent_budget_does_what_the_spec_asked_for(cloud: str, on_limit: str, tmp_path: Path) -> None:
    budget = {"per_month_usd": 8_000, "contacts": ["ml@example.com"], "on_limit": on_limit}
    clouds = Clouds(tmp_path)
    # A budget counts a calendar month, and the test wants one.
    now = clouds.world.now
    with clouds.world.step():
        clouds.world.move_to((now.replace(day=1) + timedelta(days=32)).replace(day=2))
    # No lease: with one, the plan refuses a budget that it can overrun.
    waivers = [{"code": "GI2351", "reason": "the budget alone is looked at", "expires": "2099-12-31"}]
    up(clouds, spec_of(cloud, budget=budget, shutdown={"idle_after": "30m"}, waivers=waivers))
    later(clouds, 24)
    assert running(clouds) == 2, "a budget lags"
    later(clouds, 24 * 7)
    (told,) = [e for e in clouds.world.events() if e.what == "budget"]
    stopped = [n for n in clouds.world.nodes() if n.why.startswith("budget")]
    assert len(stopped) == (2 if on_limit == "stop" else 0)
    assert running(clouds) == (0 if on_limit == "stop" else 2)
    assert all(n.ended_at and n.ended_at <= told.at for n in stopped)
