"""A capacity block that is bought by `up`.

What: A CapacityBlockReservation is declared without `protect`, `retainOnDelete`, and `ignoreChanges` of its offering.
Why: Creating it is a purchase with the whole fee paid at once and no way back; a changed offering id buys a second one, and destroy only forgets it.
Fix: Buy the block by hand and name its `cr-…` id; or set protect, retainOnDelete, and ignoreChanges of capacityBlockOfferingId.
References: hashicorp/terraform-provider-aws#46829; EC2 User Guide, Capacity Blocks for ML
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import BLOCK
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items

CODE = described("GI3027", "block-bought-by-accident", Severity.ERROR, __doc__, ("AWS CAP-08",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each block, naming the options that are missing."""
    for block in ctx.aws.of_type(BLOCK):
        missing = [k for k in ("protect", "retainOnDelete") if block.options.get(k) is not True]
        if not {"capacityBlockOfferingId", "*"} & {str(i) for i in items(block.options.get("ignoreChanges"))}:
            missing.append("ignoreChanges of capacityBlockOfferingId")
        if missing:
            yield CODE.at(block.name, f"this is a purchase, and {', '.join(missing)} is not set", resource=block.name)


_T = """\
- type: aws.ec2.CapacityBlockReservation
  name: block
  inputs: {{capacityBlockOfferingId: cb-1, instancePlatform: Linux/UNIX}}
  options: {0}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "cost"),
    check,
    Examples(
        (_T.format("{protect: true, retainOnDelete: true, ignoreChanges: [capacityBlockOfferingId]}"),),
        (_T.format("{}"), _T.format("{protect: true}")),
        no_unknown="it judges options alone, which a program always knows",
    ),
    providers=(Provider.AWS,),
)
