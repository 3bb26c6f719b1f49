"""A Lustre file system with more than one subnet.

What: `subnetIds` names several subnets.
Why: A Lustre file system stands in one subnet of one zone. The plural is the API's; FSx refuses a second entry.
Fix: Name one subnet, in the zone of the nodes.
References: FSx for Lustre API, SubnetIds; aws/aws-parallelcluster, ManagedFsxMultiAzValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE, SUBNET
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late

CODE = described("GI3039", "lustre-over-several-subnets", Severity.ERROR, __doc__, ("AWS FSX-08",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system."""
    for fs in ctx.aws.of_type(LUSTRE):
        value = fs.get("subnetIds")
        count = len(items(value))
        # One subnet of this program is one, whatever its id will be.
        if late(value) and ctx.aws.linked(fs, "subnetIds", SUBNET).count != 1:
            yield Undecided(CODE.code, fs.name, "the subnets are not known yet")
        elif count > 1:
            yield CODE.at(
                f"{fs.name}.subnetIds", f"{count} subnets, and a Lustre file system takes one", resource=fs.name
            )


_T = "- {{type: aws.fsx.LustreFileSystem, name: scratch, inputs: {{deploymentType: SCRATCH_2, subnetIds: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("storage", "network"),
    check,
    Examples(
        (_T.format("subnet-1"), _T.format("[subnet-1]")),
        (_T.format("[subnet-1, subnet-2]"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
