"""The ends of a cluster as profiles of Azure Monitor's autoscale: the lease's end, and a time of day.

An autoscale setting holds a scale set between two numbers of nodes. Of its profiles one is in force at a time: one with
fixed dates before a recurring one, of the recurring ones the one that began last, and the default where there is no other
(Azure Monitor, Autoscale with multiple profiles). None of ours has a minimum or a rule, so that nothing here ever starts a
node: a profile takes nodes away, or lets the number be.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pulumi
from pulumi_azure_native import monitor

from ...plan.models import ClusterPlan, PoolPlan
from ...plan.weekly import WeeklyTime
from ..lease import LeaseEnd
from .names import fixed_name
from .resource_group import ResourceGroup
from .tags import tags
from .time_zones import DAYS, stop_times, time_zone

_NONE = "0"
_UTC = "UTC"
_FAR_OFF = "2099-12-31T23:59:00Z"
_LAST_MOMENT = "9999-12-31T23:59:00Z"
_STOP_LASTS_MINUTES = 30
"""How long no node can be had after a stop: autoscale looks every few minutes, and may fail and look again."""
_DAY_MINUTES = 24 * 60


class Shutdown:
    """Makes the autoscale settings of a plan's groups."""

    def __init__(self, plan: ClusterPlan, group: ResourceGroup, end: LeaseEnd) -> None:
        self._plan = plan
        self._group = group
        self._end = end
        stop_at = plan.spec.shutdown.stop_at if plan.spec.shutdown else None
        self._stops = stop_times(stop_at.cron) if stop_at else ()
        self._zone = time_zone(stop_at.timezone) if stop_at else _UTC

    def setting(self, pool: PoolPlan, scale_set_id: pulumi.Input[str], opts: pulumi.ResourceOptions) -> None:
        """Registers what ends a pool's scale set; nothing where the plan has no end."""
        profiles = self._profiles(pool)
        if len(profiles) == 1 and self._end.text is None:
            return
        logical = f"{pool.resource_name}-end"
        monitor.AutoscaleSetting(
            logical,
            autoscale_setting_name=fixed_name(logical, "autoscale_setting"),
            resource_group_name=self._group.name,
            location=self._plan.region,
            # Left out, the setting is there and does nothing.
            enabled=True,
            target_resource_uri=scale_set_id,
            target_resource_location=self._plan.region,
            profiles=profiles,
            tags=tags(self._plan, pool),
            opts=pulumi.ResourceOptions.merge(
                opts,
                pulumi.ResourceOptions(
                    # A setting is one scale set's for life, and a set takes one (Azure/vm-scale-sets#4). It outlives its
                    # set, and is in force again on one that is made anew under the same name.
                    replace_on_changes=["targetResourceUri"],
                    delete_before_replace=True,
                ),
            ),
        )

    def _profiles(self, pool: PoolPlan) -> list[monitor.AutoscaleProfileArgs]:
        most = pulumi.Output.from_input(self._end.until_end(pool.count_max)).apply(_text)
        profiles: list[monitor.AutoscaleProfileArgs] = []
        if self._end.text is not None:
            profiles.append(_over(self._end.text))
        if not self._stops:
            return [*profiles, _profile("run", most)]
        # The pairs replace the default: each stop has its own, which begins when the stop is over.
        for n, (stop, after) in enumerate(zip(self._stops, after_stops(self._stops), strict=True)):
            name = f"stop-{n}" if n else "stop"
            profiles.append(_profile(name, _NONE, self._weekly(stop)))
            profiles.append(_profile(_default_for(name), most, self._weekly(after)))
        return profiles

    def _weekly(self, time: WeeklyTime) -> monitor.RecurrenceArgs:
        return monitor.RecurrenceArgs(
            frequency=monitor.RecurrenceFrequency.WEEK,
            # The lists of hours and minutes take one entry each (MicrosoftDocs/azure-docs#42655).
            schedule=monitor.RecurrentScheduleArgs(
                days=[DAYS[day] for day in time.days], hours=[time.hour], minutes=[time.minute], time_zone=self._zone
            ),
        )


def after_stops(stops: Sequence[WeeklyTime]) -> list[WeeklyTime]:
    """When each stop is over: half an hour later, or half an hour after the last of stops that follow closely.

    No two are over at the same minute, and none when another begins: which of two profiles wins then is not said.
    """
    starts = sorted(stop.hour * 60 + stop.minute for stop in stops)
    found: list[WeeklyTime] = []
    for stop in stops:
        first = stop.hour * 60 + stop.minute
        run = _run_of(first, starts)
        found.append(stop.later(run[-1] + _STOP_LASTS_MINUTES - (len(run) - 1)))
    return found


def _run_of(first: int, starts: Sequence[int]) -> list[int]:
    """Minutes from one stop to itself and to every stop that follows within half an hour of the one before it."""
    run = [0]
    while True:
        gaps = [gap for s in starts if 0 < (gap := (s - first - run[-1]) % _DAY_MINUTES) <= _STOP_LASTS_MINUTES]
        if not gaps:
            return run
        run.append(run[-1] + min(gaps))


def _over(end: pulumi.Input[str]) -> monitor.AutoscaleProfileArgs:
    """No node from the lease's end on."""
    return monitor.AutoscaleProfileArgs(
        name="lease-over",
        capacity=monitor.ScaleCapacityArgs(minimum=_NONE, maximum=_NONE, default=_NONE),
        rules=[],
        fixed_date=monitor.TimeWindowArgs(
            start=end, end=pulumi.Output.from_input(end).apply(_long_after), time_zone=_UTC
        ),
    )


def _long_after(end: str | None) -> str:
    """A window that ends before it begins is refused."""
    # None under mocks that leave outputs out. Moments in UTC are in order as texts.
    return _FAR_OFF if end is None or end < _FAR_OFF else _LAST_MOMENT


def _profile(
    name: str, most: pulumi.Input[str], recurrence: monitor.RecurrenceArgs | None = None
) -> monitor.AutoscaleProfileArgs:
    """At most so many nodes. `default` is what autoscale starts where there are fewer and it cannot read metrics, so it
    is none too (azure-rest-api-specs, ScaleCapacity)."""
    return monitor.AutoscaleProfileArgs(
        name=name,
        capacity=monitor.ScaleCapacityArgs(minimum=_NONE, maximum=most, default=_NONE),
        rules=[],
        recurrence=recurrence,
    )


def _default_for(name: str) -> str:
    """The name by which Azure knows the profile that follows a recurring one."""
    return json.dumps({"name": "Auto created default scale condition", "for": name}, separators=(",", ":"))


def _text(number: float | None) -> str:
    # Capacities are texts; whole numbers cross the wire as floats. None under mocks that leave outputs out.
    return None if number is None else str(int(number))  # pyright: ignore[reportReturnType]
