"""A marketplace image whose terms nobody accepted.

What: The node image is sold in the marketplace with a plan, and the subscription has not accepted its terms.
Why: The machines are refused (MarketplacePurchaseEligibilityFailed).
Fix: Let somebody of the subscription accept them once: az vm image terms accept.
References: Azure/azurehpc, pyazhpc/arm.py; Azure docs, marketplace images with az vm image terms
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....plan.node_image_naming import has_terms
from ....vocabulary import Provider
from ...account_facts import Absent
from ...account_pools import passed, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4042", "terms-not-accepted", Severity.ERROR, __doc__, ("AZ IMG-07",))
_PATH = "image.node"


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each image that has terms."""
    for name in dict.fromkeys(p.node_image.selector for p in ctx.plan.pools if has_terms(p.node_image.selector)):
        offer = name.rpartition(":")[0]
        accepted = ctx.facts.entry("terms", offer)
        if isinstance(accepted, Absent):
            yield unsure(CODE, _PATH, accepted)
        elif accepted:
            yield passed(CODE, _PATH, f"the terms of {offer} are accepted")
        else:
            text = f"the terms of '{offer}' are not accepted in this subscription"
            yield CODE.at(_PATH, text, f"accept them: az vm image terms accept --urn {name}")


_T = """\
spec:
  location: {{provider: azure, region: eastus}}
  node_pools: [{{instance_type: Standard_NC24ads_A100_v4}}]
  storage: []
  image: {{node: "almalinux:almalinux-hpc:8_10-hpc-gen2:8.10.2025010101"}}
account: {{terms: {0}}}
"""
_OFFER = '{"almalinux:almalinux-hpc:8_10-hpc-gen2": %s}'

RULE = AccountRule(
    CODE,
    ("image",),
    check,
    Examples((_T.format(_OFFER % "true"),), (_T.format(_OFFER % "false"),), (_T.format("{}"),)),
    providers=(Provider.AZURE,),
)
