"""What stands outside of a world: resources that a program only looks at (`get`), and those that it takes over (`import`).

No simulated cloud made them, so their type says their form, and the program what they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .world import World

_MARK = "outside:"


def is_looked_for(world: World, id_: str, given: Mapping[str, Any], inputs: Mapping[str, Any]) -> bool:
    """Whether a read of what the world does not have looks for something outside, and not for something that is gone.

    The engine sends nothing with an import, and with a `get` what the program said, as inputs and as properties both; of a
    resource that it made it sends what the cloud computed too, where its type computes anything."""
    return not inputs or (given == inputs and not world.was_made(id_))


def mark(world: World, type_: str, id_: str) -> None:
    """From now on it is known to stand outside."""
    world.set_meta(f"{_MARK}{type_}:{id_}", "yes")


def is_outside(world: World, type_: str, id_: str) -> bool:
    """Whether a program looked at it before, or took it over."""
    return bool(world.meta(f"{_MARK}{type_}:{id_}"))


def forget(world: World, type_: str, id_: str) -> None:
    """It was deleted: nothing of that id stands outside any more."""
    if is_outside(world, type_, id_):
        world.set_meta(f"{_MARK}{type_}:{id_}", "")
