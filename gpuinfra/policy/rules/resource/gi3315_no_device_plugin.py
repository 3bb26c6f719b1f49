"""A cluster of GPU nodes without the plugin that hands the devices to pods.

What: The program installs charts on an EKS cluster with GPU nodes, and none of them is NVIDIA's device plugin, its operator or a DRA driver; or nodes have EFA, and nothing hands that out.
Why: The plugins are not in the image: pods that ask for nvidia.com/gpu or vpc.amazonaws.com/efa wait for ever, on nodes that bill.
Fix: Install the charts nvidia-device-plugin and, for nodes with EFA, aws-efa-k8s-device-plugin.
References: EKS User Guide, run GPU-accelerated containers and EFA; aws/eks-charts#1239
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SCALING_GROUP, AwsGraph, Nodes
from ...aws_kubernetes import ADDON, GroupOfNodes, grows_elsewhere, in_kubernetes, node_groups
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, plain

CODE = described("GI3315", "no-device-plugin", Severity.WARNING, __doc__, ("AWS EKS-05",))
_CHARTS = ("kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v3:Chart", "kubernetes:helm.sh/v4:Chart")
_BRINGS_OTHERS = ("argo", "flux", "operator-lifecycle", "crossplane")
_OF_EFA = ("aws-efa", "amazonaws.com/efa", "dranet")
_BRINGS_ITS_OWN = "BOTTLEROCKET"
"""Bottlerocket's NVIDIA images hold the device plugin."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for a program; one that installs nothing, or what installs the rest, leaves it to somebody else."""
    aws = ctx.aws
    groups = [g for g in node_groups(aws) if any(f.has_gpu for f in g.facts)]
    groups += [_self_managed(n) for n, _ in aws.gpu_nodes if in_kubernetes(n) and n.groups[0].type == SCALING_GROUP]
    if not groups or not aws.has(*_CHARTS) or grows_elsewhere(aws):
        return
    named = [r.get("chart") for r in aws.of_type(*_CHARTS)]
    installed = [r for r in aws.graph if r.type.startswith("kubernetes:") or r.type == ADDON]
    words = " ".join(w for r in installed for w in _words(r.inputs)).lower()
    if any(w in words for w in _BRINGS_OTHERS):
        return
    plain_groups = [g for g in groups if _BRINGS_ITS_OWN not in str(g.resource.get("amiType"))]
    missing = _missing(aws, groups, plain_groups, words)
    if missing and any(late(n) for n in named):
        yield Undecided(CODE.code, groups[0].resource.name, "which charts are installed is not known yet")
    elif missing:
        what, group = missing
        yield CODE.at(
            group.resource.name,
            f"the program installs charts, and none hands {what} to the pods of these nodes",
            resource=group.resource.name,
        )


def _self_managed(nodes: Nodes) -> GroupOfNodes:
    return GroupOfNodes(nodes.groups[0], nodes, (nodes.instance_type,), False)


def _missing(
    aws: AwsGraph, groups: list[GroupOfNodes], plain_groups: list[GroupOfNodes], words: str
) -> tuple[str, GroupOfNodes] | None:
    """What nobody hands out, and to which nodes."""
    if plain_groups and "nvidia" not in words and "gpu-operator" not in words:
        return "GPUs", plain_groups[0]
    wired = next((g for g in groups if g.nodes is not None and g.nodes.efa), None)
    return ("EFA", wired) if wired is not None and not any(w in words for w in _OF_EFA) else None


def _words(value: Any) -> Iterator[str]:
    """Every text of a value: a plugin may come as a chart, as a DaemonSet, or as a file of manifests."""
    value = plain(value)
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for v in cast("Mapping[str, Any]", value).values():
            yield from _words(v)
    else:
        for v in items(value):
            yield from _words(v)


_T = """\
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{instanceTypes: [g5.xlarge], amiType: AL2023_x86_64_NVIDIA}}}}
- {{type: "kubernetes:helm.sh/v3:Release", name: scaler, inputs: {{chart: cluster-autoscaler}}}}
- {{type: "kubernetes:helm.sh/v3:Release", name: more, inputs: {{chart: {0}}}}}
"""
_NOTHING = (
    "- {type: aws.eks.NodeGroup, name: pool, inputs: {instanceTypes: [g5.xlarge], amiType: AL2023_x86_64_NVIDIA}}\n"
)

RULE = ResourceRule(
    CODE,
    ("kubernetes", "accelerator"),
    check,
    Examples(
        (_T.format("nvidia-device-plugin"), _T.format("argo-cd"), _NOTHING),
        (_T.format("external-dns"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
