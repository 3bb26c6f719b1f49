"""What recording refuses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..policy.resource_graph import ResourceGraph


class RecordingError(Exception):
    """A program cannot be recorded, or registered what a deployment would refuse. `faults` holds every reason.

    `graph` is what a program that came to its end registered all the same; in it the text of an Output is unknown.
    """

    def __init__(self, faults: str | Iterable[str], graph: ResourceGraph | None = None) -> None:
        self.faults: tuple[str, ...] = (faults,) if isinstance(faults, str) else tuple(faults)
        self.graph = graph
        super().__init__("\n".join(self.faults))
