"""A hyperdisk with one of IOPS and throughput.

What: A hyperdisk-balanced disk has provisionedIops without provisionedThroughput, or the other way round.
Why: The two are provisioned together, and the API refuses one alone.
Fix: Write both, or neither.
References: cloudpilot-ai/karpenter-provider-gcp#210
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_disks import every_disk
from ...gcp_types import last_part
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3141", "half-of-a-disks-performance", Severity.ERROR, __doc__, ("GCP-DSK-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each disk."""
    for owner, path, disk in every_disk(ctx.gcp):
        kind = plain(next((disk[k] for k in ("type", "diskType") if k in disk and disk[k] != "PERSISTENT"), None))
        if late(kind):
            yield Undecided(CODE.code, owner.name, "the type of the disk is not known yet")
        if not isinstance(kind, str) or last_part(kind) != "hyperdisk-balanced":
            continue
        given = [k for k in ("provisionedIops", "provisionedThroughput") if disk.get(k) is not None]
        if len(given) == 1:
            yield CODE.at(f"{owner.name}.{path}{given[0]}", f"{given[0]} stands alone", resource=owner.name)


_T = "- {{type: gcp.compute.Disk, name: data, inputs: {{type: {1}, provisionedIops: 5000, provisionedThroughput: {0}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (
            _T.format(300, "hyperdisk-balanced"),
            _T.format("null", "hyperdisk-extreme"),
        ),
        (_T.format("null", "hyperdisk-balanced"),),
        (_T.format("null", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
