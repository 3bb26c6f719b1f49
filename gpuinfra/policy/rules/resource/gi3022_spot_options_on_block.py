"""Spot settings on a capacity block.

What: A template of market type `capacity-block` has spot options, or its group has a spot allocation strategy.
Why: A block is bought and paid: there is nothing to allocate, and the launch is refused.
Fix: Leave spotOptions and the instances distribution out.
References: aws/aws-parallelcluster, InstancesAllocationStrategyValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import BLOCK_MARKET, market
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3022", "spot-options-on-block", Severity.ERROR, __doc__, ("AWS CAP-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or group."""
    for nodes in ctx.aws.nodes:
        said = market(nodes.template)
        spot = nodes.template.get("instanceMarketOptions", "spotOptions")
        if late(said) and spot is not None:
            yield Undecided(CODE.code, nodes.name, "the market type is not known yet")
        if said != BLOCK_MARKET:
            continue
        if spot is not None:
            yield CODE.at(
                f"{nodes.name}.instanceMarketOptions.spotOptions",
                "a capacity block takes no spot options",
                resource=nodes.name,
            )
        for group in nodes.groups:
            distribution = group.get("mixedInstancesPolicy", "instancesDistribution")
            if distribution is not None:
                yield CODE.at(
                    f"{group.name}.mixedInstancesPolicy.instancesDistribution",
                    "a capacity block takes no allocation strategy",
                    resource=group.name,
                )


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceMarketOptions: {{marketType: {0}, spotOptions: {{spotInstanceType: one-time}}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples((_T.format("spot"),), (_T.format("capacity-block"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
