"""One thing that a move changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """A field of the spec, or what follows from it: what it was, what it is there, and what that means."""

    path: str
    was: str
    now: str
    meaning: str

    def as_dict(self) -> dict[str, str]:
        """As the JSON output spells it."""
        return {"path": self.path, "was": self.was, "is": self.now, "meaning": self.meaning}


NOTHING = "none"

_SECTIONS = ("location", "network", "node_pools", "storage", "image", "labels", "budget")


def in_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Changes as the spec goes, all of one pool or storage together; the cost last."""

    def place(change: Change) -> tuple[int, int]:
        top, _, rest = change.path.partition("[")
        section = top.partition(".")[0]
        at = _SECTIONS.index(section) if section in _SECTIONS else len(_SECTIONS)
        number = rest.partition("]")[0]
        return at, int(number) if number.isdigit() else 0

    return tuple(sorted(changes, key=place))
