"""Several clouds in one program, and one cloud twice with providers of its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pulumi
import pytest
import yaml

from gpuinfra.cluster import GpuCluster
from gpuinfra.policy.resource_graph import OutputRef, Resource, ResourceGraph
from gpuinfra.testing import record

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
GOLDENS = Path(__file__).parent / "golden"
PACKAGES = {"aws": "aws", "gcp": "gcp", "azure": "azure-native"}
NEUTRAL = {"time", "gpuinfra", "pulumi"}


def spec(cloud: str) -> dict[str, object]:
    return yaml.safe_load((GOLDENS / f"{cloud}-complex" / "cluster.yaml").read_text(encoding="utf-8"))


def aws_provider(name: str) -> pulumi.ProviderResource:
    import pulumi_aws as aws

    return aws.Provider(name, region="us-east-2", profile=name)


def gcp_provider(name: str) -> pulumi.ProviderResource:
    import pulumi_gcp as gcp

    return gcp.Provider(name, project="acme-lab", user_project_override=True, billing_project="acme-lab")


def azure_provider(name: str) -> pulumi.ProviderResource:
    import pulumi_azure_native as azure

    return azure.Provider(name, subscription_id="00000000-0000-0000-0000-000000000000")


MAKERS: dict[str, Callable[[str], pulumi.ProviderResource]] = {
    "aws": aws_provider,
    "gcp": gcp_provider,
    "azure": azure_provider,
}


def cluster_of(graph: ResourceGraph, resource: Resource) -> str:
    """The name of the cluster that a resource belongs to."""
    by_urn = {r.urn: r for r in graph}
    at: Resource | None = resource
    while at is not None and at.type != "gpuinfra:index:GpuCluster":
        at = by_urn.get(at.parent)
    return at.name if at is not None else ""


@pytest.mark.parametrize("preview", [True, False])
def test_three_clouds_in_one_program_know_nothing_of_each_other(preview: bool) -> None:
    def program() -> None:
        for cloud in PACKAGES:
            GpuCluster(f"train-{cloud}", spec(cloud), now=NOW)

    graph = record(program, preview=preview)
    owned = {r.name: cluster_of(graph, r) for r in graph}
    assert len({r.urn for r in graph}) == len(list(graph))
    for resource in graph:
        owner = owned[resource.name]
        package = resource.type.partition(":")[0]
        if owner:
            assert package in {PACKAGES[owner.removeprefix("train-")], *NEUTRAL}
            assert resource.name.startswith(owner)
        for reference in references(resource.inputs):
            assert owned.get(reference.resource, owner) == owner, (resource.name, reference)
    assert {r.name for r in graph.of_type("gpuinfra:index:GpuCluster")} == {f"train-{c}" for c in PACKAGES}


def references(value: object) -> list[OutputRef]:
    if isinstance(value, OutputRef):
        return [value]
    if isinstance(value, dict):
        return [r for v in value.values() for r in references(v)]
    if isinstance(value, (list, tuple)):
        return [r for v in value for r in references(v)]
    return []


@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize("cloud", list(PACKAGES))
def test_one_cloud_twice_with_providers_of_its_own(cloud: str, preview: bool) -> None:
    def program() -> None:
        for account in ("research", "serving"):
            opts = pulumi.ResourceOptions(providers=[MAKERS[cloud](account)])
            GpuCluster(f"train-{account}", spec(cloud), opts, now=NOW)

    graph = record(program, preview=preview)
    made = [r for r in graph if r.type.startswith(f"{PACKAGES[cloud]}:")]
    assert made
    for resource in made:
        owner = cluster_of(graph, resource).removeprefix("train-")
        assert resource.provider.rpartition("::")[2] == owner, resource.name
    for reading in graph.reads:
        assert reading.provider.rpartition("::")[2] in ("research", "serving"), reading.name
