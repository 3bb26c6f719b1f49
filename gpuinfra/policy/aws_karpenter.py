"""Karpenter as rules read it: what nodes its pools start, and of which class, from the custom resources of a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..catalog import instance_types
from ..vocabulary import Provider
from .aws_graph import AwsGraph
from .machine_rows import gpu_row_of
from .resource_graph import Resource
from .wire_values import entries, items, late, plain

_POOL, _CLASS = "NodePool", "EC2NodeClass"
_GPU_CATEGORIES = frozenset({"p", "g"})
_ONE_IS_ENOUGH = (
    "karpenter.k8s.aws/instance-gpu-name",
    "karpenter.k8s.aws/instance-gpu-manufacturer",
    "karpenter.k8s.aws/instance-gpu-count",
    "karpenter.k8s.aws/instance-gpu-memory",
)
"""Labels that only machines with GPUs carry."""


@dataclass(frozen=True)
class KarpenterPool:
    """A pool whose nodes all have GPUs, or may have, with the class that says how they boot, where this program makes it."""

    resource: Resource
    classes: tuple[Resource, ...]
    """The class; several where it is not known yet which one it is."""
    sure: bool
    """False: whether its nodes have GPUs is not known yet."""


def node_classes(aws: AwsGraph) -> tuple[Resource, ...]:
    """Every EC2NodeClass of the program."""
    return tuple(r for r in aws.graph if _is(r, "karpenter.k8s.aws/", _CLASS))


def gpu_pools(aws: AwsGraph) -> tuple[KarpenterPool, ...]:
    """The pools each of whose nodes has GPUs, or may have where that is not known yet."""
    return aws.once("Karpenter pools", lambda: tuple(_pools(aws)))


def gpu_classes(aws: AwsGraph) -> tuple[tuple[Resource, bool], ...]:
    """The classes of those pools, each with whether it is known that nodes with GPUs are of it."""
    found: dict[str, tuple[Resource, bool]] = {}
    for pool in gpu_pools(aws):
        sure = pool.sure and len(pool.classes) == 1
        for one in pool.classes:
            found[one.urn] = (one, sure or found.get(one.urn, (one, False))[1])
    return tuple(found.values())


def _pools(aws: AwsGraph) -> Iterator[KarpenterPool]:
    classes = node_classes(aws)
    for r in aws.graph:
        has_gpus = _has_gpus(r) if _is(r, "karpenter.sh/", _POOL) else False
        if has_gpus is not False:
            yield KarpenterPool(r, _classes_of(r, classes), has_gpus is True)


def _is(r: Resource, group: str, kind: str) -> bool:
    """Whether a Kubernetes resource is of a kind, of any version of its group."""
    package, _, rest = r.type.partition(":")
    module, _, name = rest.rpartition(":")
    return package == "kubernetes" and name == kind and module.startswith(group)


def _classes_of(pool: Resource, classes: tuple[Resource, ...]) -> tuple[Resource, ...]:
    name = pool.get("spec", "template", "spec", "nodeClassRef", "name")
    named = [c for c in classes if isinstance(name, str) and not late(name) and c.get("metadata", "name") == name]
    used = {u for urns in pool.property_dependencies.values() for u in urns}
    found = named or [c for c in classes if c.urn in used]
    if len(found) == 1:
        return (found[0],)
    return tuple(c for c in classes if late(name) or late(c.get("metadata", "name")))


def _has_gpus(pool: Resource) -> bool | None:
    listed = pool.get("spec", "template", "spec", "requirements")
    asked = [_asks_for_gpus(one) for one in entries(listed)]
    if True in asked:
        return True
    return None if None in asked or late(listed) else False


def _asks_for_gpus(requirement: Mapping[str, Any]) -> bool | None:
    """Whether a requirement leaves only machines with GPUs; None where that is not known yet."""
    key, operator = plain(requirement.get("key")), plain(requirement.get("operator"))
    listed = plain(requirement.get("values"))
    values = [plain(v) for v in items(listed)]
    if late(key) or (key in (*_ONE_IS_ENOUGH, *_TESTS) and any(map(late, (operator, listed, *values)))):
        return None
    if key in _ONE_IS_ENOUGH:
        return operator in ("Exists", "In") or (operator == "Gt" and bool(values))
    test = _TESTS.get(key) if isinstance(key, str) else None
    return (
        test is not None and operator == "In" and bool(values) and all(isinstance(v, str) and test(v) for v in values)
    )


def _type_with_gpu(name: str) -> bool:
    return gpu_row_of(Provider.AWS, name) is not None


def _family_with_gpu(name: str) -> bool:
    return any(t.has_gpu and t.name.startswith(f"{name}.") for t in instance_types(Provider.AWS))


_TESTS: Mapping[str, Callable[[str], bool]] = {
    "node.kubernetes.io/instance-type": _type_with_gpu,
    "karpenter.k8s.aws/instance-family": _family_with_gpu,
    "karpenter.k8s.aws/instance-category": _GPU_CATEGORIES.__contains__,
}
