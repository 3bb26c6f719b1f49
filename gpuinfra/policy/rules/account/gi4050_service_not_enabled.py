"""An API or a resource provider that is not enabled.

What: The project lacks an API, or the subscription a resource provider, that the cluster's resources need.
Severity: warning on Azure, where the deployment may register it itself
Why: `up` stops in the middle (SERVICE_DISABLED, MissingSubscriptionRegistration), with what was made so far billing.
Fix: Enable it once: gcloud services enable NAME, or az provider register --namespace NAME. Wait a few minutes.
References: Google Cloud docs, enable and disable services; Azure docs, resource providers and types
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....vocabulary import Provider
from ...account_facts import Absent
from ...account_pools import passed, unsure
from ...needed_services import needed_services
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4050", "service-not-enabled", Severity.ERROR, __doc__, ("AZ PUL-03",))

_SEVERITY = {Provider.AZURE: Severity.WARNING}
"""Azure's provider registers most of what it needs by itself, where the deployer may; Google's enables nothing."""


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each service that something of the plan needs."""
    for name, path, how in needed_services(ctx.plan):
        enabled = ctx.facts.entry("services", name)
        if isinstance(enabled, Absent):
            yield unsure(CODE, path, enabled)
        elif enabled:
            yield passed(CODE, path, f"{name} is enabled")
        else:
            text = f"{name} is not enabled, and the cluster needs it"
            yield CODE.at(path, text, f"enable it: {how}", severity=_SEVERITY.get(ctx.plan.provider))


_T = """\
spec:
  location: {{provider: azure, region: eastus}}
  node_pools: [{{instance_type: Standard_NC24ads_A100_v4, count: 2}}]
  storage: [{{size_gib: 16384}}]
  budget: null
  shutdown: null
account:
  services: {{Microsoft.Compute: true, Microsoft.Network: true, Microsoft.ManagedIdentity: true{0}}}
"""

RULE = AccountRule(
    CODE,
    ("account",),
    check,
    Examples(
        (_T.format(", Microsoft.StorageCache: true"),),
        (_T.format(", Microsoft.StorageCache: false"),),
        (_T.format(""),),
    ),
    providers=(Provider.GCP, Provider.AZURE),
)
