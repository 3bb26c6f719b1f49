"""A number of nodes that cuts a rack in two.

What: The number of nodes does not match the machines of one rack-scale system (GB200, GB300).
Severity: warning where the cloud sells any number
Why: An UltraServer is sold as 9 or 18 machines that share one NVLink domain. On the other clouds a rack is 18 machines: another number leaves part of a rack unused, or spans two NVLink domains with the slower network between them.
Fix: Take one of the numbers given.
References: aws/aws-parallelcluster, UltraserverCapacityBlockSizeValidator; Google Cloud docs, A4X; Azure docs, ND GB200 v6
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2216", "rack-in-pieces", Severity.ERROR, __doc__, ("AWS CAP-07", "AZ GB-01", "GCP-PLC-05"))
_RACK = 18
_RACKS = {
    Provider.AWS: (re.compile(r"p\d+e-gb\d+\."), (9, _RACK), True),
    Provider.GCP: (re.compile(r"a4x-"), (), False),
    Provider.AZURE: (re.compile(r"(?i)Standard_ND128isr.*_GB\d+"), (), True),
}
"""By cloud: the types, the sizes sold (none: any number), and whether less than a rack is a fault too."""


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool: an error where the cloud sells certain sizes only, else a warning."""
    pattern, sizes, whole_only = _RACKS[ctx.plan.provider]
    for pool in ctx.plan.pools:
        count = pool.count_max
        if not pattern.match(pool.instance.name) or count in sizes or count < 1:
            continue
        if not sizes and (count % _RACK == 0 or (count < _RACK and not whole_only)):
            continue
        if sizes:
            text = f"and they are sold as {' or '.join(map(str, sizes))}"
            hint = f"take {min(sizes, key=lambda s: abs(s - count))}"
        else:
            text = f"and a rack, which is one NVLink domain, holds {_RACK}"
            below = count // _RACK * _RACK
            hint = f"take {below} or {below + _RACK}" if below else f"take {_RACK}"
        yield CODE.at(
            f"{pool.path}.count",
            f"{count} nodes of {pool.instance.name}, {text}",
            hint,
            severity=Severity.ERROR if sizes else Severity.WARNING,
        )


_T = """\
node_pools: [{{instance_type: p6e-gb200.36xlarge, count: {0}, capacity: {{type: capacity_block, id: cr-0aaa1111bbbb2222c}}}}]
"""
_AZURE = """\
location: {{provider: azure, region: eastus2}}
node_pools: [{{instance_type: {0}, count: {1}}}]
storage: []
"""
_GB200, _GB300 = "Standard_ND128isr_NDR_GB200_v6", "Standard_ND128isr_GB300_v6"

RULE = PlanRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format(9), _T.format(18), _AZURE.format(_GB200, 18), _AZURE.format(_GB300, 36)),
        (_T.format(10), _AZURE.format(_GB200, 4), _AZURE.format(_GB200, 20), _AZURE.format(_GB300, 20)),
    ),
)
