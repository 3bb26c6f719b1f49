"""How Google machines end: by their own scheduling, and what a stop would do."""

from __future__ import annotations

from .gcp_graph import Machines

_STOPPED = ("TERMINATED", "SUSPENDED")


def stops_at_end(machines: Machines) -> bool:
    """Whether the machine's own end stops it, and does not delete it."""
    return machines.get("scheduling", "instanceTerminationAction") == "STOP"


def stops_with_ssd(machines: Machines) -> bool:
    """Whether a stop is asked for, on a machine that may have a Local SSD."""
    return (stops_at_end(machines) or machines.source.get("desiredStatus") in _STOPPED) and (
        machines.has_local_ssd is not False
    )


def keeps_its_type(machines: Machines) -> bool:
    """Whether the machine type cannot be changed in place: those that bring bundled SSDs."""
    return machines.layout is not None and machines.layout.local_ssd_bundled > 0
