"""A quota of the machines' family that is too small.

What: The pools together need more vCPUs or GPUs of a family than the account's quota for that purchase has left.
Severity: warning where only the largest number of nodes is too much, on AWS and Google Cloud also where only what is in use makes it too little (that number may be stale), and where it is not documented whether the purchase draws on the quota
Why: Quotas of large GPUs are 0 on most accounts. The group is made, its nodes never come, and network, NAT and storage bill meanwhile. Spot, and flex-start on Google Cloud, have a quota of their own.
Fix: Ask the cloud for more of the quota that is named, or take fewer nodes. It takes from half an hour to days.
References: cortexlabs/cortex#1461; aws-deepracer-community/deepracer-on-the-spot#55; vanvalenlab/kiosk-console#335; Azure/az-hop#1381
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ...account_facts import Absent, Quota
from ...account_pools import passed, unsure
from ...quota_needs import Need, family_needs, own_share, unit_text
from ...quota_requests import how_to_ask, short_severity
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described(
    "GI4001",
    "quota-too-small",
    Severity.ERROR,
    __doc__,
    ("AWS CAP-19", "GCP-QUO-01", "AZ QUO-01", "AZ QUO-03"),
)


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each quota that the pools draw on."""
    for need in family_needs(ctx.plan, ctx.facts):
        if not need.quota:
            reason = f"which quota {need.pools[0].instance.name} draws on is not known: {need.why_unknown}"
            yield unsure(CODE, need.path, Absent(reason))
            continue
        quota = ctx.facts.entry("quotas", need.quota)
        if isinstance(quota, Absent):
            yield unsure(CODE, need.path, quota)
        elif quota is None:
            yield unsure(CODE, need.path, Absent(f"the account lists no quota {need.quota}"))
        else:
            yield _verdict(ctx, need, quota)


def _verdict(ctx: AccountContext, need: Need, quota: Quota) -> AccountVerdict:
    own = own_share(ctx.plan, need, ctx.facts)
    taken = max((quota.used or 0) - own, 0)
    free = quota.limit - taken if quota.limit >= 0 else float("inf")
    unit = unit_text(need.unit)
    what = f"quota {need.quota} of {ctx.plan.region} allows {quota.limit:g} {unit}"
    what += f", {taken:g} of them in use by others" if quota.used is not None else ""
    if need.amount > free and need.sure:
        hint = how_to_ask(ctx.plan, need.quota, taken + need.amount)
        severity = short_severity(ctx.plan, need, quota)
        return CODE.at(need.path, f"{what}, and {need.who_need} {need.sum_text()}", hint, severity=severity)
    if need.amount > free:
        text = f"{what}, and {need.who_need} {need.sum_text()}; whether a capacity block draws on it is not documented"
        return CODE.at(need.path, text, severity=Severity.WARNING)
    if need.most > free:
        text = f"{what}, and {need.names} may grow to {need.sum_text(most=True)}"
        hint = how_to_ask(ctx.plan, need.quota, taken + need.most)
        return CODE.at(need.path, text, hint, severity=Severity.WARNING)
    return passed(CODE, need.path, f"{what}; {need.who_need} {need.sum_text()}")


_T = """\
spec: {{node_pools: [{{count: {0}}}]}}
account: {{quotas: {{L-417A185B: {{limit: {1}, used: 0, unit: vcpu}}}}}}
"""
_GOOGLE = """\
spec:
  location: {{provider: gcp, project: acme-lab, region: us-central1}}
  node_pools: [{{instance_type: g2-standard-48, count: 2, capacity: {{type: {0}}}}}]
  storage: []
account:
  quotas: {{NVIDIA_L4_GPUS: {{limit: 8, used: 0}}, PREEMPTIBLE_NVIDIA_L4_GPUS: {{limit: 0, used: 0}}}}
"""
_UNKNOWN = """\
account: {unknown: {quotas: "permission denied: servicequotas:GetServiceQuota"}}
"""

RULE = AccountRule(
    CODE,
    ("capacity", "quota"),
    check,
    Examples(
        (_T.format(2, 384), _GOOGLE.format("on_demand"), _T.format("{min: 0, max: 2}", 384)),
        (_T.format(2, 192), _GOOGLE.format("spot"), _T.format("{min: 0, max: 4}", 384)),
        (_UNKNOWN,),
    ),
)
