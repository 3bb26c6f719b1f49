"""The models from Python: the same words, frozen, and back to plain data."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from pydantic import ValidationError

from gpuinfra.spec.load import load, parse
from gpuinfra.spec.models import (
    AwsLocation,
    Budget,
    Capacity,
    ClusterSpec,
    CountRange,
    Network,
    NodePool,
    Shutdown,
    Storage,
    Waiver,
)
from gpuinfra.vocabulary import CapacityType, StorageKind
from tests.spec.specs import FILES


def test_a_spec_built_in_python_equals_the_one_from_text():
    built = ClusterSpec(
        name="tiny",
        location=AwsLocation(region="us-east-2"),
        network=Network(ssh_from=("10.0.0.0/8",)),
        node_pools=(
            NodePool(
                name="gpu",
                instance_type="g6.xlarge",
                count=CountRange(max=2),
                capacity=Capacity(type=CapacityType.SPOT),
            ),
        ),
        storage=(Storage(name="home", kind=StorageKind.NFS, mount="/shared"),),
        budget=Budget(per_month_usd=10, start=date(2026, 12, 1)),
        shutdown=Shutdown(lease=datetime(2026, 12, 5, 17, tzinfo=UTC), idle_after=timedelta(minutes=30)),
        waivers=(Waiver(code="GI2201", reason="x", expires=date(2026, 12, 31)),),
    )
    text = """
name: tiny
location: {provider: aws, region: us-east-2}
network: {ssh_from: [10.0.0.0/8]}
node_pools: [{name: gpu, instance_type: g6.xlarge, count: {max: 2}, capacity: {type: spot}}]
storage: [{name: home, kind: nfs, mount: /shared}]
budget: {per_month_usd: 10, start: 2026-12-01}
shutdown: {lease: 2026-12-05T18:00:00+01:00, idle_after: 30m}
waivers: [{code: GI2201, reason: x, expires: 2026-12-31}]
"""
    assert load("x", text).spec == built


def test_a_spec_does_not_change():
    spec = parse({"name": "x", "location": {"provider": "aws", "region": "r"}, "node_pools": [{"name": "a"}]}).spec
    assert spec is not None
    with pytest.raises(ValidationError, match="frozen"):
        spec.name = "y"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="frozen"):
        spec.node_pools[0].count = 7  # type: ignore[misc]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_spec_survives_its_json(path):
    spec = load(path).spec
    assert spec is not None
    assert parse(spec.model_dump(mode="json")).spec == spec


def test_left_out_parts_have_their_defaults():
    spec = parse({"name": "x", "location": {"provider": "aws", "region": "r"}, "node_pools": [{"name": "a"}]}).spec
    assert spec is not None
    assert spec.network == Network()
    assert spec.node_pools[0].capacity.type is CapacityType.ON_DEMAND
    assert spec.image.node == "auto"


def test_a_moment_from_python_needs_its_timezone():
    with pytest.raises(ValidationError, match="no timezone"):
        Shutdown(lease=datetime(2026, 12, 5))
    with pytest.raises(ValidationError, match="positive"):
        Shutdown(lease=timedelta(0))
