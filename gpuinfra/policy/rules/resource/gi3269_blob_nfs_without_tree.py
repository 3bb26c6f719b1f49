"""Blob storage over NFS without a file tree.

What: A storage account sets enableNfsV3 and not isHnsEnabled.
Why: NFS wants the hierarchical namespace; the account is refused, and neither can be turned on later.
Fix: Set isHnsEnabled: true.
References: Azure docs, NFS 3.0 protocol support in Azure Blob Storage
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import STORAGE_ACCOUNT
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3269", "blob-nfs-without-tree", Severity.ERROR, __doc__, ("AZ NFS-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each account."""
    for account in ctx.azure.of_type(STORAGE_ACCOUNT):
        nfs, tree = account.get("enableNfsV3"), account.get("isHnsEnabled")
        if truth(nfs) is False or nfs is None or truth(tree):
            continue
        if late(nfs) or late(tree):
            yield Undecided(CODE.code, account.name, "enableNfsV3 or isHnsEnabled is not known yet")
        elif truth(nfs):
            yield CODE.at(
                f"{account.name}.isHnsEnabled",
                "enableNfsV3 is set, and the hierarchical namespace is not",
                "set isHnsEnabled: true",
                resource=account.name,
            )


_T = "- {{type: azure-native.storage.StorageAccount, name: data, inputs: {{enableNfsV3: {0}, isHnsEnabled: {1}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("true", "true"), _T.format("null", "null")),
        (_T.format("true", "null"),),
        (_T.format("true", "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
