"""The world's time: when schedules fire, and what time alone does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.simulation.clockwork import advance, firings
from gpuinfra.simulation.cloud import Cloud, Due
from gpuinfra.simulation.world import World

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 3, 27, 12, tzinfo=UTC)
"""A Friday; on Sunday the clocks of Berlin go forward."""


@pytest.mark.parametrize(("line", "zone", "days", "found"), [
    ("0 20 * * 1-5", BERLIN, 4, ["27 19:00", "30 18:00"]),
    ("0 20 * * *", ZoneInfo("UTC"), 2, ["27 20:00", "28 20:00"]),
    ("30 12 27 * *", ZoneInfo("UTC"), 32, ["27 12:30", "27 12:30"]),
    ("0 12 * * *", ZoneInfo("UTC"), 1, ["28 12:00"]),
    ("0 0 1 1 *", ZoneInfo("UTC"), 30, []),
    ("0 9 28 * 1", ZoneInfo("UTC"), 4, ["28 09:00", "30 09:00"]),
])  # fmt: skip
def test_when_a_line_fires(line: str, zone: ZoneInfo, days: int, found: list[str]) -> None:
    fired = list(firings(line, zone, START, START + timedelta(days=days)))
    assert [f"{m:%d %H:%M}" for m in fired] == found


@given(st.integers(0, 59), st.integers(0, 23), st.integers(1, 400))
def test_a_span_in_two_parts_fires_as_the_whole(minute: int, hour: int, hours: int) -> None:
    line = f"{minute} {hour} * * *"
    middle, end = START + timedelta(hours=hours // 2), START + timedelta(hours=hours)
    parts = [*firings(line, BERLIN, START, middle), *firings(line, BERLIN, middle, end)]
    assert parts == list(firings(line, BERLIN, START, end))
    assert parts == sorted(set(parts))


def test_what_is_due_happens_in_its_order_and_at_its_moment(tmp_path: Path) -> None:
    world = World(tmp_path / "world.sqlite")
    began, seen = world.now, []

    def due(world: World, after: datetime, until: datetime) -> list[Due]:
        moments = {"late": began + timedelta(minutes=50), "early": began + timedelta(minutes=10)}
        return [
            Due(moment, name, lambda w, name=name: seen.append((name, w.now)))
            for name, moment in moments.items()
            if after < moment <= until
        ]

    cloud = Cloud("test", lambda r: "", lambda r, i: {}, due=due)
    advance(world, [cloud], timedelta(hours=5))
    assert [name for name, _ in seen] == ["early", "late"]
    assert [round((moment - began).total_seconds() / 600) for _, moment in seen] == [1, 5]
    assert timedelta(hours=5) <= world.now - began < timedelta(hours=5, minutes=1)
    advance(world, [cloud], timedelta(hours=5))
    assert len(seen) == 2, "nothing happens twice"
