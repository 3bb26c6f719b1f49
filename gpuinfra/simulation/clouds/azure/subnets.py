"""How large a subnet is."""

from __future__ import annotations

import ipaddress

from .... import catalog
from ....vocabulary import Provider
from ...world import Thing


def prefix(subnet: Thing) -> ipaddress.IPv4Network:
    """Its range."""
    return ipaddress.IPv4Network(str(subnet.inputs.get("addressPrefix") or "0.0.0.0/32"), strict=False)


def room(subnet: Thing) -> int:
    """The addresses that machines can have."""
    kept = catalog.limit(Provider.AZURE, "subnet_reserved_addresses")
    return prefix(subnet).num_addresses - int(kept.maximum or 0 if kept else 0)
