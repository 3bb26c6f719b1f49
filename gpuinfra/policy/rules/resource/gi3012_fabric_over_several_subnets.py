"""EFA nodes spread over several subnets or zones.

What: A group of EFA nodes may launch into more than one subnet or zone.
Why: EFA traffic does not leave its subnet: nodes in two zones cannot reach each other, and the job hangs on some starts and not on others.
Fix: Give the group exactly one subnet.
References: aws/aws-parallelcluster, EfaMultiAzValidator; aws-samples/amazon-eks-machine-learning-with-terraform-and-kubeflow#77
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SUBNET
from ...resource_graph import Unknown
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late

CODE = described("GI3012", "fabric-over-several-subnets", Severity.ERROR, __doc__, ("AWS NET-12",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group."""
    for nodes in ctx.aws.nodes:
        unknown = ctx.aws.efa_unknown(nodes)
        if not nodes.efa and not unknown:
            continue
        for group in nodes.groups:
            key = "subnetIds" if group.inputs.get("subnetIds") is not None else "vpcZoneIdentifiers"
            value = group.inputs.get(key)
            zones = items(group.get("availabilityZones"))
            if late(value) and ctx.aws.linked(group, key, SUBNET).count != 1:
                yield Undecided(CODE.code, group.name, "the subnets are not known yet")
                continue
            # A list shows how many there are even where it does not show which.
            count = len({repr(v) for v in items(value) if not isinstance(v, Unknown)})
            count += sum(isinstance(v, Unknown) for v in items(value))
            if max(count, len(zones)) > 1 and unknown:
                yield Undecided(CODE.code, group.name, "whether its nodes have EFA is not known yet")
            elif max(count, len(zones)) > 1:
                what = f"{count} subnets" if count > 1 else f"{len(zones)} zones"
                yield CODE.at(
                    f"{group.name}.{key if count > 1 else 'availabilityZones'}",
                    f"EFA nodes of '{nodes.name}' may stand in {what}, and EFA does not cross subnets",
                    resource=group.name,
                )


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{networkInterfaces: [{{interfaceType: efa}}]}}}}
- type: aws.autoscaling.Group
  name: group
  inputs: {{vpcZoneIdentifiers: {0}, launchTemplate: {{id: !ref nodes.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format("[subnet-1]"),),
        (_T.format("[subnet-1, subnet-2]"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
