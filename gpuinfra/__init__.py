"""GPU clusters as code: one typed spec becomes the right resources, checked before money is spent.

Nothing is imported before it is used: Pulumi and the clouds' SDKs least of all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cluster import GpuCluster
    from .diagnostics import GpuInfraError
    from .plan import resolve
    from .spec.load import load
    from .spec.models import ClusterSpec

__all__ = ["ClusterSpec", "GpuCluster", "GpuInfraError", "load", "resolve"]

_WHERE = {
    "ClusterSpec": "spec.models",
    "GpuCluster": "cluster",
    "GpuInfraError": "diagnostics",
    "load": "spec.load",
    "resolve": "plan",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_WHERE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
