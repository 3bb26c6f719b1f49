"""GCP-C10: a budget that the API refuses."""

from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.diagnostics import Severity

from .gcp_programs import GOOGLE, errors, judge, resource
from .judging import codes, rows, said, spec_findings

CHANNELS = [f"projects/acme-lab/notificationChannels/{n}" for n in range(6)]


def budget(**changes: Any) -> dict[str, Any]:
    """The budget of the case, corrected, with changes."""
    good: dict[str, Any] = {
        "billingAccount": "0A1B2C-3D4E5F-6A7B8C",
        "displayName": "vision",
        "amount": {"specifiedAmount": {"units": "3000"}},
        "budgetFilter": {"projects": ["projects/123456789012"], "labels": {"team": "vision"}, "calendarPeriod": "MONTH"},
        "thresholdRules": [
            {"thresholdPercent": 0.5}, {"thresholdPercent": 0.9}, {"thresholdPercent": 1.2, "spendBasis": "FORECASTED_SPEND"}
        ],
        "allUpdatesRule": {"pubsubTopic": "projects/acme-lab/topics/spend", "schemaVersion": "1.0"},
    }  # fmt: skip
    return resource("gcp.billing.Budget", "money", **{**good, **changes})


def test_c10_every_mistake_is_named_once():
    report = judge(
        budget(
            amount={"specifiedAmount": {"currencyCode": "EUR", "units": 3000}},
            budgetFilter={"projects": ["projects/acme-lab"], "labels": {"team": "vision", "stage": "dev"}},
            thresholdRules=[{"thresholdPercent": p} for p in (50, 90, 100)],
            allUpdatesRule={"pubsubTopic": "projects/acme-lab/topics/spend"},
        )
    )
    assert rows(report, errors=True, cloud=GOOGLE) == {"BUD-01", "BUD-02"}
    paths = {d.path.removeprefix("money.") for d in report.diagnostics if d.is_error}
    assert paths == {
        "budgetFilter.projects[0]",
        "budgetFilter.labels",
        "thresholdRules",
        "amount.specifiedAmount.units",
        "allUpdatesRule.schemaVersion",
    }
    ratios = next(d for d in report.diagnostics if d.path == "money.thresholdRules")
    assert "5000 %" in ratios.message
    currency = next(d for d in report.diagnostics if d.path.endswith("currencyCode"))
    assert currency.severity is Severity.INFO
    assert "leave it out" in currency.hint


def test_c10_a_budget_stops_nothing_and_needs_rights():
    report = judge(budget())
    assert said(report, "GI3176").severity is Severity.WARNING
    assert said(report, "GI3177").severity is Severity.INFO
    assert "userProjectOverride" in said(report, "GI3177").hint
    assert codes(report) == ["GI3176", "GI3177"]


def test_c10_with_a_reaction_and_rights_nothing_is_left_to_say():
    listener = resource("gcp.pubsub.Subscription", "stop", topic="spend")
    provider = {
        "type": "pulumi:providers:gcp",
        "name": "g",
        "inputs": {"userProjectOverride": "true", "billingProject": "acme-lab"},
    }
    assert codes(judge(budget(), listener, provider)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {
            "budgetFilter": {
                "projects": ["projects/1"],
                "calendarPeriod": "MONTH",
                "customPeriod": {"startDate": {"year": 2026}},
            }
        },
        {"allUpdatesRule": {"monitoringNotificationChannels": CHANNELS}},
        {"amount": {"specifiedAmount": {"units": "0"}}},
        {"amount": {"specifiedAmount": {"units": "5000.5"}}},
        {"thresholdRules": [], "allUpdatesRule": {"monitoringNotificationChannels": CHANNELS[:1]}},
        {"allUpdatesRule": {"disableDefaultIamRecipients": True}},
    ],
)
def test_c10_variants(changes: dict[str, Any]):
    assert errors(budget(**changes)) == {"BUD-01", "BUD-02"}


def test_c10_as_a_spec():
    """The spec has no word for a project's number, a filter, a currency or a schema: the room writes those."""
    text = """
api_version: gpuinfra/v1
name: lab
location: {provider: gcp, project: acme-lab, region: us-central1, zone: us-central1-c}
node_pools: [{name: gpu, instance_type: g2-standard-8}]
budget: {per_month_usd: 3000, alerts_percent: [50, 90, 120], contacts: [%s]}
shutdown: {idle_after: 30m, lease: 12h}
"""
    mails = [f"m{n}@example.com" for n in range(6)]
    assert [d.code for d in spec_findings(text % ", ".join(mails[:5])) if d.is_error] == []
    assert [d.code for d in spec_findings(text % ", ".join(mails)) if d.is_error] == ["GI2208"]
