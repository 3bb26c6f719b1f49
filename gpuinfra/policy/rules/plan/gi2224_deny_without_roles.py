"""A limit that acts on nobody.

What: `budget.on_limit` is `deny` without the roles to deny, or the budget has no monthly amount, and `stop`, `deny`, contacts or alert levels wait for one.
Severity: warning where the monthly amount is missing; info where only mails are lost by that
Why: The cloud forbids new nodes to named roles, and only per_month_usd becomes a budget of the cloud. per_run_usd and per_hour_usd are compared with the worst case before anything is bought; nothing in the cloud watches them.
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
    if budget is None:
        return
    roles = getattr(ctx.plan.spec.location, "deployer_roles", None)
    if budget.on_limit is OnLimit.DENY and roles is not None and not roles:
        yield CODE.at(
            "budget.on_limit",
            "'deny' forbids new nodes to roles, and location.deployer_roles names none",
            "add location.deployer_roles: [the role you deploy with]",
        )
    if budget.per_month_usd is not None:
        return
    amounts = [n for n in ("per_run_usd", "per_hour_usd") if getattr(budget, n) is not None]
    watched = f"nothing in the cloud watches {' and '.join(amounts)}"
    if budget.on_limit is not OnLimit.NOTIFY:
        yield CODE.at(
            "budget.on_limit",
            f"'{budget.on_limit}' acts when the cloud's monthly budget is reached, and per_month_usd is not given: {watched}",
            "add budget.per_month_usd",
            severity=Severity.WARNING,
        )
        return
    waits = next((n for n in ("contacts", "alerts_percent", "start") if n in budget.model_fields_set), None)
    if waits is not None and getattr(budget, waits):
        yield CODE.at(
            f"budget.{waits}",
            f"{waits} has no effect without per_month_usd: {watched}",
            "add budget.per_month_usd",
            severity=Severity.INFO,
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
        (
            "budget: {on_limit: deny}",
            "budget: {on_limit: stop, per_month_usd: null, per_run_usd: 20000}",
            "budget: {on_limit: deny, per_month_usd: null, per_hour_usd: 300}",
            "budget: {per_month_usd: null, per_run_usd: 20000}",
        ),
    ),
)
