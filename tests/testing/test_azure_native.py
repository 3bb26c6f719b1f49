"""What programs of azure-native need of a recording."""

from __future__ import annotations

import pulumi
import pytest

from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef
from gpuinfra.testing import record


@pytest.mark.parametrize("preview", [True, False])
def test_identities_are_a_list_in_the_input_and_a_mapping_in_the_output(preview: bool) -> None:
    """The SDK reads the output as a mapping, and would fail on the input that comes back."""

    def program() -> None:
        from pulumi_azure_native import compute, managedidentity

        who = managedidentity.UserAssignedIdentity("who", resource_group_name="rg")
        nodes = compute.VirtualMachineScaleSet(
            "nodes",
            resource_group_name="rg",
            identity=compute.VirtualMachineScaleSetIdentityArgs(
                type=compute.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=[who.id]
            ),
        )
        pulumi.export("ids", nodes.identity.apply(lambda i: sorted(i.user_assigned_identities or {}) if i else []))

    graph = record(program, preview=preview)
    given = graph.named("nodes").get("identity", "userAssignedIdentities")
    assert given == ([UNKNOWN] if preview else [OutputRef("who", "id")])
    assert graph.outputs["ids"] == (UNKNOWN if preview else [OutputRef("who", "id")])


def test_inputs_are_those_of_the_resource_and_not_of_a_nested_type_of_its_name() -> None:
    def program() -> None:
        from pulumi_azure_native import network

        network.NatGateway("nat", resource_group_name="rg")

    known = record(program).named("nat").known_properties
    assert {"resourceGroupName", "natGatewayName", "publicIpAddresses"} <= set(known)


def test_the_versions_of_a_type_are_no_aliases_of_the_program() -> None:
    def program() -> None:
        from pulumi_azure_native import network

        network.VirtualNetwork("net", resource_group_name="rg")

    assert "aliases" not in record(program).named("net").options
