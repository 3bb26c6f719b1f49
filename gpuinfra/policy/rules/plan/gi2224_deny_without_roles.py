"""A limit that acts on nobody.

What: `budget.on_limit` is `deny` without the roles to deny, or `stop` or `deny` without a monthly amount.
Why: The cloud forbids new nodes to named roles, and reacts to a budget of a month; without them nothing happens at the limit.
Fix: Name the roles that people and pipelines deploy with in location.deployer_roles, and give budget.per_month_usd.
References: AWS Budgets User Guide, budget actions; hashicorp/terraform-provider-aws#45115
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import OnLimit
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2224", "deny-without-roles", Severity.ERROR, __doc__, ("AWS COST-04",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the budget. A location without such a field has another way to deny."""
    budget = ctx.plan.spec.budget
    if budget is None or budget.on_limit is OnLimit.NOTIFY:
        return
    roles = getattr(ctx.plan.spec.location, "deployer_roles", None)
    if budget.on_limit is OnLimit.DENY and roles is not None and not roles:
        yield CODE.at(
            "budget.on_limit",
            "'deny' forbids new nodes to roles, and location.deployer_roles names none",
            "add location.deployer_roles: [the role you deploy with]",
        )
    if budget.per_month_usd is None:
        yield CODE.at(
            "budget.on_limit",
            f"'{budget.on_limit}' acts when the cloud's monthly budget is reached, and per_month_usd is not given",
            "add budget.per_month_usd",
            severity=Severity.WARNING,
        )


RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(
        (
            "budget: {on_limit: stop}",
            "{location: {provider: aws, region: us-east-1, deployer_roles: [ml]}, budget: {on_limit: deny}}",
        ),
        ("budget: {on_limit: deny}", "budget: {on_limit: stop, per_month_usd: null, per_run_usd: 20000}"),
    ),
)
