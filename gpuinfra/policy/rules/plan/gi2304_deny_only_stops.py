"""A denial that is no more than a stop.

What: `budget.on_limit` is `deny`, on a cloud that has nothing to forbid new nodes with.
Why: Google and Azure have no action of a budget, and no right to start nodes that a budget could take from people for one cluster alone; on Google taking the project's billing away destroys data. The groups go to zero when the budget is spent and again at each later message of that month, and until then nodes can be started.
Fix: Write on_limit: stop, which is what happens, and take the right to deploy away by hand where it must be.
References: Cloud Billing, Set up programmatic notifications; Azure Cost Management, Budgets; GoogleCloudPlatform/python-docs-samples#9008
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import OnLimit, Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2304", "deny-only-stops", Severity.WARNING, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the budget. Without a monthly amount nothing acts at all, which another rule says."""
    budget = ctx.plan.spec.budget
    if budget is not None and budget.per_month_usd is not None and budget.on_limit is OnLimit.DENY:
        yield CODE.at(
            "budget.on_limit",
            "'deny' stops the nodes here and forbids nobody to start them again",
            "write stop, which is what happens",
        )


_AZURE = """\
location: {{provider: azure, region: eastus}}
node_pools: [{{instance_type: Standard_ND96isr_H100_v5}}]
storage: []
budget: {0}
"""
_GCP = """\
location: {{provider: gcp, project: acme-lab, region: us-central1}}
node_pools: [{{instance_type: g2-standard-4}}]
storage: []
budget: {0}
"""

RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(
        (_GCP.format("{on_limit: stop}"), _GCP.format("{on_limit: deny, per_month_usd: null, per_run_usd: 900}")),
        (_GCP.format("{on_limit: deny}"), _AZURE.format("{on_limit: deny}")),
    ),
    providers=(Provider.GCP, Provider.AZURE),
)
