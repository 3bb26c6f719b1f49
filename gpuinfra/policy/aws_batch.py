"""What starts machines for AWS Batch."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..catalog import instance_types
from ..vocabulary import Provider
from .resource_graph import Resource
from .wire_values import items, late, plain

COMPUTE_ENVIRONMENT = "aws:batch/computeEnvironment:ComputeEnvironment"
TYPES = ("computeResources", "instanceTypes")


def has_gpus(env: Resource) -> bool | None:
    """Whether an environment names a machine type with GPUs, or a family of such types, as g6e; None where unknown."""
    named = types(env)
    if any(isinstance(t, str) and t in _gpu_names() for t in named):
        return True
    return None if late(env.get(*TYPES)) or any(map(late, named)) else False


def types(env: Resource) -> list[Any]:
    """The machine types and families that an environment names."""
    return [plain(t) for t in items(env.get(*TYPES))]


@cache
def _gpu_names() -> frozenset[str]:
    found = [t.name for t in instance_types(Provider.AWS) if t.has_gpu]
    return frozenset((*found, *(name.partition(".")[0] for name in found)))
