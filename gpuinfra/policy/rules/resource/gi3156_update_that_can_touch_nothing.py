"""An update that may neither add nor take away a machine.

What: A group's updatePolicy, or a pool's upgradeSettings, has a surge of 0 and an unavailability of 0.
Why: With both at 0 no machine can ever be changed: the policy is refused, or the update stands still.
Fix: On scarce capacity write maxSurge 0 and maxUnavailable 1.
References: hashicorp/terraform-provider-google#17164
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import GROUPS, NODE_POOL
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3156", "update-that-can-touch-nothing", Severity.ERROR, __doc__, ("GCP-MIG-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group or pool."""
    for r in ctx.gcp.of_type(*GROUPS, NODE_POOL):
        block, keys = (
            ("upgradeSettings", (("maxSurge",), ("maxUnavailable",)))
            if r.type == NODE_POOL
            else (
                "updatePolicy",
                (("maxSurgeFixed", "maxSurgePercent"), ("maxUnavailableFixed", "maxUnavailablePercent")),
            )
        )
        values = [[v for k in pair if (v := r.get(block, k)) is not None] for pair in keys]
        if not all(values):
            continue
        if any(late(v) for pair in values for v in pair):
            yield Undecided(CODE.code, r.name, "the update policy is not known yet")
        elif all(number(v) == 0 for pair in values for v in pair):
            yield CODE.at(f"{r.name}.{block}", "surge and unavailability are both 0", resource=r.name)


_T = "- {{type: gcp.compute.InstanceGroupManager, name: group, inputs: {{updatePolicy: {{maxSurgeFixed: 0, maxUnavailableFixed: {0}}}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("update",),
    check,
    Examples(
        (
            _T.format(1),
            _T.format("null"),
        ),
        (_T.format(0),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
