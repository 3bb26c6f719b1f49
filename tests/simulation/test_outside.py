# pyright: reportPrivateUsage=false
"""What a program looks at and takes over: things that stand outside of the world, and those that another program left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime.proto import provider_pb2 as pb

from gpuinfra.simulation.values import bag, struct

from .in_process import Clouds

CASES = [
    ("aws:ec2/vpc:Vpc", "vpc-0abc1234567890def", {"cidrBlock": "172.31.0.0/16"}, "cidrBlock"),
    (
        "gcp:compute/network:Network",
        "projects/acme/global/networks/shared",
        {"name": "shared", "autoCreateSubnetworks": False},
        "name",
    ),
    (
        "azure-native:network:VirtualNetwork",
        "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/shared",
        {"resourceGroupName": "rg", "virtualNetworkName": "shared", "location": "eastus"},
        "location",
    ),
]
by_cloud = pytest.mark.parametrize(("type_", "id_", "inputs", "key"), CASES, ids=("aws", "gcp", "azure"))


class _Asking:
    """A provider, asked as the engine asks about one resource."""

    def __init__(self, clouds: Clouds, type_: str, id_: str) -> None:
        self.provider = clouds._provider(type_.partition(":")[0])
        self.about: dict[str, Any] = {"id": id_, "type": type_, "urn": f"urn:pulumi:dev::p::{type_}::one"}

    def read(self, properties: dict[str, Any], inputs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The properties and inputs; None where it is gone."""
        asked = pb.ReadRequest(**self.about, properties=struct(properties), inputs=struct(inputs))
        read = self.provider.Read(asked, None)
        return (bag(read.properties), bag(read.inputs)) if read.id else None

    def diff(self, old: dict[str, Any], new: dict[str, Any]) -> Any:
        return self.provider.Diff(pb.DiffRequest(**self.about, old_inputs=struct(old), news=struct(new)), None)


@by_cloud
def test_an_import_takes_over_what_the_program_says(
    type_: str, id_: str, inputs: dict[str, Any], key: str, tmp_path: Path
) -> None:
    clouds = Clouds(tmp_path)
    asking = _Asking(clouds, type_, id_)
    found = asking.read({}, {})
    assert found is not None
    properties, old = found
    difference = asking.diff(old, inputs)
    assert not difference.replaces
    asked = pb.UpdateRequest(
        **asking.about, olds=struct(properties), old_inputs=struct(old), news=struct(inputs), preview=False
    )
    state = bag(asking.provider.Update(asked, None).properties)
    assert state[key] == inputs[key]
    # Now it stands in the world as any other: a refresh finds it, and what replaces such a thing replaces it.
    again = asking.read(state, inputs)
    assert again is not None
    assert (again[0][key], again[1]) == (inputs[key], inputs)
    assert asking.diff(inputs, inputs).changes == pb.DiffResponse.DIFF_NONE
    assert asking.diff(inputs, {**inputs, key: "other"}).replaces == [key]
    clouds.state[type_, "one"] = (id_, inputs, state)
    clouds.remove(type_, "one")
    assert asking.read(state, inputs) is None


@by_cloud
def test_an_import_of_what_another_program_left_finds_it_as_it_is(
    type_: str, id_: str, inputs: dict[str, Any], key: str, tmp_path: Path
) -> None:
    clouds = Clouds(tmp_path)
    clouds.deploy(type_, "one", inputs)
    there, _, _ = clouds.state[type_, "one"]
    asking = _Asking(clouds, type_, there)
    found = asking.read({}, {})
    assert found is not None
    assert inputs.items() <= found[1].items()
    assert asking.diff(found[1], inputs).changes == pb.DiffResponse.DIFF_NONE


@by_cloud
def test_what_a_get_says_of_a_resource_is_found_with_it(
    type_: str, id_: str, inputs: dict[str, Any], key: str, tmp_path: Path
) -> None:
    asking = _Asking(Clouds(tmp_path), type_, id_)
    # The engine sends what the program said twice.
    found = asking.read(inputs, inputs)
    assert found is not None
    assert found[0][key] == inputs[key]
    assert asking.read(found[0], {}) == (found[0], {})


def test_what_somebody_deleted_is_no_thing_outside(tmp_path: Path) -> None:
    clouds = Clouds(tmp_path)
    clouds.deploy("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "one", {"role": "r", "policyArn": "arn:aws:x"})
    type_, _ = key = next(iter(clouds.state))
    id_, inputs, state = clouds.state[key]
    clouds.world.forget(type_, id_)
    assert _Asking(clouds, type_, id_).read(state, inputs) is None
    # A type that computes nothing has nothing else to tell the two apart.
    assert _Asking(clouds, type_, id_).read(inputs, inputs) is None
