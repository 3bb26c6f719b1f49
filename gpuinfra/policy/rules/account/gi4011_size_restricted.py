"""A size that this subscription may not use there.

What: The cloud sells the size, and restricts it for this subscription in the region or in the nodes' zone.
Why: The create fails with SkuNotAvailable, and no retry helps: it is no lack of capacity.
Fix: Take a zone or region without the restriction, or ask Azure support to lift it for the subscription.
References: Azure/AKS#2413; Azure/AKS#1444
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....vocabulary import Provider
from ...account_facts import Absent, Offering
from ...account_pools import passed, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4011", "size-restricted", Severity.ERROR, __doc__, ("AZ SKU-02",))


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each pool whose size is sold."""
    for pool in ctx.plan.pools:
        path = f"{pool.path}.instance_type"
        found = ctx.facts.entry("offerings", pool.instance.name)
        if isinstance(found, Absent):
            yield unsure(CODE, path, found)
            continue
        if not isinstance(found, Offering):
            continue
        here = next((r for r in found.restricted if not r.zones or pool.zone in r.zones), None)
        if here is None:
            yield passed(CODE, path, f"{pool.instance.name} is not restricted in {_place(ctx, pool.zone)}")
            continue
        free = sorted(set(found.zones) - {z for r in found.restricted for z in r.zones})
        everywhere = not here.zones or not free
        hint = "" if everywhere else f"set location.zone to {' or '.join(free)}, which have no restriction"
        why = f" ({here.reason})" if here.reason else ""
        text = f"{pool.instance.name} is restricted for this subscription in {_place(ctx, pool.zone if here.zones else '')}{why}"
        yield CODE.at(path, text, hint)


def _place(ctx: AccountContext, zone: str) -> str:
    return f"zone {zone} of {ctx.plan.region}" if zone else ctx.plan.region


_T = """\
spec:
  location: {{provider: azure, region: eastus, zone: "1"}}
  node_pools: [{{instance_type: Standard_NC24ads_A100_v4}}]
  storage: []
account:
  offerings:
    Standard_NC24ads_A100_v4: {{zones: ["1", "2"], restricted: [{{reason: NotAvailableForSubscription, zones: {0}}}]}}
"""

RULE = AccountRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format('["2"]'),),
        (_T.format('["1"]'), _T.format("[]")),
        (_T.format("[]").replace("Standard_NC24ads_A100_v4: {", "Standard_D4s_v5: {"),),
    ),
    providers=(Provider.AZURE,),
)
