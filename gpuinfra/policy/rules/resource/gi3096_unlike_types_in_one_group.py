"""One group of GPU nodes with types that cannot work as one.

What: A scaling group or a node group may launch types that differ in GPU, number of GPUs, EFA or network cards.
Why: A launcher gives each process an equal share: unlike nodes run at the speed of the slowest, or fail; and one template has one interface list, which fits one layout of cards.
Fix: Make one group for each type, or list only types that are alike.
References: aws/aws-parallelcluster, InstancesAcceleratorsValidator, InstancesEFAValidator and InstancesNetworkingValidator
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....catalog import InstanceType, instance_type
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import NODE_GROUP, SCALING_GROUP
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, plain

CODE = described("GI3096", "unlike-types-in-one-group", Severity.ERROR, __doc__, ("AWS CMP-03",))
_OVERRIDES = ("mixedInstancesPolicy", "launchTemplate", "overrides")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group. Types that the tables lack are not judged."""
    for group in ctx.aws.of_type(SCALING_GROUP, NODE_GROUP):
        path, listed = _types(group)
        if late(listed) or any(late(t) for t in items(listed)):
            yield Undecided(CODE.code, group.name, "the types are not known yet")
            continue
        known = [f for t in items(listed) if (f := _facts(t)) is not None]
        first = next((f for f in known if f.has_gpu), None)
        other = next((f for f in known if first is not None and _kind(f) != _kind(first)), None)
        if first is not None and other is not None:
            yield CODE.at(
                f"{group.name}.{path}",
                f"the group may launch {_shown(first)} and {_shown(other)}",
                resource=group.name,
            )


def _types(group: Resource) -> tuple[str, Any]:
    if group.type == NODE_GROUP:
        return "instanceTypes", group.get("instanceTypes")
    value = group.get(*_OVERRIDES)
    return ".".join(_OVERRIDES), value if late(value) else [plain(o.get("instanceType")) for o in entries(value)]


def _facts(name: object) -> InstanceType | None:
    found = instance_type(Provider.AWS, plain(name)) if isinstance(plain(name), str) else None
    return found if isinstance(found, InstanceType) and found.known else None


def _kind(facts: InstanceType) -> tuple[object, ...]:
    return (facts.gpu_model, facts.gpu_count, facts.fabric, facts.fabric_interfaces, facts.arch)


def _shown(facts: InstanceType) -> str:
    gpus = f"{facts.gpu_count} × {facts.gpu_model}" if facts.has_gpu else "no GPU"
    efa = f", {facts.fabric_interfaces} EFA" if facts.fabric_interfaces else ""
    return f"{facts.name} ({gpus}{efa})"


_T = """\
- type: aws.autoscaling.Group
  name: group
  inputs: {{mixedInstancesPolicy: {{launchTemplate: {{overrides: [{{instanceType: g5.2xlarge}}, {{instanceType: {0}}}]}}}}}}
"""
_EKS = "- {type: aws.eks.NodeGroup, name: pool, inputs: {instanceTypes: [p5.48xlarge, p4d.24xlarge]}}\n"

RULE = ResourceRule(
    CODE,
    ("job", "fabric"),
    check,
    Examples((_T.format("g5.4xlarge"),), (_T.format("g5.48xlarge"), _EKS), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
