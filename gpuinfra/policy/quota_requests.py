"""How a larger quota is asked for, in each cloud's own words."""

from __future__ import annotations

from ..plan.models import ClusterPlan
from ..vocabulary import Provider

_HOW = {
    Provider.AWS: (
        "ask for it (an approved increase can take 30 minutes to count): aws service-quotas "
        "request-service-quota-increase --service-code ec2 --quota-code {quota} --desired-value {amount:g} --region {region}"
    ),
    Provider.GCP: (
        "ask for {amount:g} of {quota} in {region}: Google Cloud console, IAM & Admin, Quotas; or a "
        "cloudquotas QuotaPreference. Spot and flex-start want the preemptible quota"
    ),
    Provider.AZURE: (
        "ask for {amount:g} of {quota} in {region}: Azure portal, Quotas, Compute, New quota request; or az quota update"
    ),
}


def how_to_ask(plan: ClusterPlan, quota: str, amount: float) -> str:
    """The next step towards a larger quota."""
    return _HOW[plan.provider].format(quota=quota, amount=amount, region=plan.region)
