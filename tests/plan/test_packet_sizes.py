"""The MTU of a network that machines of several kinds share."""

from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.plan.packet_sizes import network_mtu
from tests.specs import GCP, resolved, spec

SPOT = {"type": "spot"}
TINY = {"name": "tiny", "instance_type": "g2-standard-8", "count": 1}
MANY = {"name": "many", "instance_type": "g2-standard-8", "count": 4}
MEGA = {"name": "mega", "instance_type": "a3-megagpu-8g", "count": 2, "capacity": SPOT}
ULTRA = {"name": "ultra", "instance_type": "a3-ultragpu-8g", "count": 2, "capacity": SPOT}


@pytest.mark.parametrize(
    ("pools", "network", "mtu"),
    [
        ([TINY], "host", 1460),
        ([MANY], "host", 8896),
        ([TINY, MEGA], "host", 8244),
        ([MEGA, ULTRA], "host", 8244),
        ([MEGA, ULTRA], "gpu0", 8244),
        ([MEGA, ULTRA], "host1", 8896),
        ([MEGA, ULTRA], "rdma", 8896),
        ([TINY], "gpu0", None),
    ],
)
def test_the_smallest_that_a_machine_with_large_packets_takes(
    pools: list[dict[str, Any]], network: str, mtu: int | None
) -> None:
    zone = {**GCP, "location": {**GCP["location"], "zone": "us-central1-b"}}
    plan = resolved(spec(zone, node_pools=pools)).plan
    assert plan
    assert network_mtu(plan.pools, network) == mtu
