"""A lease and a capacity block, or a calendar reservation, that do not fit.

What: The lease runs past the moment from which the cloud takes the nodes, or ends before the block or the reservation begins.
Severity: warning where the lease is a duration: it starts at the first `up`, a moment that is not known yet
Why: AWS terminates the nodes from 30 minutes before the end (UltraServers 60), Google at the end of the calendar window; a lease that ends first leaves paid capacity unused.
Fix: End the lease at the moment given, or leave the lease to the block.
References: EC2 User Guide, Capacity Blocks for ML; AI Hypercomputer, future reservations in calendar mode
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from ....diagnostics import Diagnostic, Severity
from ....plan.models import PoolPlan
from ....spec.quantities import format_moment
from ....vocabulary import CapacityType, Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2213", "lease-outlives-block", Severity.ERROR, __doc__, ("AWS CAP-06", "GCP-RSV-05"))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each block. A duration starts at the first `up`, taken as now, so that it is a warning."""
    lease = ctx.plan.lease
    if not lease.present:
        return
    fixed = lease.ends is not None
    end = lease.ends or ctx.now + (lease.duration or timedelta())
    severity = Severity.ERROR if fixed else Severity.WARNING
    for pool in ctx.plan.pools:
        block = pool.capacity
        if not block.type.names_capacity or not ctx.sold(pool):
            continue
        word = "block" if block.type is CapacityType.CAPACITY_BLOCK else "reservation"
        if block.starts is not None and block.ends is not None and block.ends <= block.starts:
            # The times are another rule's finding, and nothing follows from them.
            continue
        if block.ends is not None and block.ends > ctx.now and end > (last := _last(pool, block.ends)):
            yield CODE.at(
                "shutdown.lease",
                f"the lease ends {format_moment(end)}, and the cloud takes the nodes of '{pool.name}' from "
                f"{format_moment(last)} on (the {word} ends {format_moment(block.ends)})",
                f"end the lease by {format_moment(last)}",
                severity=severity,
            )
        elif block.starts is not None and end <= block.starts:
            yield CODE.at(
                "shutdown.lease",
                f"the lease ends {format_moment(end)}, before the {word} of '{pool.name}' begins "
                f"({format_moment(block.starts)}): what is paid is never used",
                f"end the lease after {format_moment(block.starts)}",
                severity=severity,
            )


def _last(pool: PoolPlan, ends: datetime) -> datetime:
    """From when the cloud takes the nodes. The plan's own margin tells UltraServers from other blocks; what has no margin
    ends with its window."""
    if pool.capacity.scale_down is None:
        return ends
    margin = ends - pool.capacity.scale_down
    return ends - timedelta(minutes=60 if margin > timedelta(minutes=60) else 30)


_T = """\
node_pools:
  - count: 8
    capacity: {{type: capacity_block, id: cr-0aaa1111bbbb2222c, starts: "2026-12-01T11:30:00Z", ends: "2026-12-08T11:30:00Z"}}
shutdown: {{lease: "{0}", idle_after: null}}
"""
_CALENDAR = """\
location: {{provider: gcp, project: acme-lab, region: us-central1}}
network: {{}}
node_pools:
  - instance_type: a3-ultragpu-8g
    capacity: {{type: reservation, id: res-h, starts: "2026-12-01T00:00:00Z", ends: "2026-12-08T00:00:00Z"}}
storage: []
shutdown: {{lease: "{0}", idle_after: null}}
"""

RULE = PlanRule(
    CODE,
    ("capacity", "time"),
    check,
    Examples(
        (_T.format("2026-12-08T10:30:00Z"), _CALENDAR.format("2026-12-07T23:00:00Z")),
        (
            _T.format("2026-12-09T00:00:00Z"),
            _T.format("2026-12-01T00:00:00Z"),
            _CALENDAR.format("2026-12-09T00:00:00Z"),
        ),
    ),
    providers=(Provider.AWS, Provider.GCP),
)
