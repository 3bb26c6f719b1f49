"""How bad a quota that is too small is, and how a larger one is asked for, in each cloud's own words."""

from __future__ import annotations

from ..diagnostics import Severity
from ..plan.models import ClusterPlan
from ..vocabulary import Provider
from .account_facts import Quota
from .quota_needs import Need

_HOW = {
    Provider.AWS: (
        "ask for it (an approved increase can take 30 minutes to count): aws service-quotas "
        "request-service-quota-increase --service-code {service} --quota-code {quota} --desired-value {amount:g} --region {region}"
    ),
    Provider.GCP: (
        "ask for {amount:g} of {quota} in {region}: Google Cloud console, IAM & Admin, Quotas; or a "
        "cloudquotas QuotaPreference. Spot and flex-start want the preemptible quota"
    ),
    Provider.AZURE: (
        "ask for {amount:g} of {quota} in {region}: Azure portal, Quotas, Compute, New quota request; or az quota update"
    ),
}


_SERVICES = {"L-F678F1CE": "vpc"}


def service_of(quota: str) -> str:
    """The service of AWS that a quota is of."""
    return _SERVICES.get(quota, "ec2")


def how_to_ask(plan: ClusterPlan, quota: str, amount: float) -> str:
    """The next step towards a larger quota."""
    return _HOW[plan.provider].format(quota=quota, amount=amount, region=plan.region, service=service_of(quota))


_BY_USE = {
    # Google Cloud, allocation quotas: the limit is reliable, and what is in use can be stale. On AWS it is counted here.
    Provider.AWS: Severity.WARNING,
    Provider.GCP: Severity.WARNING,
    Provider.AZURE: Severity.ERROR,
}


def short_severity(plan: ClusterPlan, need: Need, quota: Quota) -> Severity:
    """An error where the whole quota is less than the nodes need; else by how sure the cloud's count of use is."""
    return Severity.ERROR if need.amount > quota.limit else _BY_USE[plan.provider]
