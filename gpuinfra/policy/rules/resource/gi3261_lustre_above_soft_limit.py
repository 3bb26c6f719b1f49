"""More Managed Lustre than a subscription has without asking.

What: A file system is larger than its sku's published maximum, or the program makes as many as a subscription has by default.
Why: Support raises both limits on request; without it the file system is refused with OperationNotAllowed.
Fix: Ask support before you deploy, or take a smaller one.
References: hashicorp/terraform-provider-azurerm#23406; microsoft/mcp#1165
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import limit
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import LUSTRE
from ...azure_lustre import GIB, capacity_tib, tier_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3261", "lustre-above-soft-limit", Severity.WARNING, __doc__, ("AZ AML-02", "AZ AML-09"))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system, and one for their number."""
    made = list(ctx.azure.of_type(LUSTRE))
    for fs in made:
        tier, size = tier_of(fs), capacity_tib(fs)
        if late(fs.get("storageCapacityTiB")) or late(fs.get("sku", "name")):
            yield Undecided(CODE.code, fs.name, "the size or the sku is not known yet")
        elif tier is not None and tier.max_gib is not None and size is not None and size > tier.max_gib / GIB:
            yield CODE.at(
                f"{fs.name}.storageCapacityTiB",
                f"{size:g} TiB is above the {tier.max_gib / GIB:g} TiB that {tier.tier} gives without a request",
                "ask support to raise the limit before you deploy",
                resource=fs.name,
            )
    row = limit(Provider.AZURE, "lustre_file_systems")
    if row is not None and len(made) >= row.maximum:
        yield CODE.at(
            made[-1].name,
            f"{len(made)} file systems, and a subscription has {row.maximum} by default",
            "ask support for more before you deploy",
            resource=made[-1].name,
        )


_T = """\
- type: azure-native.storagecache.AmlFilesystem
  name: scratch
  inputs: {{sku: {{name: AMLFS-Durable-Premium-125}}, storageCapacityTiB: {0}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format(128),), (_T.format(144),), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
