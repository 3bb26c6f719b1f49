"""Specs of many pools, one a cloud."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """What of a large spec depends on the cloud. `types`: each with what its pool says beside it."""

    location: dict[str, str]
    types: Sequence[tuple[str, dict[str, object]]]
    lustre_gib: int
    throughput: int = 500
    network: dict[str, object] = field(default_factory=dict)


PLACES = {
    "aws": Place(
        {"region": "us-east-2", "zone": "use2-az1"},
        [(t, {}) for t in ("p5.48xlarge", "p4d.24xlarge", "g6.12xlarge", "g5.48xlarge", "g6e.48xlarge")],
        9600,
    ),
    "gcp": Place(
        {"project": "acme-lab", "region": "us-central1", "zone": "us-central1-b"},
        [
            ("a3-megagpu-8g", {}),
            ("a2-highgpu-8g", {}),
            ("g2-standard-48", {}),
            ("a3-ultragpu-8g", {"capacity": {"type": "spot"}}),
            ("g4-standard-96", {}),
        ],
        18000,
    ),
    "azure": Place(
        {"region": "eastus", "zone": "1"},
        [
            ("Standard_ND96isr_H100_v5", {}),
            ("Standard_NC24ads_A100_v4", {}),
            ("Standard_NC4as_T4_v3", {}),
            ("Standard_NC80adis_H100_v5", {"capacity": {"type": "spot"}}),
            ("Standard_ND96amsr_A100_v4", {}),
        ],
        16384,
        250,
        {"ssh_keys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZvciB0ZXN0cyBvbmx5LCBub3QgYSByZWFsIGtleSBhdCBhbGw ml"]},
    ),
}


def spec_of(pools: int, provider: str = "aws") -> dict[str, object]:
    """A right cluster of so many pools, over five types."""
    place = PLACES[provider]
    return {
        "api_version": "gpuinfra/v1",
        "name": "large",
        "workload": "training",
        "location": {"provider": provider, **place.location},
        "network": {"cidr": "10.40.0.0/16", **place.network},
        "node_pools": [
            {"name": f"pool-{n}", "instance_type": name, "count": 2, "fabric": "auto", **more}
            for n in range(pools)
            for name, more in [place.types[n % len(place.types)]]
        ],
        "storage": [
            {
                "name": "scratch",
                "kind": "lustre",
                "size_gib": place.lustre_gib,
                "throughput_mbps_per_tib": place.throughput,
                "mount": "/scratch",
            }
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
