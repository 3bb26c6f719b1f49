"""A budget that Google refuses, or that tells nobody.

What: A budget filters by project id and not by number, or by more than one label; its thresholds are percents and not ratios; its amount is no text, or no whole number; it has two periods or too many channels; a topic stands without schemaVersion; or nobody is told.
Severity: info for a currency, which cannot be checked here
Why: The API answers 'invalid argument' and names no field. A threshold of 50 is 5000 % and never fires.
Fix: Write projects/<number>, one label, thresholds as 0.5 and 1.0, units as text, one period, at most five channels and schemaVersion 1.0.
References: hashicorp/terraform-provider-google#19796; hashicorp/terraform-provider-google#9375; hashicorp/terraform-provider-google#11615
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import BUDGET
from ...resource_graph import UNKNOWN, Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, number, plain, truth

CODE = described("GI3175", "budget-refused-or-silent", Severity.ERROR, __doc__, ("GCP-BUD-01", "GCP-BUD-02"))
_PROJECT = re.compile(r"projects/[0-9]+")
_HIGHEST = 2.0
"""A ratio above this is a percent that was meant."""
_SCHEMA = "1.0"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each field that is wrong; the currency is said to be unchecked."""
    for b in ctx.gcp.of_type(BUDGET):
        parts = (b.get("budgetFilter"), b.get("amount"), b.get("thresholdRules"), b.get("allUpdatesRule"))
        inside = [b.get("budgetFilter", "projects"), b.get("amount", "specifiedAmount", "units")]
        inside += [plain(t.get("thresholdPercent")) for t in entries(b.get("thresholdRules"))]
        # A project made in the program has no number yet, and is named by it all the same.
        named = (p is UNKNOWN for p in map(plain, items(inside[0])))
        if any(map(late, (*parts, *inside))) or any(named):
            yield Undecided(CODE.code, b.name, "a part of the budget is not known yet")
        for path, fault, hint in (*_filter(b), *_amount(b), *_thresholds(b), *_told(b)):
            yield CODE.at(f"{b.name}.{path}", fault, hint, resource=b.name)
        currency = b.get("amount", "specifiedAmount", "currencyCode")
        if currency is not None:
            yield CODE.at(
                f"{b.name}.amount.specifiedAmount.currencyCode",
                "it must be the billing account's own, which is not known here",
                "leave it out: then the account's is taken",
                resource=b.name,
                severity=Severity.INFO,
            )


def _filter(b: Resource) -> Iterator[tuple[str, str, str]]:
    for n, project in enumerate(map(plain, items(b.get("budgetFilter", "projects")))):
        if isinstance(project, str) and not late(project) and not _PROJECT.fullmatch(project):
            fault = f"'{project}' is not projects/<number>; a project's id is refused"
            yield (
                f"budgetFilter.projects[{n}]",
                fault,
                "write projects/ and the project's number, as projects/123456789012",
            )
            break
    labels = b.get("budgetFilter", "labels")
    most = catalog.limit(Provider.GCP, "budget_labels")
    if isinstance(labels, Mapping) and most is not None:
        count = len(cast(Mapping[str, Any], labels))
        if count > most.maximum:
            yield (
                "budgetFilter.labels",
                f"{count} labels, and a budget takes {most.maximum}",
                "keep the label of the cluster",
            )
    if b.get("budgetFilter", "calendarPeriod") is not None and b.get("budgetFilter", "customPeriod") is not None:
        yield "budgetFilter.customPeriod", "it stands beside calendarPeriod", "keep one of the two"


def _amount(b: Resource) -> Iterator[tuple[str, str, str]]:
    units = b.get("amount", "specifiedAmount", "units")
    if isinstance(units, (int, float)):
        yield "amount.specifiedAmount.units", f"{units:g} is a number, and must be text", f'write "{units:g}"'
    elif isinstance(units, str) and not late(units) and not (number(units) or 0) > 0:
        yield (
            "amount.specifiedAmount.units",
            f"'{units[:40]}' is no amount above 0",
            'write whole units of money as text, as "5000"',
        )
    elif isinstance(units, str) and not late(units) and not units.strip().isdigit():
        yield (
            "amount.specifiedAmount.units",
            f"'{units[:40]}' is no whole number",
            "write whole units, and what is below one into nanos",
        )
    if b.get("amount", "specifiedAmount") is not None and truth(b.get("amount", "lastPeriodAmount")):
        yield "amount.lastPeriodAmount", "it stands beside specifiedAmount", "keep one of the two"


