"""What a program changes on resources that exist: their last inputs stand in the facts, by URN, under `inputs`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from .registry import module_of
from .resource_graph import Resource
from .rule import GraphContext, Rule
from .wire_values import items, late, number, plain, truth


def last(ctx: GraphContext, r: Resource) -> Resource | None:
    """The resource as it was deployed last; None where nobody looked."""
    found = ctx.facts.get(r.urn)
    inputs = cast("Mapping[str, Any]", found).get("inputs") if isinstance(found, Mapping) else None
    return replace(r, inputs=cast("Mapping[str, Any]", inputs)) if isinstance(inputs, Mapping) else None


def compares(rule: Rule) -> bool:
    """Whether a rule looks at the last deployment: what it would find there stays unsaid where nobody shows it."""
    shown = any(isinstance(found, Mapping) and "inputs" in found for found in rule.examples.facts.values())
    return shown or any(value in _READERS for value in vars(module_of(rule)).values() if callable(value))


def changed(was: Resource, now: Resource, paths: Iterable[str]) -> list[str]:
    """Those of the paths whose value is another one than it was, as far as it is known."""
    found: list[str] = []
    for path in paths:
        steps = path.split(".")
        old, new = was.get(*steps), now.get(*steps)
        if not late_inside(new) and not late_inside(old) and _plain(old) != _plain(new):
            found.append(path)
    return found


def unsure(was: Resource, now: Resource, paths: Iterable[str]) -> list[str]:
    """Those of the paths that were set, and of which it is not known yet what they become."""
    return [p for p in paths if was.get(*p.split(".")) is not None and late_inside(now.get(*p.split(".")))]


def shrinks(was: Resource, now: Resource, path: str) -> bool:
    """Whether a number is smaller than it was, and nothing ignores that."""
    before, after = number(was.get(path)), number(now.get(path))
    return before is not None and after is not None and after < before and not covered(now, "ignoreChanges", path)


def late_inside(value: Any) -> bool:
    """Whether a value, or a part of it, is known only after the deployment."""
    value = plain(value)
    if isinstance(value, Mapping):
        return any(late_inside(v) for v in cast("Mapping[str, Any]", value).values())
    return any(late_inside(v) for v in items(value)) or late(value)


def _plain(value: Any) -> Any:
    """Numbers in text and lists of one spelling, so that a value equals itself as the state wrote it."""
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in cast("list[Any]", value)]
    if truth(value) is not None:
        return truth(value)
    found = number(value)
    return value if found is None else found


def covered(r: Resource, option: str, path: str) -> bool:
    """Whether an option (ignoreChanges, replaceOnChanges) names a path, or something around it."""
    written = [str(w).replace("[*]", "").replace(".*", "") for w in items(r.options.get(option))]
    return any(w in ("*", path) or path.startswith(f"{w}.") for w in written)


_READERS = (last,)
