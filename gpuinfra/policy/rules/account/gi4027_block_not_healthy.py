"""A capacity block with machines out of order.

What: Machines of the capacity block that a pool names are out of order, or the fabric of its rack is impaired.
Severity: error for nodes that share one NVLink domain
Why: Fewer nodes come than were paid for; a job over a whole rack does not begin, or crawls.
Fix: Ask AWS support to mend the block before its start, and let the pool ask for what is in order.
References: aws/aws-parallelcluster, CapacityBlockHealthStatusValidator; EC2 API Reference, DescribeCapacityBlockStatus
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....vocabulary import CapacityType, Provider
from ...account_facts import Absent
from ...account_pools import passed, reserved_pools, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4027", "block-not-healthy", Severity.WARNING, __doc__, ("AWS CAP-07",))
_IMPAIRED = "impaired"


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each pool on a block that is there."""
    for named in reserved_pools(ctx):
        if named.pool.capacity.type is not CapacityType.CAPACITY_BLOCK:
            continue
        if isinstance(named.found, Absent):
            yield unsure(CODE, named.path, named.found)
            continue
        held = named.fitting
        if not held:
            continue
        broken = sum(m.unhealthy or 0 for m in held)
        impaired = any(m.interconnect == _IMPAIRED for m in held)
        severity = Severity.ERROR if named.pool.spans_rack else Severity.WARNING
        if broken or impaired:
            parts = [f"{broken} machine{'s' if broken != 1 else ''} out of order"] if broken else []
            parts += ["an impaired fabric between its machines"] if impaired else []
            yield CODE.at(named.path, f"{named.id} has {' and '.join(parts)}", severity=severity)
        elif any(m.unhealthy is None for m in held):
            yield unsure(CODE, named.path, Absent(f"whether all machines of {named.id} are in order is not known"))
        else:
            yield passed(CODE, named.path, f"all machines of {named.id} are in order")


_T = """\
spec:
  node_pools:
  - capacity: {{type: capacity_block, id: cr-0aaa1111bbbb2222c, starts: "2026-12-01T11:30:00Z", ends: "2026-12-08T11:30:00Z"}}
account:
  reservations: {{cr-0aaa1111bbbb2222c: {{members: [{{kind: capacity_block, instance_type: p5.48xlarge{0}}}]}}}}
"""

RULE = AccountRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format(", unhealthy: 0, interconnect: ok"),),
        (_T.format(", unhealthy: 1"), _T.format(", unhealthy: 0, interconnect: impaired")),
        (_T.format(""),),
    ),
    providers=(Provider.AWS,),
)