def _thresholds(b: Resource) -> Iterator[tuple[str, str, str]]:
    found = [number(plain(t.get("thresholdPercent"))) for t in entries(b.get("thresholdRules"))]
    wrong = [t for t in found if t is not None and not 0 <= t <= _HIGHEST]
    if wrong:
        yield (
            "thresholdRules",
            f"{', '.join(f'{t:g}' for t in wrong)}: thresholds are ratios, {wrong[0]:g} is {wrong[0] * 100:g} %",
            f"write {wrong[0] / 100:g} for {wrong[0]:g} %"
            if wrong[0] > 0
            else "write a ratio above 0, as 0.9 for 90 %",
        )


def _told(b: Resource) -> Iterator[tuple[str, str, str]]:
    topic, schema = (b.get("allUpdatesRule", k) for k in ("pubsubTopic", "schemaVersion"))
    channels = b.get("allUpdatesRule", "monitoringNotificationChannels")
    most = catalog.limit(Provider.GCP, "budget_channels")
    if topic is not None and not late(schema) and str(schema) != _SCHEMA:
        yield (
            "allUpdatesRule.schemaVersion",
            f"{schema or 'absent'}; a topic needs one",
            f'write schemaVersion: "{_SCHEMA}"',
        )
    if most is not None and len(items(channels)) > most.maximum:
        yield (
            "allUpdatesRule.monitoringNotificationChannels",
            f"{len(items(channels))} channels, and a budget takes {most.maximum}",
            f"keep {most.maximum}, or send to a topic and spread the word from there",
        )
    rules = b.get("thresholdRules")
    if topic is None and rules in (None, []):
        yield "thresholdRules", "no threshold and no topic: nobody is told", "write a threshold, as 0.5"
    elif topic is None and channels in (None, []) and truth(b.get("allUpdatesRule", "disableDefaultIamRecipients")):
        fault = "no topic and no channel, and the default recipients are turned off: nobody is told"
        yield "allUpdatesRule", fault, "name a topic or a channel, or leave out disableDefaultIamRecipients"


_T = """\
- type: gcp.billing.Budget
  name: money
  inputs:
    billingAccount: 0A1B2C-3D4E5F-6A7B8C
    amount: {{specifiedAmount: {{units: {0}}}}}
    budgetFilter: {{projects: [{1}], labels: {{team: vision}}}}
    thresholdRules: [{{thresholdPercent: {2}}}]
    allUpdatesRule: {{pubsubTopic: projects/acme-lab/topics/spend, schemaVersion: {3}}}
"""


RULE = ResourceRule(
    CODE,
    ("cost",),
    check,
    Examples(
        (_T.format('"3000"', "projects/123456789012", 1.2, '"1.0"'),),
        (
            _T.format(3000, "projects/123456789012", 0.5, '"1.0"'),
            _T.format('"3000"', "projects/acme-lab", 0.5, '"1.0"'),
            _T.format('"3000"', "projects/123456789012", 50, '"1.0"'),
            _T.format('"3000"', "projects/123456789012", 0.5, "null"),
            _T.format('"0"', "projects/123456789012", 0.5, '"1.0"'),
            _T.format('"3000.5"', "projects/123456789012", 0.5, '"1.0"'),
            "- {type: gcp.billing.Budget, name: money, inputs: {amount: {specifiedAmount: {units: '3000'}}}}\n",
        ),
        (
            _T.replace("[{1}]", "!unknown ")
            .replace("{{", "{")
            .replace("}}", "}")
            .replace("{0}", '"3000"')
            .replace("{2}", "0.5")
            .replace("{3}", '"1.0"'),
        ),
    ),
    providers=(Provider.GCP,),
)
