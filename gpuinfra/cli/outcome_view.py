"""What an operation on a stack did, for a person and for a program: what there is now, what it costs, when it ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .output import usd

if TYPE_CHECKING:
    from ..engine.deployment import Deployed, Outcome


def outcome_data(outcome: Outcome, simulate: bool, now: datetime) -> dict[str, Any]:
    """The outcome as data."""
    return {
        "operation": outcome.operation,
        "stack": outcome.stack,
        "simulated": simulate,
        "changes": dict(outcome.changes),
        "expired": any(_is_over(end, now) for _, end in _ends(outcome)),
        "clusters": [
            {
                "name": one.name,
                "lease_end": one.lease_end,
                "expired": _is_over(one.lease_end, now),
                "usd_per_hour": one.usd_per_hour,
                "usd_per_hour_at_least": one.usd_per_hour_at_least,
            }
            for one in outcome.clusters
        ],
        "outputs": dict(outcome.outputs),
        "resources": [{"type": type_, "name": name} for type_, name in outcome.resources],
    }


def outcome_text(outcome: Outcome, simulate: bool, now: datetime) -> str:
    """The outcome as text."""
    lines = [", ".join(f"{n} {what}" for what, n in outcome.changes.items()) or "nothing to do"]
    if outcome.resources:
        lines += _held(outcome, "simulated " if simulate else "")
    if outcome.operation != "destroy":
        lines += _money(outcome, simulate, now)
        lines += _leases(outcome, now)
    return "\n".join(lines) + "\n"


def _held(outcome: Outcome, where: str) -> list[str]:
    """How many things a cloud has by their types. Components are counted apart: they only group others."""
    things = [type_ for type_, name in outcome.resources if (type_, name) not in outcome.components]
    left = " left" if outcome.operation == "destroy" else ""
    grouped = f" in {_counted(len(outcome.components), 'component')}" if outcome.components else ""
    counted = Counter(_short(type_) for type_ in things)
    return [
        f"{_counted(len(things), f'{where}resource')}{grouped}{left}{':' if things else ''}",
        *(f"  {n:4} {type_}" for type_, n in sorted(counted.items())),
    ]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _short(type_: str) -> str:
    """aws:ec2/vpc:Vpc as aws:ec2:Vpc."""
    parts = type_.split(":")
    return ":".join([*(part.split("/")[0] for part in parts[:-1]), parts[-1]])


def _money(outcome: Outcome, simulate: bool, now: datetime) -> list[str]:
    where = " on the real cloud" if simulate else ""
    # A preview speaks of what stands: what it would become is in the engine's own lines.
    stands = "as it stands " if outcome.operation == "preview" else ""
    return [
        f"{_whose(one, outcome.clusters)}{stands}{said}"
        for one in outcome.clusters
        if (said := _price(one, where, _is_over(one.lease_end, now)))
    ]


def _price(one: Deployed, where: str, over: bool) -> str:
    # What goes on costing money when the nodes are gone is in the program's own findings (GI2272).
    when = " while its nodes run" if over else ""
    if one.usd_per_hour is not None:
        return f"costs {usd(one.usd_per_hour)} USD an hour{where}{when}"
    if one.usd_per_hour_at_least is None:
        return ""
    return f"costs at least {usd(one.usd_per_hour_at_least)} USD an hour{where}{when} (some prices are unknown)"


def _leases(outcome: Outcome, now: datetime) -> Iterable[str]:
    for whose, end in _ends(outcome):
        over = "expired {}: no node is started again until the lease is changed"
        yield f"{whose}{(over if _is_over(end, now) else 'ends {}').format(end)}"


def _ends(outcome: Outcome) -> list[tuple[str, str]]:
    """(whose, end) of every lease: of the clusters that the stack holds, else as the program exports them."""
    if outcome.clusters:
        return [(_whose(one, outcome.clusters), one.lease_end) for one in outcome.clusters if one.lease_end]
    return list(_exported(outcome.outputs))


def _exported(outputs: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name, end in outputs.items():
        if name.endswith("lease_end") and isinstance(end, str) and _moment(end) is not None:
            whose = name.removesuffix("lease_end").rstrip("_")
            yield (f"{whose}: " if whose else ""), end


def _whose(one: Deployed, all_: tuple[Deployed, ...]) -> str:
    return f"{one.name}: " if len(all_) > 1 else ""


def _is_over(end: str | None, now: datetime) -> bool:
    moment = _moment(end) if end else None
    return moment is not None and moment <= now


def _moment(text: str) -> datetime | None:
    """The moment of a text; None where it is none, as a program of somebody else's may export."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None
