"""Who the nodes are: each role at its own scope, and nothing that a node does not need."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from gpuinfra.azure import NodeIdentity, NodePool
from gpuinfra.policy.resource_graph import OutputRef, Resource, ResourceGraph
from gpuinfra.providers.azure.names import guid
from gpuinfra.spec.load import parse
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.testing import record

from .clusters import ASSIGNMENT, CONTAINER, ROLE, SCALE_SET, SUBSCRIPTION, cluster, location, only, pool, recorded

REGISTRY = f"{SUBSCRIPTION}/resourceGroups/img/providers/Microsoft.ContainerRegistry/registries/acmeimages"
DATA = {"name": "data", "kind": "bucket", "existing": CONTAINER, "mount": "/data"}
OUT = {"name": "out", "kind": "bucket", "mount": "/out"}
BLOB_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"


def spec_of(**changes: Any) -> ClusterSpec:
    loaded = parse(cluster(**changes))
    assert loaded.spec, loaded.diagnostics
    return loaded.spec


def assigned(graph: ResourceGraph) -> dict[str, Resource]:
    return {r.name: r for r in graph.of_type(ASSIGNMENT)}


def actions(role: Resource) -> list[str]:
    (permission,) = role.get("permissions")
    return [*permission["actions"], *permission["dataActions"]]


def test_a_scale_set_has_the_cluster_s_identity_and_no_other() -> None:
    graph = recorded(cluster())
    identity = only(graph, SCALE_SET).inputs["identity"]
    assert identity == {"type": "UserAssigned", "userAssignedIdentities": [OutputRef("train-nodes", "id")]}


def test_idle_nodes_may_leave_their_own_set_and_no_other() -> None:
    graph = recorded(cluster(node_pools=[pool(), pool(name="other", instance_type="Standard_NC8as_T4_v3")]))
    found = assigned(graph)
    assert set(found) == {"train-gpu-pool-leave", "train-other-pool-leave"}
    for name in ("gpu", "other"):
        one = found[f"train-{name}-pool-leave"]
        assert one.inputs["scope"] == OutputRef(f"train-{name}-pool-set", "id")
        assert one.inputs["principalId"] == OutputRef("train-nodes", "principalId")
    role = only(graph, ROLE)
    assert role.inputs["assignableScopes"] == [OutputRef("train-rg", "id")]
    assert "Microsoft.Compute/virtualMachineScaleSets/delete/action" in actions(role)


def test_the_role_deletes_no_set_changes_none_and_has_no_wildcard() -> None:
    allowed = actions(only(recorded(cluster()), ROLE))
    assert not [a for a in allowed if "*" in a or a.endswith("/write")]
    assert "Microsoft.Compute/virtualMachineScaleSets/delete" not in allowed
    assert all(a.startswith("Microsoft.Compute/virtualMachineScaleSets/") for a in allowed)


def test_without_the_idle_timer_nodes_may_nothing() -> None:
    graph = recorded(cluster(shutdown={"lease": "72h"}))
    assert graph.of_type(ROLE, ASSIGNMENT) == ()


def test_a_pool_without_gpus_has_no_timer_and_no_role() -> None:
    head = {"name": "head", "instance_type": "Standard_D8s_v5", "count": 1}
    assert set(assigned(recorded(cluster(node_pools=[pool(), head])))) == {"train-gpu-pool-leave"}


def test_what_is_there_is_read_and_written_and_never_deleted() -> None:
    graph = recorded(cluster(storage=[DATA], shutdown={"lease": "72h"}))
    one = only(graph, ASSIGNMENT)
    assert one.get("scope") == CONTAINER
    role = only(graph, ROLE)
    assert role.get("scope") == CONTAINER.partition("/providers/")[0]
    assert not [a for a in actions(role) if "delete" in a]
    assert one.get("roleDefinitionId").startswith(f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/")


def test_what_was_made_for_the_cluster_may_be_emptied() -> None:
    graph = recorded(cluster(storage=[OUT], shutdown={"lease": "72h"}))
    one = only(graph, ASSIGNMENT)
    assert one.inputs["scope"] == OutputRef("train-out-storage", "id")
    assert one.get("roleDefinitionId").endswith(BLOB_CONTRIBUTOR)
    assert one.urn in only(graph, SCALE_SET).dependencies, "a mount at first boot must not be refused"


def test_a_container_by_its_address_alone_is_said_with_the_command() -> None:
    store = {**DATA, "existing": "https://acme.blob.core.windows.net/tokens"}
    graph = recorded(cluster(storage=[store], shutdown={"lease": "72h"}))
    assert graph.of_type(ASSIGNMENT) == ()
    (said,) = [text for level, text in graph.logs if "GI2176" in text and level == "warning"]
    assert "storage[0].existing" in said
    assert "Storage Blob Data Contributor" in said


def test_the_registry_that_the_location_names_may_be_pulled_from() -> None:
    spec = cluster(
        location=location(container_registry=REGISTRY),
        image={"container": "acmeimages.azurecr.io/train:1", "node": "auto"},
        shutdown={"lease": "72h"},
    )
    graph = recorded(spec)
    one = only(graph, ASSIGNMENT)
    assert (one.name, one.get("scope")) == ("train-pull", REGISTRY)
    assert one.get("roleDefinitionId").endswith("7f951dda-4ed3-4680-a7ca-43fe172d538d")
    assert not [text for _, text in graph.logs if "GI2176" in text]


def test_a_registry_that_nobody_names_is_said() -> None:
    spec = cluster(image={"container": "other1.azurecr.io/train:1", "node": "auto"}, shutdown={"lease": "72h"})
    (said,) = [text for _, text in recorded(spec).logs if "GI2176" in text]
    assert "other1.azurecr.io" in said
    assert "AcrPull" in said


def test_an_assignment_says_that_it_is_for_an_identity_and_is_never_changed_in_place() -> None:
    for one in assigned(recorded(cluster(storage=[DATA, OUT]))).values():
        assert one.get("principalType") == "ServicePrincipal"
        assert {"principalId", "scope", "roleDefinitionId"} <= set(one.options["replaceOnChanges"])
        assert one.options["deleteBeforeReplace"] is True


def test_names_of_assignments_are_guids_that_stay_and_differ() -> None:
    first, again = (assigned(recorded(cluster(storage=[DATA, OUT]))) for _ in range(2))
    names = [r.get("roleAssignmentName") for r in first.values()]
    assert all(UUID(name) for name in names)
    assert len(set(names)) == len(names)
    assert names == [r.get("roleAssignmentName") for r in again.values()]


def test_the_same_name_at_another_scope_is_another_guid() -> None:
    """Azure wants one name a tenant: two clusters named alike may not share one."""
    found: list[str] = []

    def program() -> None:
        for scope in ("/subscriptions/s/resourceGroups/A", "/SUBSCRIPTIONS/S/resourceGroups/a", "/subscriptions/t"):
            guid(scope, "train-leave").apply(found.append)

    record(program)
    first, other_case, other = found
    assert first == other_case
    assert first != other


def test_in_a_preview_nothing_is_made_up() -> None:
    graph = recorded(cluster(storage=[DATA, OUT]), preview=True)
    for one in graph.of_type(ASSIGNMENT):
        assert "None" not in str(one.inputs)


def test_an_identity_for_other_pools_is_refused() -> None:
    spec = spec_of(node_pools=[pool(), pool(name="other")])
    with pytest.raises(ValueError, match="identity: it does not cover pool 'gpu', whose group is a-gpu; its groups: a"):
        record(lambda: NodePool("a", spec, pool="gpu", identity=NodeIdentity("a", spec, pools=["other"])))


def test_a_pool_stands_in_the_group_in_which_its_identity_s_role_is_known() -> None:
    spec = spec_of()
    graph = record(lambda: NodePool("a", spec, identity=NodeIdentity("a", spec)))
    assert len(graph.of_type("azure-native:resources:ResourceGroup")) == 1
