"""A quota over all families that is too small.

What: The pools that are bought on demand need more than the quota over all families has left: the region's cores on Azure, the GPUs of all regions on Google Cloud.
Severity: warning where only the largest number of nodes is too much, on Google Cloud also where only what is in use makes it too little (that number may be stale)
Why: It is checked beside the family's own quota, and is easily forgotten when that one is raised; on new Google projects it is 0.
Fix: Ask the cloud for more of the quota that is named, or take fewer nodes.
References: MohamedRadwan-DevOps/devops-step-by-step#643; fastai/course-v3#165
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....vocabulary import Provider
from ...account_facts import Absent
from ...account_pools import passed, unsure
from ...quota_needs import own_share, total_needs, unit_text
from ...quota_requests import how_to_ask, short_severity
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4002", "total-quota-too-small", Severity.ERROR, __doc__, ("AZ QUO-02", "GCP-QUO-01"))


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for the quota, where the cloud has one."""
    for need in total_needs(ctx.plan):
        quota = ctx.facts.entry("quotas", need.quota)
        if isinstance(quota, Absent) or quota is None:
            yield unsure(CODE, need.path, quota or Absent(f"the account lists no quota {need.quota}"))
            continue
        taken = max((quota.used or 0) - own_share(ctx.plan, need, ctx.facts), 0)
        free = quota.limit - taken if quota.limit >= 0 else float("inf")
        what = f"quota {need.quota} allows {quota.limit:g} {unit_text(need.unit)} over all families"
        what += f", {taken:g} of them in use by others" if quota.used is not None else ""
        if need.amount > free:
            hint = how_to_ask(ctx.plan, need.quota, taken + need.amount)
            severity = short_severity(ctx.plan, need, quota)
            yield CODE.at(need.path, f"{what}, and {need.who_need} {need.sum_text()}", hint, severity=severity)
        elif need.most > free:
            text = f"{what}, and {need.names} may grow to {need.sum_text(most=True)}"
            hint = how_to_ask(ctx.plan, need.quota, taken + need.most)
            yield CODE.at(need.path, text, hint, severity=Severity.WARNING)
        elif need.why_unknown:
            yield unsure(CODE, need.path, Absent(need.why_unknown))
        else:
            yield passed(CODE, need.path, f"{what}; {need.who_need} {need.sum_text()}")


_T = """\
spec:
  location: {{provider: azure, region: eastus}}
  node_pools: [{{instance_type: Standard_NC24ads_A100_v4, count: 4}}]
  storage: []
account: {{quotas: {{cores: {{limit: {0}, used: 4}}}}}}
"""

RULE = AccountRule(
    CODE,
    ("capacity", "quota"),
    check,
    Examples((_T.format(100),), (_T.format(99),), (_T.format(100).replace("cores", "other"),)),
    providers=(Provider.GCP, Provider.AZURE),
)
