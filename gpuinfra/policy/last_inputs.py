"""What a program changes on resources that exist: their last inputs stand in the facts, by URN, under `inputs`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import eq
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


@dataclass(frozen=True)
class Spellings:
    """Which values of one type of resource are the same although they are written in different ways."""

    absent: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the provider takes a path for that is not written."""
    kept: Collection[str] = ()
    """Paths of which the cloud keeps what it had where the program no longer says anything."""
    alike: Callable[[Any, Any], bool] = eq
    """Whether two values are one: links and names of some clouds have several spellings."""


def changed(was: Resource, now: Resource, paths: Iterable[str], spellings: Spellings = Spellings()) -> list[str]:
    """Those of the paths whose value is another one than it was, as far as it is known. Of no path that rules ask about
    has a list an order that counts."""
    found: list[str] = []
    for path in paths:
        steps = path.split(".")
        old, new = was.get(*steps), now.get(*steps)
        if late_inside(new) or late_inside(old) or (new is None and path in spellings.kept):
            continue
        old, new = (_plain(spellings.absent.get(path) if v is None else v) for v in (old, new))
        if old != new and not spellings.alike(old, new):
            found.append(path)
    return found


def same_word(one: Any, other: Any) -> bool:
    """Whether two values say the same to Azure, which minds neither case nor blanks: East US is eastus."""
    return _folded(one) == _folded(other)


def _folded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _folded(plain(v)) for k, v in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_folded(plain(v)) for v in cast("list[Any]", value)]
    return "".join(value.lower().split()) if isinstance(value, str) else value


def unsure(was: Resource, now: Resource, paths: Iterable[str]) -> list[str]:
    """Those of the paths that were set, and of which it is not known yet what they become."""
    return [p for p in paths if was.get(*p.split(".")) is not None and late_inside(now.get(*p.split(".")))]


def shrinks(was: Resource, now: Resource, path: str) -> bool:
    """Whether a number is smaller than it was, and nothing ignores that."""
    steps = path.split(".")
    before, after = number(was.get(*steps)), number(now.get(*steps))
    return before is not None and after is not None and after < before and not covered(now, "ignoreChanges", path)


def late_inside(value: Any) -> bool:
    """Whether a value, or a part of it, is known only after the deployment."""
    value = plain(value)
    if isinstance(value, Mapping):
        return any(late_inside(v) for v in cast("Mapping[str, Any]", value).values())
    return any(late_inside(v) for v in items(value)) or late(value)


def _plain(value: Any) -> Any:
    """Numbers in text and lists of one spelling and order, so that a value equals itself as the state wrote it."""
    value = plain(value)
    if isinstance(value, (list, tuple)):
        return sorted((_plain(v) for v in cast("list[Any]", value)), key=repr) or None
    if truth(value) is not None:
        return truth(value)
    found = number(value)
    return value if found is None else found


def covered(r: Resource, option: str, path: str) -> bool:
    """Whether an option (ignoreChanges, replaceOnChanges) names a path, or something around it."""
    written = [str(w).replace("[*]", "").replace(".*", "") for w in items(r.options.get(option))]
    return any(w in ("*", path) or path.startswith(f"{w}.") for w in written)


_READERS = (last,)
