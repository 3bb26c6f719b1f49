"""A reservation that is over, not usable, or ends before the cluster does.

What: The reservation that a pool names has ended or failed, has not begun while nodes are wanted now, has other times than the spec gives, or ends before the lease.
Severity: warning where the times of the spec differ, or a lease that is a duration may outlast the reservation
Why: Launches fail before its start and after its end; the cloud takes the nodes of a block from 30 minutes before (60 for UltraServers).
Fix: Name a reservation in force, give its starts and ends as the cloud has them, and end the lease before it ends.
References: EC2 User Guide, Capacity Blocks for ML; aws/aws-parallelcluster, CapacityReservationValidator
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from ....diagnostics import Diagnostic, Severity
from ....spec.quantities import format_moment
from ...account_facts import Absent, Reserved
from ...account_pools import ReservedPool, passed, reserved_pools, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4023", "reservation-not-in-force", Severity.ERROR, __doc__, ("AWS CAP-06", "GCP-RSV-05"))
_IN_FORCE = ("active", "scheduled")
_MARGIN, _ULTRASERVER_MARGIN = timedelta(minutes=30), timedelta(minutes=60)


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """Verdicts on each pool whose reservation holds its machines."""
    for named in reserved_pools(ctx):
        if isinstance(named.found, Absent):
            yield unsure(CODE, named.path, named.found)
            continue
        held = named.fitting
        if not held:
            continue
        faults = [list(_faults(ctx, named, m)) for m in held]
        # Of several it is enough that one can be used.
        best = min(faults, key=lambda f: (sum(d.is_error for d in f), len(f)))
        yield from best or (passed(CODE, named.path, f"{named.id} is in force{_until(held[0])}"),)


def _faults(ctx: AccountContext, named: ReservedPool, held: Reserved) -> Iterator[Diagnostic]:
    pool, now = named.pool, ctx.now
    if held.ends is not None and held.ends <= now:
        yield CODE.at(named.path, f"{named.id} ended {format_moment(held.ends)}, and it is {format_moment(now)} now")
        return
    if held.state.lower() not in _IN_FORCE:
        yield CODE.at(named.path, f"{named.id} cannot be used: its state is {held.state}")
        return
    if held.starts is not None and held.starts > now and pool.count_initial:
        text = f"{named.id} begins {format_moment(held.starts)}, and pool '{pool.name}' wants {pool.count_initial} nodes now"
        yield CODE.at(named.path, text, "give starts and ends in capacity: the group then waits for the start")
    for word, own, theirs in (
        ("starts", pool.capacity.starts, held.starts),
        ("ends", pool.capacity.ends, held.ends),
    ):
        if own is not None and theirs is not None and own != theirs:
            yield CODE.at(
                f"{pool.path}.capacity.{word}",
                f"the spec says {format_moment(own)}, and {named.id} {word[:-1]}s {format_moment(theirs)}",
                f"set {word}: {format_moment(theirs)}",
                severity=Severity.WARNING,
            )
    yield from _lease(ctx, named, held)


def _lease(ctx: AccountContext, named: ReservedPool, held: Reserved) -> Iterator[Diagnostic]:
    lease = ctx.plan.lease
    # Where the spec gives the same end, the plan was judged by it (GI2213).
    if held.ends is None or not lease.present or held.ends == named.pool.capacity.ends:
        return
    margin = _ULTRASERVER_MARGIN if named.pool.spans_rack else _MARGIN
    last = held.ends - margin if held.kind == "capacity_block" else held.ends
    begins = max(ctx.now, held.starts or ctx.now)
    over: datetime | None = lease.ends or (begins + lease.duration if lease.duration else None)
    if over is not None and over > last:
        text = (
            f"the lease ends {format_moment(over)}, and the nodes of {named.id} are taken from {format_moment(last)} on"
        )
        yield CODE.at(
            lease.path,
            text,
            f"end it by {format_moment(last)}",
            severity=Severity.ERROR if lease.ends else Severity.WARNING,
        )


def _until(held: Reserved) -> str:
    return f" until {format_moment(held.ends)}" if held.ends else ""


_T = """\
spec: {{node_pools: [{{capacity: {{type: reservation, id: cr-0aaa1111bbbb2222c}}}}]}}
account:
  reservations: {{cr-0aaa1111bbbb2222c: {{members: [{{instance_type: p5.48xlarge, state: {0}, ends: {1}}}]}}}}
"""

RULE = AccountRule(
    CODE,
    ("capacity", "time"),
    check,
    Examples(
        (_T.format("active", "null"), _T.format("active", '"2026-12-08T11:30:00Z"')),
        (
            _T.format("active", '"2026-11-29T11:30:00Z"'),
            _T.format("cancelled", "null"),
            _T.format("active", '"2026-12-01T11:30:00Z"'),
        ),
        (_T.format("active", "null").replace("{cr-0aaa", "{cr-0bbb"),),
    ),
)
