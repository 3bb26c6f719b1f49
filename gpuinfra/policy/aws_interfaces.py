"""The network interfaces of a launch template as slots: (card, device, kind)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .aws_graph import Nodes
from .wire_values import late, number, plain


@dataclass(frozen=True)
class Slot:
    """One interface. Card and device are 0 where absent, as the cloud takes them."""

    index: int
    """Its place in the list."""
    card: int
    device: int
    kind: str
    """interface, efa, efa-only, or another word of the cloud; `interface` where absent."""
    raw: Mapping[str, Any]

    @property
    def efa(self) -> bool:
        return self.kind in ("efa", "efa-only")


def slots(nodes: Nodes) -> tuple[Slot, ...] | None:
    """The slots of the nodes; None where a card, device or kind is not known yet."""
    if nodes.interfaces is None:
        return None
    out: list[Slot] = []
    for i, raw in enumerate(nodes.interfaces):
        card, device, kind = (plain(raw.get(k)) for k in ("networkCardIndex", "deviceIndex", "interfaceType"))
        if late(card) or late(device) or late(kind):
            return None
        out.append(Slot(i, int(number(card) or 0), int(number(device) or 0), str(kind or "interface"), raw))
    return tuple(out)


def spelled(numbers: list[int]) -> str:
    """Whole numbers as ranges: 0, 2–5, 9."""
    out: list[str] = []
    for n in sorted(set(numbers)):
        first, _, last = out[-1].partition("–") if out else ("", "", "")
        if out and int(last or first) == n - 1:
            out[-1] = f"{first}–{n}"
        else:
            out.append(str(n))
    return ", ".join(out)
