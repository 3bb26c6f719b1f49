"""A Managed Lustre size between two steps.

What: storageCapacityTiB is no size of the file system's sku, or the sku is none that is sold.
Why: Each sku is sold from a smallest size on in steps of it. Other sizes are refused, and rounding would change what is paid, so nothing is rounded.
Fix: Take one of the two sizes named.
References: Azure docs, Managed Lustre: throughput and capacity; hashicorp/terraform-provider-azurerm#23428
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import LUSTRE
from ...azure_lustre import GIB, capacity_tib, tier_of, tiers
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3260", "azure-lustre-size-between-steps", Severity.ERROR, __doc__, ("AZ AML-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system."""
    for fs in ctx.azure.of_type(LUSTRE):
        name, said = fs.get("sku", "name"), fs.get("storageCapacityTiB")
        if late(name) or late(said):
            yield Undecided(CODE.code, fs.name, "the sku or the size is not known yet")
            continue
        tier, size = tier_of(fs), capacity_tib(fs)
        if tier is None:
            sold = ", ".join(t.tier for t in tiers())
            if name is not None:
                yield CODE.at(f"{fs.name}.sku.name", f"'{name}' is not sold", f"take one of: {sold}", resource=fs.name)
            continue
        least, step = tier.min_gib / GIB, tier.step_gib / GIB
        if size is None or (size >= least and (size - least) % step == 0):
            continue
        below = least + (size - least) // step * step
        choice = f"{below:g} or {below + step:g}" if size > least else f"{least:g}"
        yield CODE.at(
            f"{fs.name}.storageCapacityTiB",
            f"{size:g} TiB is not a size of {tier.tier}: it starts at {least:g} and grows by {step:g}",
            f"choose {choice} TiB",
            resource=fs.name,
        )


_T = """\
- type: azure-native.storagecache.AmlFilesystem
  name: scratch
  inputs: {{sku: {{name: AMLFS-Durable-Premium-{0}}}, storageCapacityTiB: {1}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format(40, 48), _T.format(250, "8.0"), _T.format(500, 4), _T.format(125, 144)),
        (_T.format(125, 20), _T.format(40, 40), _T.format(100, 16), _T.format(500, 0)),
        (_T.format(125, "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
