"""A Parallelstore instance.

What: The program makes a Parallelstore instance.
Why: Parallelstore is given up: the toolkit deprecated it on 2026-08-31 and points to Managed Lustre.
Fix: Use gcp.lustre.Instance.
References: GoogleCloudPlatform/cluster-toolkit:modules/file-system/parallelstore
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import PARALLELSTORE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3172", "parallelstore-in-a-new-stack", Severity.ERROR, __doc__, ("GCP GCP-STO-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each instance."""
    for fs in ctx.gcp.of_type(PARALLELSTORE):
        yield CODE.at(fs.name, "Parallelstore is given up in favour of Managed Lustre", resource=fs.name)


RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        ('- {type: gcp.lustre.Instance, name: scratch, inputs: {capacityGib: "9000"}}\n',),
        ('- {type: gcp.parallelstore.Instance, name: scratch, inputs: {capacityGib: "12000"}}\n',),
        (),
    ),
    providers=(Provider.GCP,),
)
