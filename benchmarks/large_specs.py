"""Specs of many pools."""

from __future__ import annotations

from pathlib import Path

TYPES = ("p5.48xlarge", "p4d.24xlarge", "g6.12xlarge", "g5.48xlarge", "g6e.48xlarge")


def spec_of(pools: int) -> dict[str, object]:
    """A right cluster of so many pools, over five types."""
    return {
        "api_version": "gpuinfra/v1",
        "name": "large",
        "workload": "training",
        "location": {"provider": "aws", "region": "us-east-2", "zone": "use2-az1"},
        "network": {"cidr": "10.40.0.0/16"},
        "node_pools": [
            {"name": f"pool-{n}", "instance_type": TYPES[n % len(TYPES)], "count": 2, "fabric": "auto"}
            for n in range(pools)
        ],
        "storage": [
            {"name": "scratch", "kind": "lustre", "size_gib": 9600, "throughput_mbps_per_tib": 500, "mount": "/scratch"}
        ],
        "image": {"container": "nvcr.io/nvidia/pytorch:25.08-py3"},
        "budget": {"per_month_usd": 100_000_000, "contacts": ["ml-platform@example.com"]},
        "shutdown": {"lease": "72h"},
    }


def write(pools: int, folder: Path) -> Path:
    """The spec as a YAML file of the shape that people write, one key a line."""
    import yaml

    path = folder / f"pools-{pools}.yaml"
    path.write_text(yaml.safe_dump(spec_of(pools), sort_keys=False))
    return path
