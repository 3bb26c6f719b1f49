"""The clusters of gpuinfra that a stack holds or would hold, by their own outputs, whatever the program exports of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_TYPE = "gpuinfra:index:GpuCluster"


@dataclass(frozen=True)
class Deployed:
    """A cluster, as it stands or as a preview plans it."""

    name: str
    lease_end: str | None
    """The end, UTC; None without a lease, and where only `up` can tell it."""
    usd_per_hour: float | None
    """None where some prices are unknown; then `usd_per_hour_at_least` holds what is known."""
    usd_per_hour_at_least: float | None
    price_as_of: str = ""
    """The oldest date among the prices; empty where none is known."""
    lease: str = ""
    """How long it lasts from the first `up`, as 72h; empty where it ends at a moment, or never."""


def deployed(resources: list[dict[str, Any]]) -> tuple[Deployed, ...]:
    """The clusters among the resources of a state."""
    return tuple(_read(r["urn"], r.get("outputs") or {}) for r in resources if r["type"] == _TYPE)


class Planned:
    """Hears a preview's events: the engine sends a component's outputs when the program has registered them."""

    def __init__(self) -> None:
        self._heard: dict[str, Deployed] = {}

    def hear(self, event: Any) -> None:
        """Takes one of the Automation API's EngineEvent."""
        told = event.res_outputs_event
        new = told.metadata.new if told is not None else None
        if new is not None and new.type == _TYPE and new.outputs:
            self._heard[new.urn] = _read(new.urn, new.outputs)

    @property
    def clusters(self) -> tuple[Deployed, ...]:
        """Those heard of, in the order of their names."""
        return tuple(sorted(self._heard.values(), key=lambda one: one.name))


def _read(urn: str, given: Mapping[str, Any]) -> Deployed:
    from pulumi.runtime.rpc import UNKNOWN

    def text(key: str) -> str:
        value = given.get(key)
        return value if isinstance(value, str) and value != UNKNOWN else ""

    def number(key: str) -> float | None:
        value = given.get(key)
        return float(value) if isinstance(value, (int, float)) else None

    return Deployed(
        name=urn.split("::", 3)[-1],
        lease_end=text("leaseEnd") or None,
        usd_per_hour=number("usdPerHour"),
        usd_per_hour_at_least=number("usdPerHourAtLeast"),
        price_as_of=text("priceAsOf"),
        lease=text("lease"),
    )
