"""A property of a resource changes from outside, as by a person in the cloud's console."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

from ..diagnostics import did_you_mean
from ..engine.deployment import DeploymentError
from .schema import Sdk, misfit
from .world import Thing, World

_MOST_TOLD = 8


def drift(world: World, name: str, path: str, text: str) -> Any:
    """Changes a top-level property, and gives the value that it has now: JSON, or the text itself. Raises DeploymentError
    where there is no such resource or property, or where the property's type does not take the value."""
    with world.step():
        things = world.things()
        named = [t for t in things if t.name == name]
        if not named:
            raise DeploymentError(_no_resource(name, things))
        found = [t for t in named if path in _properties(t)]
        if not found:
            known = sorted({p for t in named for p in _properties(t)})
            guess = did_you_mean(path, known)
            raise DeploymentError(
                f"'{name}' has no property '{path}'{f'; {guess}' if guess else ''}; it has: {', '.join(known)}"
            )
        value = _value(found[0], path, text)
        for thing in found:
            world.keep(replace(thing, outputs={**thing.outputs, path: value}))
            world.note("drift", name, path)
    return value


def _properties(thing: Thing) -> set[str]:
    return {p for p in (*thing.inputs, *thing.outputs) if not p.startswith("__")}


def _no_resource(name: str, things: Sequence[Thing]) -> str:
    if not things:
        return f"there is no resource '{name}': the simulated clouds hold none at all"
    names = sorted({t.name for t in things})
    guess = did_you_mean(name, names)
    more = f" and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else ""
    return f"there is no resource '{name}'{f'; {guess}' if guess else ''}; there are: {', '.join(names[:_MOST_TOLD])}{more}"


def _value(thing: Thing, path: str, text: str) -> Any:
    kind = Sdk(thing.type.split(":")[0]).type(thing.type)
    why = ""
    for value in _readings(text):
        fault = misfit(kind, path, value) if kind else ""
        if not fault and _is_negative(value) and not _may_be_negative(thing, path):
            fault = f"{path}: {value} is less than 0, which no number of this kind is"
        if not fault:
            return value
        why = why or fault
    raise DeploymentError(f"'{thing.name}' of {thing.type}: {why}; nothing was changed")


def _readings(text: str) -> list[Any]:
    """What a word of the command line may mean: JSON first, then the text as it stands."""
    try:
        return [json.loads(text, parse_constant=_refuse), text]
    except (ValueError, RecursionError):
        return [text]


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _is_negative(value: Any) -> bool:
    return isinstance(value, int) and value < 0


def _may_be_negative(thing: Thing, path: str) -> bool:
    # -1 is every port, and where a property is negative already it may be so.
    return path.endswith("Port") or any(_is_negative(part.get(path)) for part in (thing.inputs, thing.outputs))
