"""A number of nodes that cuts a rack in two.

What: The number of nodes does not match the machines of one rack-scale system (GB200, GB300).
Why: An UltraServer is sold as 9 or 18 machines that share one NVLink domain; on the other clouds a pool of another number spans two domains, with the slower network between them.
Fix: Take one of the numbers given.
References: aws/aws-parallelcluster, UltraserverCapacityBlockSizeValidator; Google Cloud docs, A4X; Azure docs, ND GB200 v6
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2216", "rack-in-pieces", Severity.ERROR, __doc__, ("AWS CAP-07", "AZ GB-01", "GCP GCP-PLC-05"))
_RACKS = {
    Provider.AWS: (re.compile(r"p\d+e-gb\d+\."), (9, 18), True),
    Provider.GCP: (re.compile(r"a4x-"), (18,), False),
    Provider.AZURE: (re.compile(r"(?i)Standard_ND128isr_.*GB\d+"), (18,), False),
}
"""By cloud: the types, the sizes sold, and whether another number is refused."""


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool."""
    pattern, sizes, refused = _RACKS[ctx.plan.provider]
    for pool in ctx.plan.pools:
        count = pool.count_max
        if not pattern.match(pool.instance.name) or count in sizes or count < 1:
            continue
        if not refused and (count % sizes[-1] == 0 or count < sizes[-1]):
            continue
        choice = " or ".join(map(str, sizes)) if refused else f"a multiple of {sizes[-1]}"
        near = min(sizes, key=lambda s: abs(s - count)) if refused else max(round(count / sizes[-1]), 1) * sizes[-1]
        yield CODE.at(
            f"{pool.path}.count",
            f"{count} nodes of {pool.instance.name}; a rack holds {choice}",
            f"take {near}",
            severity=Severity.ERROR if refused else Severity.WARNING,
        )


_T = """\
node_pools: [{{instance_type: p6e-gb200.36xlarge, count: {0}, capacity: {{type: capacity_block, id: cr-0aaa1111bbbb2222c}}}}]
"""

RULE = PlanRule(
    CODE,
    ("capacity",),
    check,
    Examples((_T.format(9), _T.format(18)), (_T.format(10),)),
)
