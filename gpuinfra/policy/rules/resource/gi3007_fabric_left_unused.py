"""Several nodes of a type with EFA, and no EFA asked for.

What: A group of more than one node launches a type that carries EFA, without an EFA interface.
Why: Collectives between the nodes fall back to TCP: the job runs, many times slower, at the full price, and nothing says so.
Fix: Add the type's EFA interfaces, or take a type without EFA.
References: modelplaneai/modelplane#197; aws/aws-parallelcluster:cli/src/pcluster/validators/instances_validators.py
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import FabricKind, Provider
from ...aws_graph import group_size, size_unknown
from ...aws_kubernetes import node_groups
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3007", "fabric-left-unused", Severity.WARNING, __doc__, ("AWS NET-07",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template, and for each EKS node group without one, which gets one ordinary interface; what
    our own component made is judged by the plan rules."""
    for bare in node_groups(ctx.aws):
        if bare.nodes is not None or ctx.aws.ours(bare.resource) or bare.resource.get("launchTemplate") is not None:
            continue
        kinds = [f for f in bare.facts if f.fabric is FabricKind.EFA and (f.fabric_interfaces or 0) >= 2]
        most = group_size(bare.resource)[2] or 0
        if not kinds or len(kinds) != len(bare.types):
            continue
        if size_unknown(bare.resource)[2]:
            yield Undecided(CODE.code, bare.resource.name, "how many nodes there may be is not known yet")
        elif most >= 2:
            yield CODE.at(
                f"{bare.resource.name}.launchTemplate",
                f"up to {most:g} nodes of {kinds[0].name} and no launch template that asks for EFA, though the type has "
                f"{kinds[0].fabric_interfaces}: collectives between nodes go over TCP",
                resource=bare.resource.name,
            )
    for nodes in ctx.aws.nodes:
        facts = ctx.aws.facts_of(nodes)
        few = nodes.most_nodes < 2 and not nodes.most_unknown
        if facts is None or facts.fabric is not FabricKind.EFA or few:
            continue
        # Types with one EFA are mostly used one by one; a missing EFA there is no sign of a mistake.
        if (facts.fabric_interfaces or 0) < 2 or ctx.aws.ours(nodes.template):
            continue
        if nodes.interfaces is None:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
        elif not nodes.efa and nodes.most_nodes < 2:
            yield Undecided(CODE.code, nodes.name, "how many nodes there may be is not known yet")
        elif not nodes.efa:
            yield CODE.at(
                f"{nodes.name}.networkInterfaces",
                f"up to {nodes.most_nodes:g} nodes of {facts.name} and no EFA interface, though the type has "
                f"{facts.fabric_interfaces}: collectives between nodes go over TCP",
                resource=nodes.name,
            )


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge, networkInterfaces: {0}}}}}
- {{type: aws.autoscaling.Group, name: group, inputs: {{minSize: 0, maxSize: {1}, launchTemplate: {{id: !ref nodes.id }}}}}}
"""
_BARE = """\
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{instanceTypes: [{0}], scalingConfig: {{minSize: 0, maxSize: {1}}}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (
            _T.format("[]", 1),
            _T.format("[{interfaceType: efa}]", 4),
            _BARE.format("p4d.24xlarge", 1),
            _BARE.format("g5.xlarge", 4),
        ),
        (_T.format("[]", 4), _BARE.format("p4d.24xlarge", 4)),
        (_T.format("!unknown ", 4),),
    ),
    providers=(Provider.AWS,),
)
