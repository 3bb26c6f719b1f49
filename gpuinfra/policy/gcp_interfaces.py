"""The network interfaces of Google machines, in words and by kind."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from ..catalog import NicLayout
from .gcp_graph import GcpGraph, profile
from .gcp_machines import Machines
from .resource_graph import Resource
from .wire_values import items, late, plain

RDMA_KINDS = ("MRDMA", "IRDMA")
"""The words for RDMA cards (GPU machines, and CPU machines with Falcon)."""


def spelled_slots(layout: NicLayout) -> str:
    """The slots of a machine type in words: 2 GVNIC, 8 MRDMA."""
    runs = [(kind, sum(1 for _ in run)) for kind, run in groupby(s.nic_type for s in layout.slots)]
    return ", ".join(f"{count} {kind}" for kind, count in runs)


def is_metal(network: Resource) -> bool:
    """Whether an RDMA network is one for bare metal, which makes its own subnet."""
    found = profile(network)
    return found is not None and found[1].endswith("-metal")


def outer_address(interface: Mapping[str, Any]) -> bool:
    """Whether an interface asks for an external address; an empty entry asks for one that changes."""
    values = [plain(interface.get(k)) for k in ("accessConfigs", "ipv6AccessConfigs")]
    return any(items(v) for v in values if not late(v))


def cards_astray(gcp: GcpGraph, machines: Machines) -> bool:
    """Whether a node pool has another number of networks for its RDMA cards than its type has cards: that is one mistake,
    and GI3104 says it. The other networks cannot be told from those that were meant for the cards."""
    if not machines.is_pool or machines.layout is None:
        return False
    cards = sum(s.nic_type in RDMA_KINDS for s in machines.layout.slots)
    return cards > 0 and sum(a.kind in RDMA_KINDS for a in gcp.attachments(machines) or ()) != cards
