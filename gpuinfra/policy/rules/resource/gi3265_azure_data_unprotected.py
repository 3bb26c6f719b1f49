"""Data that one `up` may delete.

What: A Managed Lustre file system, a NetApp volume or a storage account with a file tree is made without `protect`; or a file system is about to be replaced.
Severity: error where what was deployed last shows that a file system is replaced
Why: A new size, sku, zone or subnet replaces a file system with everything in it, and preview shows one line.
Fix: Set protect: true, and take it off by hand when the data may go.
References: Azure/az-hop#1715; Pulumi docs, resource option protect
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import LUSTRE, NETAPP_VOLUME, STORAGE_ACCOUNT
from ...last_inputs import Spellings, changed, covered, last, same_word
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3265", "azure-data-unprotected", Severity.WARNING, __doc__, ("AZ PUL-02", "AZ AML-06"))
_REPLACED_BY = ("storageCapacityTiB", "filesystemSubnet", "zones", "sku.name", "location")
_CALLED = {LUSTRE: "file system", NETAPP_VOLUME: "volume", STORAGE_ACCOUNT: "storage account"}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each resource that holds data."""
    for r in ctx.azure.of_type(*_CALLED):
        tree = r.get("isHnsEnabled")
        guarded = r.options.get("protect") or r.options.get("retainOnDelete")
        if r.type == STORAGE_ACCOUNT and late(tree) and not guarded:
            yield Undecided(CODE.code, r.name, "whether the account holds a tree of files is not known yet")
        if r.type == STORAGE_ACCOUNT and not truth(tree):
            continue
        was = last(ctx, r) if r.type == LUSTRE else None
        lost = (
            [p for p in changed(was, r, _REPLACED_BY, Spellings(alike=same_word)) if not covered(r, "ignoreChanges", p)]
            if was is not None
            else []
        )
        if lost:
            kept = "; it is protected, so that `up` ends there" if r.options.get("protect") else ""
            yield CODE.at(
                f"{r.name}.{lost[0]}",
                f"a change of {', '.join(lost)} makes the file system anew, and all that it holds is lost{kept}",
                "leave it as it is and make a second one beside it, or add it to ignoreChanges",
                resource=r.name,
                severity=Severity.ERROR,
            )
        elif not guarded:
            yield CODE.at(
                f"{r.name}.options.protect",
                f"nothing protects the {_CALLED[r.type]} from being replaced with all that it holds",
                "set protect: true",
                resource=r.name,
            )


_T = """\
- type: azure-native.storagecache.AmlFilesystem
  name: scratch
  inputs: {{sku: {{name: AMLFS-Durable-Premium-125}}, storageCapacityTiB: 16}}
  options: {0}
"""

RULE = ResourceRule(
    CODE,
    ("storage", "drift"),
    check,
    Examples(
        (_T.format("{protect: true}"),),
        (_T.format("{}"),),
        ("- {type: azure-native.storage.StorageAccount, name: data, inputs: {isHnsEnabled: !unknown }}\n",),
    ),
    providers=(Provider.AZURE,),
)
