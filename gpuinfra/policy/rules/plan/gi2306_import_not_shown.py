"""Lustre that would not show the container.

What: New Lustre storage on Azure has `import_from`.
Why: Azure Managed Lustre shows a container only where it is told at its birth, with a second container for its log, shared keys allowed on the account, and two roles for a principal of Microsoft's whose id is another in every tenant. The spec says none of it; the file system would be empty, and cannot be told later.
Fix: Mount the container itself as kind bucket and copy what is needed; or make the file system apart and name it in `existing`.
References: Azure Managed Lustre, Blob integration prerequisites; MicrosoftDocs/azure-docs#106012
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2306", "import-not-shown", Severity.ERROR, __doc__, ("AZ AML-07",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each file system. An import into storage that is there already is another rule's finding."""
    for storage in ctx.plan.storage:
        if storage.import_from and storage.import_mount and not storage.existing:
            yield CODE.at(
                f"{storage.path}.import_from",
                f"'{storage.name}' would be made empty, and could not show '{storage.import_from}' later",
                f"mount it itself: kind: bucket, existing: {storage.import_from}; or make the file system apart and name it "
                "in existing",
            )


_AZURE = """\
location: {{provider: azure, region: eastus, zone: "1"}}
node_pools: [{{instance_type: Standard_ND96isr_H100_v5}}]
storage: [{{size_gib: 16384, throughput_mbps_per_tib: 250{0}}}]
"""

RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_AZURE.format(""),),
        (_AZURE.format(', import_from: "https://acme.blob.core.windows.net/data/tokens"'),),
    ),
    providers=(Provider.AZURE,),
)
