"""AKS's InfiniBand feature beside a family that refuses it.

What: A program registers AKSInfinibandSupport for the subscription and makes an AKS pool of a GB200 or GB300 size.
Why: A100, H100 and H200 pools get InfiniBand through the feature, and GB200 and GB300 pools lose theirs by it. It holds for the whole subscription.
Fix: Register it for A100, H100 and H200; unregister it, or take another subscription, for GB200 and GB300.
References: Azure/ai-infrastructure-on-azure, infrastructure_references/aks
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import PREFIX, AgentPool
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3383", "infiniband-feature-of-other-family", Severity.ERROR, __doc__, ("AZ AKS-01",))
_FEATURE = "aksinfinibandsupport"
_REGISTRATION = f"{PREFIX}:features:SubscriptionFeatureRegistration"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each registration that a pool of the program refuses. Where none is made, only the account knows."""
    racks = [p for p in ctx.azure.pools if _is_rack(p)]
    for r in ctx.azure.of_type(_REGISTRATION):
        name = r.get("featureName")
        if racks and late(name):
            yield Undecided(CODE.code, r.name, "which feature it registers is not known yet")
        elif racks and str(name).lower() == _FEATURE:
            yield CODE.at(
                f"{r.name}.featureName",
                f"the feature is registered for the subscription, and a pool of {racks[0].size} loses its InfiniBand by it",
                f"unregister it, or make '{racks[0].source.name}' in a subscription without it",
                resource=r.name,
            )


def _is_rack(pool: AgentPool) -> bool:
    return pool.facts is not None and pool.facts.gpu_model.startswith("GB")


_T = """\
- {{type: azure-native.features.SubscriptionFeatureRegistration, name: infiniband, inputs: {{providerNamespace: Microsoft.ContainerService, featureName: {0}}}}}
- {{type: azure-native.containerservice.AgentPool, name: pool, inputs: {{vmSize: {1}}}}}
"""
_GB, _H100 = "Standard_ND128isr_NDR_GB200_v6", "Standard_ND96isr_H100_v5"

RULE = ResourceRule(
    CODE,
    ("kubernetes", "fabric"),
    check,
    Examples(
        (_T.format("AKSInfinibandSupport", _H100), _T.format("SomethingElse", _GB)),
        (_T.format("AKSInfinibandSupport", _GB),),
        (_T.format("!unknown ", _GB),),
    ),
    providers=(Provider.AZURE,),
)
