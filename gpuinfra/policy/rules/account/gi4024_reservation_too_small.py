"""A reservation with too few machines left.

What: The pools that name a reservation want more nodes than it has free, or than it holds at all.
Severity: warning where it holds enough and others use it at the moment, or where only the largest number of nodes is too much
Why: The rest is refused (ReservationCapacityExceeded), or waits for ever; a job over all nodes never begins.
Fix: Take fewer nodes, have the reservation made larger, or wait until its machines are free.
References: aws/aws-parallelcluster, CapacityReservationSize; GoogleCloudPlatform/cluster-toolkit#4372
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ...account_facts import Absent
from ...account_pools import ReservedPool, own_nodes_of, passed, reserved_pools, unsure
from ...quota_needs import nodes_at_start
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described(
    "GI4024",
    "reservation-too-small",
    Severity.ERROR,
    __doc__,
    ("AWS CAP-14", "AWS CAP-03", "GCP-RSV-04"),
)


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each reservation and machine, over all the pools that share it."""
    shared: dict[tuple[str, str, str], list[ReservedPool]] = {}
    for named in reserved_pools(ctx):
        if isinstance(named.found, Absent):
            yield unsure(CODE, named.path, named.found)
        elif named.fitting:
            shared.setdefault((named.id, named.pool.instance.name, named.pool.zone), []).append(named)
    for sharing in shared.values():
        yield _verdict(ctx, sharing)


def _verdict(ctx: AccountContext, sharing: list[ReservedPool]) -> AccountVerdict:
    first = sharing[0]
    path = f"{first.pool.path}.count"
    held = first.fitting
    if any(m.total is None for m in held):
        return unsure(CODE, path, Absent(f"how many machines {first.id} holds is not known"))
    total = sum(m.total or 0 for m in held)
    free = sum(m.total or 0 if m.free is None else m.free for m in held)
    own = min(own_nodes_of(ctx, first.pool), total - free)
    names = " and ".join(f"'{n.pool.name}'" for n in sharing)
    start, most = sum(nodes_at_start(n.pool) for n in sharing), sum(n.pool.count_max for n in sharing)
    begun = all(m.state.lower() != "scheduled" for m in held)
    has = f"{first.id} holds {total} × {first.pool.instance.name}" + (f", {free + own} of them free" if begun else "")
    room = free + own if begun else total
    if total >= start > room:
        text = f"{has}, and {names} want{'s' if len(sharing) == 1 else ''} {start}"
        return CODE.at(path, text, severity=Severity.WARNING)
    if start > room:
        return CODE.at(path, f"{has}, and {names} want{'s' if len(sharing) == 1 else ''} {start}")
    if most > total:
        text = f"{has}, and {names} may grow to {most}"
        return CODE.at(path, text, f"let max be at most {total}", severity=Severity.WARNING)
    return passed(CODE, path, f"{has}; {names} want{'s' if len(sharing) == 1 else ''} {start}")


_T = """\
spec: {{node_pools: [{{count: 4, capacity: {{type: reservation, id: cr-0aaa1111bbbb2222c}}}}]}}
account:
  reservations: {{cr-0aaa1111bbbb2222c: {{members: [{{instance_type: p5.48xlarge, total: {0}, free: {1}}}]}}}}
"""

RULE = AccountRule(
    CODE,
    ("capacity",),
    check,
    Examples((_T.format(4, 4), _T.format(8, "null")), (_T.format(2, 2), _T.format(4, 3)), (_T.format("null", "null"),)),
)
