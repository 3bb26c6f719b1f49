"""Linux nodes of Azure without an SSH key.

What: `network.ssh_keys` is empty.
Why: A Linux scale set needs a public key or a password, and a password is refused by policy. Without a key of yours the set is made with one that nobody holds: nobody can log in, and a key that is added later makes the set anew.
Fix: Add network.ssh_keys: [ssh-ed25519 AAAA… you].
References: Azure docs, create a Linux scale set; AVM, avm-res-compute-virtualmachinescaleset
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2253", "no-ssh-key", Severity.WARNING, __doc__, ("AZ SEC-05",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the network."""
    if not ctx.plan.network.ssh_keys:
        yield CODE.at(
            "network.ssh_keys",
            "no key is given: a Linux scale set is not made without one, so it gets one that nobody holds, and nobody can log in",
        )


_T = """\
location: {{provider: azure, region: eastus}}
network: {{ssh_keys: {0}}}
node_pools: [{{instance_type: Standard_ND96isr_H100_v5}}]
storage: []
"""

RULE = PlanRule(
    CODE,
    ("security",),
    check,
    Examples(
        (_T.format("[ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC9hY21lLWV4YW1wbGUta2V5LWVkMjU1MTktMDAwMDAw me]"),),
        (_T.format("[]"),),
    ),
    providers=(Provider.AZURE,),
)
