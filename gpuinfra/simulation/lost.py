"""A world that is gone while the stack's simulated state still names what stood in it. To go on would mean a state of
resources that no cloud has, so nothing is begun."""

from __future__ import annotations

from pathlib import Path

from .checkpoint import resources_in
from .plugin import CLOUDS
from .world import World
from .world_file import start_anew


def refusal(world: Path, opened: World | None = None) -> str:
    """Why nothing may be begun with a world's file, or with the world that it holds; empty where all is well."""
    if opened is None:
        # A world at work may still lie in its journal alone.
        journal = world.with_name(f"{world.name}-wal")
        if any(file.is_file() and file.stat().st_size for file in (world, journal)):
            return ""
    elif opened.things() or any(event.what == "create" for event in opened.events()):
        return ""
    held = next((file for file in _states(world) if _holds(file)), None)
    if held is None:
        return ""
    return (
        f"{world}: the simulated world is gone, and the stack's simulated state {held} still holds what stood in it; nothing "
        f"was changed. {start_anew(world)}"
    )


def _states(world: Path) -> list[Path]:
    return sorted((world.parent / "state" / ".pulumi" / "stacks").glob("*/*.json"))


def _holds(state: Path) -> bool:
    """Whether a state holds resources that a simulated cloud made."""
    return any(
        one.get("custom") and not one.get("external") and str(one.get("type")).split(":")[0] in CLOUDS
        for one in resources_in(state)
    )
