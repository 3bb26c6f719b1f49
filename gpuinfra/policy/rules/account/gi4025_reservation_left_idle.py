"""A reservation that nobody uses up.

What: A reservation that only this cluster names holds more free machines than its pools may ever start.
Why: Reserved machines bill by the hour whether or not they run.
Fix: Raise count, or give back what is not used; nothing is wrong where others use the rest.
References: EC2 User Guide, Capacity Reservations; Azure docs, on-demand capacity reservation
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ...account_facts import Absent
from ...account_pools import ReservedPool, own_nodes_of, passed, reserved_pools, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4025", "reservation-left-idle", Severity.WARNING, __doc__, ("AWS CAP-14", "AZ CRG-04"))


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each reservation and machine."""
    shared: dict[tuple[str, str, str], list[ReservedPool]] = {}
    for named in reserved_pools(ctx):
        if isinstance(named.found, Absent):
            yield unsure(CODE, named.path, named.found)
        elif named.fitting:
            shared.setdefault((named.id, named.pool.instance.name, named.pool.zone), []).append(named)
    for sharing in shared.values():
        first = sharing[0]
        if any(m.state.lower() == "scheduled" for m in first.fitting):
            # Nothing is free before it begins.
            continue
        if any(m.free is None for m in first.fitting):
            yield unsure(CODE, first.path, Absent(f"how many machines of {first.id} are free is not known"))
            continue
        free = sum(m.free or 0 for m in first.fitting)
        most = max(sum(n.pool.count_max for n in sharing) - own_nodes_of(ctx, first.pool), 0)
        if free > most:
            text = (
                f"{first.id} has {free} free machines, and the cluster may start {most}: {free - most} bill for nothing"
            )
            yield CODE.at(first.path, text)
        else:
            yield passed(CODE, first.path, f"the cluster may use all {free} free machines of {first.id}")


_T = """\
spec: {{node_pools: [{{count: 4, capacity: {{type: reservation, id: cr-0aaa1111bbbb2222c}}}}]}}
account:
  reservations: {{cr-0aaa1111bbbb2222c: {{members: [{{instance_type: p5.48xlarge, total: 8, free: {0}}}]}}}}
"""

RULE = AccountRule(
    CODE,
    ("capacity", "money"),
    check,
    Examples((_T.format(4),), (_T.format(8),), (_T.format("null"),)),
)
