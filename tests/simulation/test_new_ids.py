"""Ids of new resources: what replaces a resource exists beside it until the old one is deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime.proto import provider_pb2 as pb

from gpuinfra.simulation.clouds.aws import CLOUD as AWS
from gpuinfra.simulation.clouds.time import CLOUD as TIME
from gpuinfra.simulation.provider import SimulatedProvider
from gpuinfra.simulation.schema import Sdk
from gpuinfra.simulation.values import struct
from gpuinfra.simulation.world import World

GROUP = "aws:ec2/securityGroup:SecurityGroup"
OFFSET = "time:index/offset:Offset"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "world.sqlite")


def _create(provider: SimulatedProvider, type_: str, name: str, **inputs: Any) -> Any:
    urn = f"urn:pulumi:dev::p::{type_}::{name}"
    return provider.Create(pb.CreateRequest(urn=urn, type=type_, properties=struct(inputs)), None)


def test_a_replacement_has_an_id_of_its_own_and_outlives_the_old_one(world: World) -> None:
    provider = SimulatedProvider(AWS, Sdk("aws"), world)
    old = _create(provider, GROUP, "g", vpcId="vpc-1", description="old")
    new = _create(provider, GROUP, "g", vpcId="vpc-1", description="new")
    assert old.id != new.id
    provider.Delete(pb.DeleteRequest(id=old.id, urn=f"urn:pulumi:dev::p::{GROUP}::g", type=GROUP), None)
    (left,) = world.things()
    assert (left.id, left.inputs["description"], left.urn) == (new.id, "new", f"urn:pulumi:dev::p::{GROUP}::g")


def test_two_moments_of_one_second_are_two(world: World) -> None:
    provider = SimulatedProvider(TIME, Sdk("time"), world)
    made = [_create(provider, OFFSET, n, baseRfc3339="2026-01-01T00:00:00Z", offsetHours=1) for n in "abc"]
    assert len({m.id for m in made}) == 3
    assert {m.properties["rfc3339"] for m in made} == {"2026-01-01T01:00:00Z"}
