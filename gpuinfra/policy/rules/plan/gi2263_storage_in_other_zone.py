"""Storage in another zone than the nodes.

What: A storage names a zone that is not the nodes'.
Why: Every byte crosses the zones: slower, at a price for each GB on AWS and Google, and out of reach of the fabric.
Fix: Leave storage.zone out: the storage then stands with the nodes.
References: aws/aws-parallelcluster, ManagedFsxMultiAzValidator; Azure Managed Lustre prerequisites
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import StorageKind
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described(
    "GI2263", "storage-in-other-zone", Severity.WARNING, __doc__, ("AWS FSX-08", "GCP-STO-03", "AZ AML-05")
)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each storage. A bucket has no zone."""
    for storage in ctx.plan.storage:
        if storage.zone_differs and storage.kind is not StorageKind.BUCKET:
            yield CODE.at(
                f"{storage.path}.zone",
                f"{storage.kind} '{storage.name}' stands in zone {storage.zone}, and the nodes in {ctx.plan.zone}",
            )


RULE = PlanRule(
    CODE,
    ("storage", "money"),
    check,
    Examples(
        (
            "location: {provider: aws, region: us-east-2, zone: use2-az1}",
            "{location: {provider: aws, region: us-east-2, zone: use2-az1}, storage: [{zone: use2-az9}]}",
        ),
        ("{location: {provider: aws, region: us-east-2, zone: use2-az1}, storage: [{zone: use2-az2}]}",),
    ),
)
