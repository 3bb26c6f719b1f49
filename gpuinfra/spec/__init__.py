"""What a person writes about a cluster: its models, reading it with line and column, and its JSON schema.

Everything is imported when it is first asked for: a command that reads no spec pays for none of it. A file is read by
`gpuinfra.spec.load.load`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .load import Loaded, parse
    from .models import ClusterSpec
    from .schema import json_schema

__all__ = ["ClusterSpec", "Loaded", "json_schema", "parse"]

_HOME = {"ClusterSpec": "models", "Loaded": "load", "parse": "load", "json_schema": "schema"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOME[name]}", __name__), name)
