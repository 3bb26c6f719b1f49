"""A capacity block without its start and end.

What: A pool on a capacity block gives no `starts` or no `ends`.
Why: A launch before the start fails, so the group is made at zero nodes; and nothing scales it down, or saves the job, before the cloud takes the nodes.
Fix: Add starts and ends as the block's offer shows them; or scale the group by hand.
References: EC2 User Guide, Capacity Blocks for ML
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2214", "block-times-missing", Severity.WARNING, __doc__, ("AWS CAP-09", "AWS CAP-03"))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool. A block without an id, or of a type not sold so, is refused already."""
    for pool in ctx.plan.pools:
        c = pool.capacity
        if c.type is not CapacityType.CAPACITY_BLOCK or (c.starts and c.ends) or not ctx.sold(pool):
            continue
        missing = [k for k, v in (("starts", c.starts), ("ends", c.ends)) if v is None]
        yield CODE.at(
            f"{pool.path}.capacity",
            f"the block of '{pool.name}' has no {' and no '.join(missing)}, so the group starts at 0 nodes and no schedule "
            "raises it or winds it down",
        )


_T = """\
node_pools: [{{capacity: {{type: capacity_block, id: cr-0aaa1111bbbb2222c{0}}}}}]
"""

RULE = PlanRule(
    CODE,
    ("capacity", "time"),
    check,
    Examples(
        (
            _T.format(', starts: "2026-12-01T11:30:00Z", ends: "2026-12-08T11:30:00Z"'),
            "node_pools: [{capacity: {type: capacity_block}}]",
        ),
        (_T.format(""), _T.format(', starts: "2026-12-01T11:30:00Z"')),
    ),
    providers=(Provider.AWS,),
)
