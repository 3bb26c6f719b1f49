"""A budget that tells nobody, or too many.

What: A monthly budget has no contacts, a contact that is no e-mail address, or more contacts than one alert takes.
Severity: warning where somebody is told without contacts: by Google, or by what on_limit does
Why: AWS and Azure refuse a notification without a receiver; a mistyped address is never noticed.
Fix: Add budget.contacts: [team@example.com].
References: AWS Budgets API, Subscriber; Azure Consumption API, contactEmails
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import OnLimit, Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2208", "budget-tells-nobody", Severity.ERROR, __doc__, ("AWS COST-01", "AZ BUD-04"))
_MAIL = re.compile(r"[^@\s,;<>]+@[^@\s,;<>]+\.[^@\s,;<>]+")
_MOST = {Provider.AWS: 10, Provider.AZURE: 50, Provider.GCP: 5}
"""Addresses of one alert: AWS ten beside a topic, Azure fifty, Google five notification channels."""
_HAS_RECEIVERS_OF_ITS_OWN = {Provider.GCP}
"""Google tells the administrators of the billing account where no channel is named."""


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each fault."""
    plan, budget = ctx.plan, ctx.plan.spec.budget
    if budget is None:
        return
    if not budget.contacts and budget.per_month_usd is not None:
        told = plan.provider in _HAS_RECEIVERS_OF_ITS_OWN or budget.on_limit is not OnLimit.NOTIFY
        yield CODE.at(
            "budget.contacts",
            "the budget has alerts and no contacts: nobody is told",
            severity=Severity.WARNING if told else Severity.ERROR,
        )
    most = _MOST[plan.provider]
    if len(budget.contacts) > most:
        yield CODE.at(
            "budget.contacts",
            f"{len(budget.contacts)} contacts, and an alert takes {most}",
            "use one address that forwards to all of them",
        )
    for n, contact in enumerate(budget.contacts):
        if not _MAIL.fullmatch(contact):
            yield CODE.at(f"budget.contacts[{n}]", f"'{contact[:60]}' is no e-mail address", "write name@example.com")


RULE = PlanRule(
    CODE,
    ("money",),
    check,
    Examples(
        ("budget: {contacts: [ml@example.com]}",),
        ("budget: {contacts: []}", "budget: {contacts: [ml-platform]}"),
    ),
)
