"""One thing that a move changes."""

from __future__ import annotations

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
