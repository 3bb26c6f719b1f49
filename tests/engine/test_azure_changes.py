"""What a change does to a cluster on Azure that stands: the simulated ARM deletes no subnet in use, gives no name twice and
moves no scale set to another network, so that an `up` in a wrong order fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZvciB0ZXN0cyBvbmx5LCBub3QgYSByZWFsIGtleSBhdCBhbGw ml"
_VNET = "/subscriptions/11112222-3333-4444-5555-666677778888/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v"
_LUSTRE = {"name": "scratch", "kind": "lustre", "size_gib": 8192, "throughput_mbps_per_tib": 250, "mount": "/scratch"}
_PROGRAM = 'from gpuinfra import GpuCluster\n\nGpuCluster("moved", "cluster.yaml")\n'
Spec = dict[str, Any]


def cluster(**location: Any) -> Spec:
    """Two nodes behind a Bastion, with a bucket and a budget, changed in its location."""
    return {
        "name": "moved",
        "location": {"provider": "azure", "region": "eastus", "zone": "1", "bastion": True, **location},
        "network": {"cidr": "10.50.0.0/16", "ssh_keys": [_KEY]},
        "node_pools": [{"name": "gpu", "instance_type": "Standard_NC4as_T4_v3", "count": 2}],
        "storage": [{"name": "data", "kind": "bucket", "mount": "/data"}],
        "budget": {"per_month_usd": 4000, "contacts": ["a@example.com"], "on_limit": "stop"},
        "image": {"container": "nvcr.io/nvidia/pytorch:25.08-py3"},
        "shutdown": {"idle_after": "30m"},
    }


def bare(**location: Any) -> Spec:
    """The same without storage, which is protected."""
    return {**cluster(**location), "storage": []}


def in_range(cidr: str) -> Spec:
    return {**cluster(), "network": {"cidr": cidr, "ssh_keys": [_KEY]}}


def in_a_network_that_is_there() -> Spec:
    there = {"existing": {"network": _VNET, "subnet": f"{_VNET}/subnets/s"}, "ssh_keys": [_KEY]}
    return {**bare(bastion=False), "network": there}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (cluster(), in_range("10.60.0.0/16")),
        (cluster(), cluster(zone="2")),
        (cluster(), {**cluster(), "storage": [*cluster()["storage"], _LUSTRE]}),
        (bare(bastion=False), {**bare(bastion=False), "storage": [_LUSTRE]}),
        (bare(), in_a_network_that_is_there()),
        (bare(), bare(region="westus2")),
        (bare(resource_group="rg-moved"), bare(resource_group="rg-moved", region="westus2")),
    ],
    ids=["range", "zone", "lustre beside bastion", "lustre", "existing network", "region", "region of a named group"],
)
def test_a_change_of_place_succeeds_and_leaves_nothing_to_do(
    before: Spec, after: Spec, tmp_path: Path, deploy: Callable[..., dict[str, Any]]
) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: moved\nruntime: {name: python}\n", encoding="utf-8")
    (tmp_path / "__main__.py").write_text(_PROGRAM, encoding="utf-8")
    for spec in (before, after):
        (tmp_path / "cluster.yaml").write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
        deploy("up", tmp_path)
    assert set(deploy("preview", tmp_path)["changes"]) == {"same"}


def test_a_refresh_finds_what_the_program_only_reads(tmp_path: Path, deploy: Callable[..., dict[str, Any]]) -> None:
    system = _VNET.replace("Microsoft.Network/virtualNetworks", "Microsoft.StorageCache/amlFilesystems")
    spec = {**bare(), "storage": [{"name": "old", "kind": "lustre", "existing": system, "mount": "/old"}]}
    (tmp_path / "Pulumi.yaml").write_text("name: moved\nruntime: {name: python}\n", encoding="utf-8")
    (tmp_path / "__main__.py").write_text(_PROGRAM, encoding="utf-8")
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
    deploy("up", tmp_path)
    assert set(deploy("refresh", tmp_path)["changes"]) == {"same"}
