"""Local NVMe asked of a type without it.

What: The spec writes `local_nvme: raid0` or `separate` for a type that has no NVMe drives of its own.
Why: Programs that count on the fast scratch directory write to the root disk instead, slowly, until it is full.
Fix: Write local_nvme: none, or take a type with NVMe.
References: EC2 User Guide, instance store volumes
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import LocalNvme
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2269", "local-nvme-not-there", Severity.WARNING, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool whose spec says so itself; the default asks for nothing."""
    for n, pool in enumerate(ctx.plan.spec.node_pools):
        plan = next((p for p in ctx.plan.pools if p.path == f"node_pools[{n}]"), None)
        if plan is None or "local_nvme" not in pool.model_fields_set or pool.local_nvme is LocalNvme.NONE:
            continue
        # None is unknown, and 0 means that the table says there is none.
        if plan.instance.local_nvme_gb == 0:
            yield CODE.at(
                f"{plan.path}.local_nvme",
                f"'{pool.local_nvme}', and {plan.instance.name} has no NVMe drives of its own",
            )


RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples(("node_pools: [{local_nvme: raid0}]",), ("node_pools: [{instance_type: m5.xlarge, local_nvme: raid0}]",)),
)
