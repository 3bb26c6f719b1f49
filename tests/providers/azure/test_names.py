"""Names within Azure's limits, which differ by kind, whatever the user calls the cluster and its parts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gpuinfra import catalog
from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.plan.names import cloud_name
from gpuinfra.providers.azure.names import fixed_name, host_prefix
from gpuinfra.vocabulary import Provider

from .clusters import cluster, location, pool, recorded

_LONG = st.text("ab-1", min_size=50, max_size=61).map(lambda middle: f"a{middle}b")
NAME = st.from_regex(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True) | _LONG
# What the provider adds to a name of its own making: eight hexadecimal digits, without a hyphen.
MADE_UP = "0a1b2c3d"
KINDS = (
    "scale_set",
    "virtual_network",
    "subnet",
    "network_security_group",
    "nat_gateway",
    "public_ip",
    "bastion",
    "identity",
    "resource_group",
)
# The input that names a resource, and the kind of name that it is.
NAMED = {
    "azure-native:compute:VirtualMachineScaleSet": ("vmScaleSetName", "scale_set"),
    "azure-native:network:VirtualNetwork": ("virtualNetworkName", "virtual_network"),
    "azure-native:network:Subnet": ("subnetName", "subnet"),
    "azure-native:network:NetworkSecurityGroup": ("networkSecurityGroupName", "network_security_group"),
    "azure-native:network:NatGateway": ("natGatewayName", "nat_gateway"),
    "azure-native:network:PublicIPAddress": ("publicIpAddressName", "public_ip"),
    "azure-native:network:BastionHost": ("bastionHostName", "bastion"),
    "azure-native:managedidentity:UserAssignedIdentity": ("resourceName", "identity"),
    "azure-native:resources:ResourceGroup": ("resourceGroupName", "resource_group"),
}


def fits(name: str, kind: str) -> bool:
    row = catalog.limit(Provider.AZURE, f"name.{kind}")
    assert row, kind
    return len(name) <= row.maximum and (not row.pattern or re.search(row.pattern, name) is not None)


@given(NAME, NAME, st.sampled_from(KINDS))
def test_a_name_fits_whether_it_is_made_up_or_fixed(cluster: str, role: str, kind: str) -> None:
    logical = f"{cluster}-{role}"
    fixed = fixed_name(logical, kind)
    assert fits(fixed or logical + MADE_UP, kind)


@given(NAME, NAME, NAME)
def test_long_names_that_begin_alike_stay_apart(cluster: str, one: str, other: str) -> None:
    if one != other:
        assert cloud_name(Provider.AZURE, "node_group", cluster, one) != cloud_name(
            Provider.AZURE, "node_group", cluster, other
        )


@given(NAME, NAME)
def test_host_names_stay_short_and_are_host_names(cluster: str, pool: str) -> None:
    prefix = host_prefix(cluster, pool)
    assert re.fullmatch(r"[a-z]([-a-z0-9]{0,13}[a-z0-9])?", prefix)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example("a" * 63, "b" * 63, "c" * 63)
@given(NAME, NAME, NAME)
def test_every_resource_of_a_cluster_has_a_name_that_azure_takes(name: str, pool_name: str, storage: str) -> None:
    spec = cluster(
        location=location(bastion=True),
        node_pools=[pool(name=pool_name)],
        storage=[{"name": storage, "kind": "lustre", "size_gib": 8192, "mount": "/scratch"}],
    )
    graph = recorded(spec, name)
    seen = 0
    for resource in graph:
        if resource.type in NAMED:
            key, kind = NAMED[resource.type]
            assert fits(resource.get(key) or resource.name + MADE_UP, kind), resource.name
            seen += 1
    assert seen >= 10


@pytest.mark.parametrize("name", ["r" * 91, "ends-with.", "with space", ""])
def test_a_resource_group_that_azure_refuses_is_a_finding(name: str) -> None:
    with pytest.raises(GpuInfraError) as error:
        recorded(cluster(location=location(resource_group=name)))
    assert {d.path for d in error.value.diagnostics if d.is_error} == {"location.resource_group"}


def test_a_group_that_is_said_to_be_there_must_be_named() -> None:
    with pytest.raises(GpuInfraError) as error:
        recorded(cluster(location=location(existing_resource_group=True)))
    (one,) = [d for d in error.value.diagnostics if d.is_error]
    assert one.path == "location"
    assert "resource_group: rg-llama" in one.hint


@pytest.mark.parametrize("value", ["acmeimages.azurecr.io", "acmeimages", 5])
def test_a_registry_is_named_by_its_id(value: Any) -> None:
    with pytest.raises(GpuInfraError) as error:
        recorded(cluster(location=location(container_registry=value)))
    assert {d.path for d in error.value.diagnostics if d.is_error} == {"location.container_registry"}
