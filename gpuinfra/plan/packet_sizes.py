"""The MTU of each network, where machines with networks of their own decide it (Google Cloud, facts gcp a2)."""

from __future__ import annotations

from collections.abc import Sequence

from .. import catalog
from .models import PoolPlan

_HOST = "host"


def network_mtu(pools: Sequence[PoolPlan], network: str = _HOST) -> int | None:
    """The largest packet that every machine on a network takes; None where no pool uses it.

    A network has one MTU, so the smallest that a pool wants is taken. Single machines of one interface want no large
    packets, and do not decide beside others.
    """
    layouts = [
        (pool, catalog.nic_layout(pool.instance.name))
        for pool in pools
        if any(nic.network == network for nic in pool.fabric.nics)
    ]
    if not network.startswith(_HOST):
        return min((layout.mtu_gpu or layout.mtu_host for _, layout in layouts), default=None)
    exchanging = [layout.mtu_host for pool, layout in layouts if pool.multi_node or len(pool.fabric.nics) > 1]
    alone = [layout.mtu_single_node or layout.mtu_host for _, layout in layouts]
    return min(exchanging or alone, default=None)
