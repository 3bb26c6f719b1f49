"""Spot nodes of one type in one zone.

What: A group of spot nodes has a single instance type and a single subnet.
Why: When that market runs dry, all nodes go at once and none comes back.
Fix: Name more types with the same GPU and number, and a subnet in each zone that offers them. Nodes with EFA need one subnet: keep a group of another type, or on demand, to fall back on.
References: skypilot-org/skypilot#5371; EC2 User Guide, Spot best practices
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SUBNET
from ...aws_spot import SpotNodes, spot_nodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3400", "spot-in-one-market", Severity.WARNING, __doc__, ("AWS CAP-16",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group; what our own component made is judged by the plan rules."""
    for found in spot_nodes(ctx.aws):
        if found.alone or ctx.aws.ours(found.owner):
            continue
        if found.types is None:
            yield Undecided(CODE.code, found.owner.name, "the instance types are not known yet")
        elif len(found.types) == 1 and found.has_gpu:
            yield from _places(ctx, found, found.types[0])


def _places(ctx: GraphContext, found: SpotNodes, kind: str) -> Iterator[Diagnostic | Undecided]:
    links = [ctx.aws.linked(found.owner, key, SUBNET) for key in ("vpcZoneIdentifiers", "subnetIds")]
    if any(links_of.unknown for links_of in links):
        yield Undecided(CODE.code, found.owner.name, "the subnets are not known yet")
    elif sum(len(links_of.resources) + len(links_of.foreign) for links_of in links) == 1:
        yield CODE.at(
            f"{found.owner.name}.{found.path}",
            f"spot nodes of one type, {kind}, in one subnet: they can all go at once",
            resource=found.owner.name,
        )


_GROUP = """\
- {{type: aws.ec2.Subnet, name: east, inputs: {{availabilityZone: us-east-1a}}}}
- {{type: aws.ec2.Subnet, name: west, inputs: {{availabilityZone: us-east-1b}}}}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{capacityType: SPOT, instanceTypes: {0}, subnetIds: {1}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (
            _GROUP.format("[g5.xlarge, g5.2xlarge]", "[!ref east.id ]"),
            _GROUP.format("[g5.xlarge]", "[!ref east.id , !ref west.id ]"),
        ),
        (_GROUP.format("[g5.xlarge]", "[!ref east.id ]"),),
        (_GROUP.format("!unknown ", "[!ref east.id ]"), _GROUP.format("[g5.xlarge]", "!unknown ")),
    ),
    providers=(Provider.AWS,),
)
