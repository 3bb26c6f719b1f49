"""A budget that project rights are not enough for.

What: A program makes a budget, and its provider is not seen to have userProjectOverride and billingProject.
Why: A budget belongs to the billing account: it needs rights there, and under a person's own credentials a project that answers for the quota, else the API answers 403.
Fix: Deploy with billing.budgets.create on the billing account, and set userProjectOverride: true and billingProject on the provider.
References: hashicorp/terraform-provider-google#7948; GoogleCloudPlatform/cloud-foundation-fabric#3360
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import BUDGET
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3177", "budget-needs-billing-rights", Severity.INFO, __doc__, ("GCP-BUD-04",))
_PROVIDER = "pulumi:providers:gcp"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each budget that stands outside our own components."""
    ready = any(
        str(p.get("userProjectOverride")).lower() == "true" and p.get("billingProject") is not None
        for p in ctx.gcp.of_type(_PROVIDER)
    )
    open_ = any(
        late(p.get("userProjectOverride")) and p.get("billingProject") is not None for p in ctx.gcp.of_type(_PROVIDER)
    )
    for b in ctx.gcp.of_type(BUDGET):
        if open_ and not ready and not ctx.gcp.ours(b):
            yield Undecided(CODE.code, b.name, "whether the provider overrides the project is not known yet")
        elif not ready and not ctx.gcp.ours(b):
            yield CODE.at(
                b.name, "it needs rights on the billing account, and a project for its quota", resource=b.name
            )


_BUDGET = "- {type: gcp.billing.Budget, name: money, inputs: {billingAccount: 0A1B2C-3D4E5F-6A7B8C}}\n"
_PROVIDER_OF = (
    "- {type: pulumi:providers:gcp, name: g, inputs: {userProjectOverride: true, billingProject: acme-lab}}\n"
)


RULE = ResourceRule(
    CODE,
    ("cost",),
    check,
    Examples((_PROVIDER_OF + _BUDGET,), (_BUDGET,), (_PROVIDER_OF.replace("true,", "!unknown ,") + _BUDGET,)),
    providers=(Provider.GCP,),
)
