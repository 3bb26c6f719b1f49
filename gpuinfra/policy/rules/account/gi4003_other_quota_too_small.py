"""A quota beside that of the machines which is used up.

What: What the cluster makes beside its machines (networks, addresses, disks, cores of N1 machines, Lustre file systems) is more than a quota has left.
Why: `up` makes half of the cluster and stops: what exists by then bills.
Fix: Ask for more, or remove what is no longer needed. Where this cluster stands already, its own share is in the number.
References: GoogleCloudPlatform/cluster-toolkit#1714; microsoft/mcp#1165; bacalhau-project/bacalhau#919
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ...account_facts import Absent
from ...account_pools import passed, unsure
from ...quota_needs import other_needs
from ...quota_requests import how_to_ask
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described(
    "GI4003",
    "other-quota-too-small",
    Severity.WARNING,
    __doc__,
    ("GCP-QUO-02", "GCP-NET-15", "AZ AML-09"),
)


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each quota that something is taken of."""
    for need in other_needs(ctx.plan):
        quota = ctx.facts.entry("quotas", need.quota)
        if isinstance(quota, Absent) or quota is None:
            yield unsure(CODE, need.path, quota or Absent(f"the account lists no quota {need.quota}"))
            continue
        said = f"quota {need.quota} allows {quota.limit:g}"
        said += f", {quota.used:g} of them in use" if quota.used is not None else ""
        said += (
            f", and the cluster takes {need.amount:g} (each one {need.what})"
            if need.amount != 1
            else (f", and the cluster takes one {need.what}")
        )
        if quota.limit >= 0 and need.amount > quota.limit - (quota.used or 0):
            hint = how_to_ask(ctx.plan, need.quota, (quota.used or 0) + need.amount)
            yield CODE.at(need.path, said, hint)
        else:
            yield passed(CODE, need.path, said)


_T = """\
account:
  quotas: {{L-F678F1CE: {{limit: 5, used: {0}}}, L-0263D0A3: {{limit: 5, used: 1}}}}
"""
_LUSTRE = """\
spec:
  location: {{provider: azure, region: eastus}}
  node_pools: [{{instance_type: Standard_NC24ads_A100_v4, count: 2}}]
  storage: [{{size_gib: 16384}}]
account: {{quotas: {{amlFilesystems: {{limit: 4, used: {0}}}}}}}
"""

RULE = AccountRule(
    CODE,
    ("quota",),
    check,
    Examples((_T.format(4), _LUSTRE.format(3)), (_T.format(5), _LUSTRE.format(4)), ("account: {}",)),
)
