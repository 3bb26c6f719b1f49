"""What goes on billing when the nodes are gone.

What: The cluster has storage or a NAT gateway, which bill on after every node has stopped. What has no known price is named too.
Why: A lease ends the nodes and keeps the data; a forgotten file system costs as much as a node.
Fix: Remove the stack (pulumi destroy) when the data are no longer needed.
References: FSx for Lustre pricing; VPC pricing, NAT gateway
"""

from __future__ import annotations

from collections.abc import Iterator

from ....cost import HOURS_PER_MONTH
from ....diagnostics import Diagnostic, Severity
from ...money import dated_by, usd
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2272", "bills-after-the-end", Severity.INFO, __doc__, ("AWS COST-09",))
_WORTH_SAYING_USD_PER_MONTH = 10


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for a cluster whose nodes end."""
    end = ctx.plan.spec.shutdown
    if not (ctx.plan.lease.present or (end is not None and (end.idle_after or end.stop_at))):
        return
    left = ctx.cost.residual_usd_per_hour
    lines = [line for line in ctx.cost.lines if not line.ends_with_nodes and not line.by_use]
    known = sorted((line for line in lines if line.usd_per_hour), key=lambda x: -(x.usd_per_hour or 0))
    unpriced = [line.name for line in lines if line.usd_per_hour is None]
    # What deciding refused has no price that could be looked up: it is left out of the names, and not of the sum.
    unknown = unpriced if not ctx.refused else []
    refused = [name for name in ctx.cost.left_out if name.startswith("storage ")]
    if left * HOURS_PER_MONTH < _WORTH_SAYING_USD_PER_MONTH and not unknown:
        return
    names = [line.name for line in known[:4]] + [f"{name} (price not known)" for name in unknown[:4]]
    least = "at least " if unpriced or refused else ""
    when = dated_by((line, line.usd_per_hour or 0) for line in known)
    money = (
        f"{least}{usd(left)} an hour, {usd(left * HOURS_PER_MONTH)} a month ({when})" if known else "an unknown amount"
    )
    kept = [line.name for line in ctx.cost.lines if line.by_use and line.path.startswith("storage")]
    use = f"; what lies in {', '.join(kept[:4])} is billed by the GiB" if kept else ""
    yield CODE.at("shutdown", f"when the nodes are gone {money} goes on: {', '.join(names)}{use}")


_UNPRICED = """\
location: {provider: gcp, project: acme-lab, region: us-central1}
node_pools: [{instance_type: g2-standard-4}]
storage: [{kind: lustre, size_gib: 18000, throughput_mbps_per_tib: 500, mount: /scratch}]
"""

RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(("{shutdown: null, budget: null}",), ("storage: [{size_gib: 9600}]", _UNPRICED)),
)
