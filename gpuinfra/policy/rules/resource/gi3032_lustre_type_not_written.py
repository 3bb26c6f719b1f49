"""A Lustre file system of the default type.

What: `deploymentType` is absent.
Why: The default is SCRATCH_1, the oldest type: no replication, no throughput to choose, and data lost when a server fails.
Fix: Write deploymentType: PERSISTENT_2 for data that must last, SCRATCH_2 for copies.
References: FSx for Lustre User Guide, deployment options; aws-solutions-library-samples/aws-batch-arch-for-protein-folding#11
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3032", "lustre-type-not-written", Severity.ERROR, __doc__, ("AWS FSX-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system. One that is restored from a backup takes the backup's type."""
    for fs in ctx.aws.of_type(LUSTRE):
        said = fs.get("deploymentType")
        if late(said):
            yield Undecided(CODE.code, fs.name, "the deployment type is not known yet")
        elif said is None and fs.get("backupId") is None:
            yield CODE.at(
                f"{fs.name}.deploymentType", "deploymentType is absent, which means SCRATCH_1", resource=fs.name
            )


_T = "- {{type: aws.fsx.LustreFileSystem, name: scratch, inputs: {{storageCapacity: 1200{0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format(", deploymentType: SCRATCH_2"),), (_T.format(""),), (_T.format(", deploymentType: !unknown "),)
    ),
    providers=(Provider.AWS,),
)
