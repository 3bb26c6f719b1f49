"""EFA asked of an instance type that has none.

What: A template has an EFA interface, and its instance type carries no EFA device.
Why: The small sizes of a family (g5.xlarge, g6.4xlarge) have no EFA; the launch is refused.
Fix: Take the smallest size of the family with EFA, or use ordinary interfaces.
References: aws/aws-parallelcluster:cli/src/pcluster/validators/instances_validators.py, EfaValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import InstanceType, instance_types
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import FabricKind, Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3006", "efa-on-type-without", Severity.ERROR, __doc__, ("AWS NET-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template."""
    for nodes in ctx.aws.nodes:
        facts = ctx.aws.facts_of(nodes)
        if facts is None or facts.fabric is not FabricKind.NONE or ctx.aws.cards_of(nodes) is not None:
            continue
        if nodes.interfaces is None:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
        elif nodes.efa:
            smallest = _smallest_with_efa(facts)
            yield CODE.at(
                f"{nodes.name}.instanceType",
                f"'{facts.name}' has no EFA, but an interface asks for '{nodes.efa[0]['interfaceType']}'",
                f"use {smallest}, the smallest {facts.family} with EFA, or an ordinary interface" if smallest else "",
                resource=nodes.name,
            )


def _smallest_with_efa(facts: InstanceType) -> str:
    family = [t for t in instance_types(Provider.AWS) if t.family == facts.family and t.fabric is FabricKind.EFA]
    return min(family, key=lambda t: (t.gpu_count, t.vcpus or 0, t.name)).name if family else ""


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: {0}, networkInterfaces: {1}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (
            _T.format("g5.xlarge", "[{interfaceType: interface}]"),
            _T.format("g5.8xlarge", "[{interfaceType: interface}, {deviceIndex: 1, interfaceType: efa-only}]"),
        ),
        (_T.format("g5.xlarge", "[{interfaceType: efa}]"),),
        (_T.format("g5.xlarge", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
