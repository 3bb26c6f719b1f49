"""GPU nodes of EKS whose disk the first container fills.

What: A node group or a Karpenter pool with GPUs has a root disk below 50 GiB; without a size EKS and Karpenter give 20 GiB.
Why: The image with driver and CUDA libraries takes half of 20 GiB, and one CUDA container unpacks to as much again: pods are evicted for disk pressure at the first pull, on nodes that bill.
Fix: Set diskSize: 200 on the group, or volumeSize in the template's blockDeviceMappings.
References: EKS User Guide, create a managed node group, disk size; awslabs/data-on-eks, node groups for GPUs
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_karpenter import gpu_classes
from ...aws_kubernetes import GroupOfNodes, node_groups
from ...aws_user_data import is_late, script
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, number, plain

CODE = described("GI3305", "default-disk-under-gpu-image", Severity.WARNING, __doc__, ("AWS CMP-07",))
_GIVEN_GIB, _ROOMY_GIB = 20, 50
_ABSENT = "absent"
_MAPPINGS = "blockDeviceMappings"
_ON_NVME = ("localStorage", "ephemeral-storage", "nvme")
"""Words of a boot script that lays containers on the local disks."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group. The disk of an image of one's own is as large as that image says."""
    for group in node_groups(ctx.aws):
        name = group.resource.name
        if not any(f.has_gpu for f in group.facts):
            continue
        path, size, unknown = _size(group)
        known = _GIVEN_GIB if size == _ABSENT else number(size)
        if unknown or late(size):
            yield Undecided(CODE.code, name, "the size of the disk is not known yet")
        elif known is not None and known < _ROOMY_GIB:
            said = f"absent, which means {_GIVEN_GIB} GiB" if size == _ABSENT else f"{known:g} GiB"
            yield CODE.at(
                path, f"the disk of nodes of {group.types[0]} is {said}: one CUDA container fills it", resource=name
            )
    for node_class, sure in gpu_classes(ctx.aws):
        yield from _of_class(node_class, sure)


def _of_class(node_class: Resource, sure: bool) -> Iterator[Diagnostic | Undecided]:
    """The disk of Karpenter's nodes; with instanceStorePolicy containers lie on the local disks."""
    mappings = node_class.get("spec", _MAPPINGS)
    sizes = [plain(_inside(m.get("ebs"), "volumeSize")) for m in entries(mappings)]
    if node_class.get("spec", "instanceStorePolicy") is not None:
        return
    if late(mappings) or any(late(s) for s in sizes):
        yield Undecided(CODE.code, node_class.name, "the size of the disk is not known yet")
        return
    known = [g for s in sizes if (g := _gib(s)) is not None] if mappings is not None else [_GIVEN_GIB]
    if known and max(known) < _ROOMY_GIB and not sure:
        yield Undecided(CODE.code, node_class.name, "whether its nodes have GPUs is not known yet")
    elif known and max(known) < _ROOMY_GIB:
        said = f"{max(known):g} GiB" if mappings is not None else f"absent, which means {_GIVEN_GIB} GiB"
        path = f"{node_class.name}.spec.{_MAPPINGS}"
        yield CODE.at(
            path, f"the disk of its GPU nodes is {said}: one CUDA container fills it", resource=node_class.name
        )


def _inside(value: Any, key: str) -> Any:
    return cast("Mapping[str, Any]", value).get(key) if isinstance(value, Mapping) else value


def _gib(value: Any) -> float | None:
    """GiB of a Kubernetes quantity such as 100Gi; None for another unit."""
    return number(value.removesuffix("Gi")) if isinstance(value, str) and value.endswith("Gi") else None


def _size(group: GroupOfNodes) -> tuple[str, Any, bool]:
    """(place, GiB, whether it is not known yet) of the disk that containers lie on; no size where that is not shown."""
    r, template = group.resource, group.nodes.template if group.nodes is not None else None
    if template is None:
        shown = r.get("launchTemplate") is None
        size = r.get("diskSize")
        return f"{r.name}.diskSize", (_ABSENT if size is None else size) if shown else None, False
    if r.get("diskSize") is not None:
        # Beside a template it is refused: another rule's.
        return "", None, False
    data = template.get("userData")
    if isinstance(data, str) and any(w in script(data) for w in _ON_NVME):
        return "", None, False
    mappings = template.get(_MAPPINGS)
    listed = entries(mappings)
    if template.get("imageId") is not None and not listed:
        return "", None, False
    sizes = [template.get(_MAPPINGS, n, "ebs", "volumeSize") for n in range(len(listed))]
    unknown = late(mappings) or is_late(data) or any(late(plain(s)) for s in sizes)
    if not listed:
        return f"{template.name}.{_MAPPINGS}", _ABSENT, unknown
    known = [s for s in sizes if number(s) is not None]
    return f"{template.name}.{_MAPPINGS}", max(known, key=lambda s: number(s) or 0, default=None), unknown


_T = "- {{type: aws.eks.NodeGroup, name: pool, inputs: {{instanceTypes: [{0}], diskSize: {1}}}}}\n"
_LT = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: g6.12xlarge, blockDeviceMappings: {0}}}}}
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{launchTemplate: {{id: !ref nodes.id }}}}}}
"""
_CLASS = """\
- type: kubernetes:karpenter.sh/v1:NodePool
  name: pool
  inputs:
    spec:
      template:
        spec:
          nodeClassRef: {{name: gpus}}
          requirements: [{{key: karpenter.k8s.aws/instance-gpu-name, operator: Exists}}]
- type: kubernetes:karpenter.k8s.aws/v1:EC2NodeClass
  name: class
  inputs: {{metadata: {{name: gpus}}, spec: {{blockDeviceMappings: {0}}}}}
"""
_GI = "[{deviceName: /dev/xvda, ebs: {volumeSize: %dGi}}]"
_DISK = "[{{deviceName: /dev/xvda, ebs: {{volumeSize: {0}}}}}]"

RULE = ResourceRule(
    CODE,
    ("kubernetes", "storage"),
    check,
    Examples(
        (
            _T.format("g5.xlarge", 200),
            _T.format("m5.large", "null"),
            _LT.format(_DISK.format(200)),
            _CLASS.format(_GI % 300),
        ),
        (
            _T.format("g5.xlarge", "null"),
            _T.format("g5.xlarge", 20),
            _LT.format(_DISK.format(30)),
            _LT.format("null"),
            _CLASS.format("null"),
            _CLASS.format(_GI % 30),
        ),
        (_T.format("g5.xlarge", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
