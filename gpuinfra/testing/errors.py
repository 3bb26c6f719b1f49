"""What recording refuses."""

from __future__ import annotations

from collections.abc import Iterable


class RecordingError(Exception):
    """A program cannot be recorded, or registered what a deployment would refuse. `faults` holds every reason."""

    def __init__(self, faults: str | Iterable[str]) -> None:
        self.faults: tuple[str, ...] = (faults,) if isinstance(faults, str) else tuple(faults)
        super().__init__("\n".join(self.faults))
