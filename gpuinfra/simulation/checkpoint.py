"""A state file of the engine's file backend, read without the engine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .values import as_list, as_map


def resources_in(state: Path) -> list[Mapping[str, Any]]:
    """The resources that a state file holds; none for one that cannot be read, which recovery puts right."""
    try:
        read: Any = json.loads(state.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    latest = as_map(as_map(as_map(read).get("checkpoint")).get("latest"))
    return [as_map(one) for one in as_list(latest.get("resources"))]
