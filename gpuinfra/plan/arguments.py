"""What is said of an argument from Python that is of the wrong type, or names nothing that is there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import cast

from ..diagnostics import did_you_mean
from .models import ClusterPlan, PoolPlan


def check_type(argument: str, value: object, wanted: type | tuple[type, ...], give: str) -> None:
    """Raises TypeError unless the value is None or of a type that is wanted; `give` says what to write."""
    if value is not None and not isinstance(value, wanted):
        raise wrong_type(argument, value, give)


def wrong_type(argument: str, value: object, give: str) -> TypeError:
    """The error for a value of another type. It never shows the value: the text of an Output is a warning."""
    return TypeError(f"{argument} is {_kind(value)}; give {give}")


def check_name(argument: str, thing: str, value: object, known: Collection[str]) -> None:
    """Raises unless the value is None or the name of a `thing` in the spec."""
    if value is None:
        return
    if not isinstance(value, str):
        its = ", its .name" if isinstance(getattr(value, "name", None), str) else ""
        raise wrong_type(argument, value, f"the name of a {thing} as text{its}")
    if value not in known:
        names = ", ".join(known) or "none"
        guess = did_you_mean(value, known)
        raise ValueError(f"{argument}: no {thing} is named {value!r}; the spec's {thing}s: {names} {guess}".rstrip())


def chosen_pool(plan: ClusterPlan, name: str | None) -> PoolPlan:
    """The pool that the spec names `name`, or its only one. Raises where there is no such pool, or nothing to choose by."""
    names = [p.name for p in plan.pools]
    check_name("pool", "pool", name, names)
    if name is None and len(names) != 1:
        raise ValueError(f"pool: the spec has several pools and none was chosen; the spec's pools: {', '.join(names)}")
    return next(p for p in plan.pools if name in (None, p.name))


def check_names(argument: str, thing: str, value: object, known: Collection[str]) -> None:
    """Raises unless the value is None or a list of names of the spec's."""
    if value is None:
        return
    # A text is a sequence of letters, and a mapping one of its keys.
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Collection):
        raise wrong_type(argument, cast(object, value), f"a list of names of {thing}s")
    for one in cast("Collection[object]", value):
        check_name(argument, thing, one, known)


def check_covers(argument: str, component: str, pool: PoolPlan, groups: Collection[str]) -> None:
    """Raises ValueError unless a pool's group is one of the groups that the component was made for."""
    if pool.cloud_name not in groups:
        raise ValueError(
            f"{argument}: it does not cover pool {pool.name!r}, whose group is {pool.cloud_name}; its groups: "
            f"{', '.join(groups) or 'none'}. Name the pool in its `pools`, and give the {component} and the NodePool one "
            "name, or one plan as the spec (gpuinfra.resolve(spec, name=…).plan)"
        )


def check_moment(argument: str, value: object) -> None:
    """Raises unless the value is None or a moment with a timezone."""
    check_type(argument, value, datetime, "a datetime with a timezone, as datetime(2026, 12, 1, tzinfo=UTC)")
    if isinstance(value, datetime) and value.utcoffset() is None:
        raise ValueError(
            f"{argument} has no timezone, so it would mean another moment in another place; give it its tzinfo, as "
            "datetime.timezone.utc"
        )


def _kind(value: object) -> str:
    if value is None:
        return "None"
    name = type(value).__name__
    return f"an {name}" if name[:1] in "AEIOUaeio" else f"a {name}"
