"""How it stands with the end of machines: what the three clouds' rules about machines without end are told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """How it stands with the end of machines; what comes first wins."""

    ENDS = "something ends them"
    SAID = "what should end them is refused or never comes, and a finding says so"
    UNSEEN = "what may end them cannot be seen into"
    NONE = "nothing ends them"


@dataclass(frozen=True)
class End:
    """Whether machines end, and why not: at a `place` of its `source` where something is there that does not end them."""

    kind: Kind
    text: str = ""
    source: str = ""
    """Logical name of the resource that does not end them."""
    place: str = ""

    @property
    def path(self) -> str:
        """Where a finding points; empty where nothing is there that looks like an end."""
        return f"{self.source}.{self.place}" if self.place else self.source


def best_of(found: Iterable[End]) -> End:
    """The best end of those found; of several that are none, the first that says why."""
    ends = list(found)
    for kind in Kind:
        named = [e for e in ends if e.kind is kind]
        if named:
            return next((e for e in named if e.text), named[0])
    return End(Kind.NONE)
