"""What an operation on a stack did, for a person and for a program: what there is now, what it costs, when it ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .output import usd

if TYPE_CHECKING:
    from ..engine.clusters import Deployed
    from ..engine.deployment import Outcome


def outcome_data(outcome: Outcome, simulate: bool, now: datetime) -> dict[str, Any]:
    """The outcome as data."""
    return {
        "operation": outcome.operation,
        "stack": outcome.stack,
        "simulated": simulate,
        "changes": dict(outcome.changes),
        "expired": any(_is_over(end, now) for _, end in _ends(outcome)),
        "clusters": [_cluster(one, now) for one in outcome.clusters],
        "planned": [_cluster(one, now) for one in outcome.planned],
        "outputs": dict(outcome.outputs),
        "resources": [{"type": type_, "name": name} for type_, name in outcome.resources],
    }


def _cluster(one: Deployed, now: datetime) -> dict[str, Any]:
    return {
        "name": one.name,
        "lease": one.lease or None,
        "lease_end": one.lease_end,
        "expired": _is_over(one.lease_end, now),
        "usd_per_hour": one.usd_per_hour,
        "usd_per_hour_at_least": one.usd_per_hour_at_least,
        "price_as_of": one.price_as_of or None,
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
    held = {one.name: one for one in outcome.clusters}
    coming = {one.name: one for one in outcome.planned}
    names = sorted(held.keys() | coming.keys())
    return [
        f"{_whose(name, names)}{said}"
        for name in names
        if (said := _price(held.get(name), coming.get(name), where, now))
    ]


def _price(held: Deployed | None, coming: Deployed | None, where: str, now: datetime) -> str:
    """What a cluster costs; of a preview also what it would cost: a reviewer asks for both."""
    is_, becomes = (_amount(one) for one in (held, coming))
    if is_ and held is not None:
        # What goes on costing money when the nodes are gone is in the program's own findings (GI2272).
        when = " while its nodes run" if _is_over(held.lease_end, now) else ""
        said = f"costs {is_}{where}{when}"
        return said if becomes in ("", is_) else f"{said}, and after up {becomes}"
    return f"will cost {becomes}{where}" if becomes else ""


def _amount(one: Deployed | None) -> str:
    if one is None:
        return ""
    dated = f"oldest price of {one.price_as_of}" if one.price_as_of else ""
    if one.usd_per_hour is not None:
        return f"{usd(one.usd_per_hour)} USD an hour{f' ({dated})' if dated else ''}"
    if not one.usd_per_hour_at_least:
        return ""
    return f"at least {usd(one.usd_per_hour_at_least)} USD an hour ({'; '.join(filter(None, ('some prices are unknown', dated)))})"


def _leases(outcome: Outcome, now: datetime) -> Iterable[str]:
    for whose, end in _ends(outcome):
        over = "expired {}: no node is started again until the lease is changed"
        yield f"{whose}{(over if _is_over(end, now) else 'ends {}').format(end)}"
    names = [one.name for one in outcome.planned]
    standing = {one.name for one in outcome.clusters}
    for one in outcome.planned:
        if one.name not in standing and (when := one.lease_end or (f"{one.lease} after up" if one.lease else "")):
            yield f"{_whose(one.name, names)}will end {when}"


def _ends(outcome: Outcome) -> list[tuple[str, str]]:
    """(whose, end) of every lease: of the clusters that the stack holds, else as the program exports them."""
    if outcome.clusters:
        names = [one.name for one in outcome.clusters]
        return [(_whose(one.name, names), one.lease_end) for one in outcome.clusters if one.lease_end]
    return list(_exported(outcome.outputs))


def _exported(outputs: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name, end in outputs.items():
        if name.endswith("lease_end") and isinstance(end, str) and _moment(end) is not None:
            whose = name.removesuffix("lease_end").rstrip("_")
            yield (f"{whose}: " if whose else ""), end


def _whose(name: str, all_: Sequence[str]) -> str:
    return f"{name}: " if len(all_) > 1 else ""


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
