"""EKS as rules read it: node groups with what launches their nodes, their cluster, its add-ons and its Helm charts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..catalog import InstanceType, instance_type
from ..vocabulary import Provider
from .aws_graph import NODE_GROUP, SCALING_GROUP, AwsGraph, Nodes
from .machine_rows import row_of
from .resource_graph import Resource
from .wire_values import entries, items, late, plain, truth

CLUSTER = "aws:eks/cluster:Cluster"
ADDON = "aws:eks/addon:Addon"
_CHARTS = (
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:helm.sh/v3:Chart",
    "kubernetes:helm.sh/v4:Chart",
)
_KARPENTER = ("karpenter.sh/", "karpenter.k8s.aws/")
_OWNED = "kubernetes.io/cluster/"
_NUMBERS = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?")


@dataclass(frozen=True)
class GroupOfNodes:
    """An EKS node group. Without a launch template of its own (`nodes` is None) it names its types itself."""

    resource: Resource
    nodes: Nodes | None
    types: tuple[str, ...]
    unknown: bool
    """Whether its types are not known yet."""

    @property
    def facts(self) -> tuple[InstanceType, ...]:
        """The catalog's rows of its types, those that it has."""
        return tuple(row for t in self.types if (row := row_of(Provider.AWS, t)))

    @property
    def without_gpus(self) -> bool:
        """Whether every type is known, and none has GPUs. Without any type EKS takes t3.medium."""
        found = [instance_type(Provider.AWS, t) for t in self.types]
        plain_types = all(isinstance(f, InstanceType) and not f.has_gpu for f in found)
        return not self.unknown and plain_types and (bool(found) or self.nodes is None) and not self.has_gpu

    @property
    def has_gpu(self) -> bool:
        """Whether it has GPUs, by its types or by its image type."""
        image = self.resource.get("amiType")
        shown = isinstance(image, str) and ("NVIDIA" in image or "GPU" in image)
        return shown or any(f.has_gpu for f in self.facts)


def node_groups(aws: AwsGraph) -> tuple[GroupOfNodes, ...]:
    """Every EKS node group of the program."""
    return aws.once("EKS node groups", lambda: tuple(_groups(aws)))


def _groups(aws: AwsGraph) -> Iterator[GroupOfNodes]:
    launched = {g.urn: n for n in aws.nodes for g in n.groups}
    for group in aws.of_type(NODE_GROUP):
        nodes = launched.get(group.urn)
        own = group.get("instanceTypes")
        listed = [plain(t) for t in items(own)]
        listed += [nodes.template.get("instanceType")] if nodes is not None else []
        unknown = late(own) or any(late(t) for t in listed)
        yield GroupOfNodes(group, nodes, tuple(t for t in listed if isinstance(t, str) and not late(t)), unknown)


def in_kubernetes(nodes: Nodes) -> bool:
    """Whether nodes belong to a Kubernetes cluster: an EKS node group, or a scaling group that carries its tag."""
    for group in nodes.groups:
        if group.type == NODE_GROUP:
            return True
        keys = [plain(t.get("key")) for t in entries(group.get("tags"))]
        if group.type == SCALING_GROUP and any(isinstance(k, str) and k.startswith(_OWNED) for k in keys):
            return True
    return False


def cluster_of(aws: AwsGraph, group: Resource) -> Resource | None:
    """The cluster of a node group, where this program makes it."""
    linked = aws.linked(group, "clusterName", CLUSTER).resources
    name = group.get("clusterName")
    named = [c for c in aws.of_type(CLUSTER) if isinstance(name, str) and c.get("name") == name]
    return next(iter((*linked, *named)), None)


def addons(aws: AwsGraph, name: str) -> tuple[Resource, ...]:
    """The EKS add-ons of that name."""
    return tuple(a for a in aws.of_type(ADDON) if a.get("addonName") == name)


def grows_elsewhere(aws: AwsGraph) -> bool:
    """Whether nodes may come that no group of the program shows: through Karpenter, or the cluster's Auto Mode."""
    makers = (*charts(aws, "karpenter"), *(r for r in aws.graph if r.type.partition(":")[2].startswith(_KARPENTER)))
    return bool(makers) or any(
        truth(c.get("computeConfig", "enabled")) is True or late(c.get("computeConfig", "enabled"))
        for c in aws.of_type(CLUSTER)
    )


def charts(aws: AwsGraph, name: str) -> tuple[Resource, ...]:
    """The Helm charts of the program whose chart has that name."""
    return tuple(c for c in aws.of_type(*_CHARTS) if name in str(c.get("chart")))


def charts_unknown(aws: AwsGraph) -> bool:
    """Whether the program installs a Helm chart of which it is not known yet which one it is."""
    return any(late(c.get("chart")) for c in aws.of_type(*_CHARTS))


def version_of(value: object) -> tuple[int, ...] | None:
    """The numbers of a version such as v1.18.5-eksbuild.1; None where it is none, or unknown."""
    match = _NUMBERS.match(value) if isinstance(value, str) and not late(value) else None
    return tuple(int(n) for n in match.groups() if n is not None) if match else None
