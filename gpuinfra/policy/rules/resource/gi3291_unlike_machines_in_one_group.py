"""Unlike GPU machines in one group.

What: One group may start machine types that differ in GPU or number of GPUs; where a fabric joins them, also in that, in vCPUs or network cards.
Severity: warning where no fabric joins them: nodes that serve alone may differ, and spot asks for many types
Why: One job over such nodes waits for the slowest, and NCCL does not cross from one fabric to another; which mix comes is left to chance.
Fix: Name types with the same GPU, number and fabric, or make a group of each.
References: aws/aws-parallelcluster, InstancesAcceleratorsValidator and InstancesNetworkingValidator; Google Cloud docs, instance flexibility; Azure docs, instance mix
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....catalog import InstanceType
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import FabricKind, Provider
from ...aws_graph import NODE_GROUP, SCALING_GROUP
from ...azure_graph import SCALE_SET, size_of
from ...gcp_types import REGION_GROUP, last_part
from ...machine_rows import gpu_row_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, plain

CODE = described("GI3291", "unlike-machines-in-one-group", Severity.ERROR, __doc__, ("AWS CMP-03",))
_OVERRIDES = ("mixedInstancesPolicy", "launchTemplate", "overrides")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group."""
    for group, where, named, wired in (*_of_aws(ctx), *_of_google(ctx), *_of_azure(ctx)):
        provider, values = named
        if any(late(v) for v in values):
            yield Undecided(CODE.code, group.name, "the machine types are not known yet")
            continue
        facts = [
            row for v in dict.fromkeys(v for v in values if isinstance(v, str)) if (row := gpu_row_of(provider, v))
        ]
        unlike = {_alike(f, wired): f for f in facts}
        if len(unlike) > 1:
            fabric = wired and any(f.fabric is not FabricKind.NONE for f in facts)
            said = " and ".join(
                f"{f.name} ({f.gpu_count} × {f.gpu_model}, {f.fabric}, {f.vcpus or '?'} vCPUs)" for f in unlike.values()
            )
            yield CODE.at(
                where,
                f"the group may start {said}",
                "name types with the same GPU, number and fabric, or make a group of each",
                resource=group.name,
                severity=None if fabric else Severity.WARNING,
            )


def _alike(facts: InstanceType, wired: bool) -> tuple[object, ...]:
    """What nodes must share. Those that a fabric joins start one job together: their cards and vCPUs count too. A fabric
    that nobody asks for parts no nodes: g5.4xlarge lacks the EFA that g5.8xlarge could have."""
    shared = (facts.gpu_model, facts.gpu_count)
    if not wired:
        return shared
    fabric = (facts.fabric, facts.fabric_interfaces)
    cards = () if facts.fabric is FabricKind.NONE else (facts.vcpus, facts.nic_count)
    return (*shared, *fabric, *cards)


_Found = Iterator[tuple[Resource, str, tuple[Provider, list[Any]], bool]]
"""A group, where it names its types, these, and whether a fabric that they have is used."""


def _of_aws(ctx: GraphContext) -> _Found:
    # A type that can do EFA has it only where an interface asks for it.
    joined = {g.urn for nodes in ctx.aws.nodes if nodes.efa for g in nodes.groups}
    for r in ctx.aws.of_type(SCALING_GROUP):
        named = [plain(o.get("instanceType")) for o in entries(r.get(*_OVERRIDES))]
        yield r, f"{r.name}.{'.'.join(_OVERRIDES)}", (Provider.AWS, named), r.urn in joined
    for r in ctx.aws.of_type(NODE_GROUP):
        yield (
            r,
            f"{r.name}.instanceTypes",
            (Provider.AWS, [plain(v) for v in items(r.get("instanceTypes"))]),
            r.urn in joined,
        )


def _of_google(ctx: GraphContext) -> _Found:
    for r in ctx.gcp.of_type(REGION_GROUP):
        chosen = entries(r.get("instanceFlexibilityPolicy", "instanceSelections"))
        named = [plain(v) for one in chosen for v in items(plain(one.get("machineTypes")))]
        names = [last_part(v) if isinstance(v, str) else v for v in named]
        yield r, f"{r.name}.instanceFlexibilityPolicy.instanceSelections", (Provider.GCP, names), True


def _of_azure(ctx: GraphContext) -> _Found:
    for r in ctx.azure.of_type(SCALE_SET):
        named = [plain(v.get("name")) for v in entries(r.get("skuProfile", "vmSizes"))]
        sizes = [v if late(v) else size_of(v) for v in named]
        yield r, f"{r.name}.skuProfile.vmSizes", (Provider.AZURE, sizes), True


_T = """\
- type: aws.autoscaling.Group
  name: group
  inputs: {{mixedInstancesPolicy: {{launchTemplate: {{overrides: [{{instanceType: p5.48xlarge}}, {{instanceType: {0}}}]}}}}}}
"""
_SET = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{skuProfile: {{vmSizes: [{{name: Standard_NC24ads_A100_v4}}, {{name: {0}}}]}}}}
"""
_GROUP = """\
- type: gcp.compute.RegionInstanceGroupManager
  name: group
  inputs: {{instanceFlexibilityPolicy: {{instanceSelections: [{{name: best, machineTypes: [g2-standard-4]}}, {{name: next, machineTypes: [{0}]}}]}}}}
"""

RULE = ResourceRule(
    CODE,
    ("accelerator", "fabric"),
    check,
    Examples(
        (_T.format("p5.48xlarge"), _SET.format("Standard_NC24ads_A100_v4"), _GROUP.format("g2-standard-8")),
        (_T.format("p4d.24xlarge"), _SET.format("Standard_NC80adis_H100_v5"), _GROUP.format("a2-highgpu-1g")),
        (_T.format("!unknown "),),
    ),
)
