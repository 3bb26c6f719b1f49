from __future__ import annotations

from typing import Any

import pulumi
import pytest

from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.gcp import ClusterNetwork, ExistingNetwork, NodePool
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, ResourceGraph
from gpuinfra.testing import record

from .clusters import (
    FLEX,
    GROUP,
    NETWORK,
    POLICY,
    REGION_GROUP,
    REQUEST,
    RESERVED,
    TEMPLATE,
    cluster,
    of_type,
    only,
    pool,
    recorded,
    spec_of,
    waits_for,
)
from .parts import JOB, MONEY

REGION_REQUEST = "gcp:compute/regionResizeRequest:RegionResizeRequest"


def test_the_group_waits_for_no_capacity_and_replaces_no_running_node() -> None:
    group = only(recorded(cluster()), GROUP)
    assert group.get("waitForInstances") is False
    assert group.get("zone") == "us-central1-a"
    assert group.get("updatePolicy") == {
        "type": "OPPORTUNISTIC",
        "minimalAction": "REPLACE",
        "maxSurgeFixed": 0,
        "maxUnavailableFixed": 1,
    }
    assert group.get("instanceLifecyclePolicy") == {"defaultActionOnFailure": "REPAIR", "forceUpdateOnRepair": "NO"}
    assert "autoHealingPolicies" not in group.inputs
    assert group.options["deleteBeforeReplace"] is True


def test_nodes_leave_a_subnet_before_it_goes() -> None:
    graph = recorded(cluster())
    subnets = [s.urn for s in graph.of_type("gcp:compute/subnetwork:Subnetwork")]
    assert subnets
    assert only(graph, GROUP).options["replaceWith"] == sorted(subnets)


def test_nodes_are_not_bound_to_the_subnets_of_other_pools() -> None:
    pools = [pool(), pool(name="mega", instance_type="a3-megagpu-8g")]
    graph = recorded(cluster(node_pools=pools, location={**cluster()["location"], "zone": "us-central1-b"}))
    bound = {g.get("name"): len(g.options["replaceWith"]) for g in graph.of_type(GROUP)}
    assert bound == {"train-gpu": 1, "train-mega": 9}


def test_nodes_are_not_bound_to_the_second_host_network_of_other_pools() -> None:
    ultra = of_type("a3-ultragpu-8g", capacity=RESERVED)
    graph = recorded(cluster(**{**ultra, "node_pools": [pool(), {**ultra["node_pools"][0], "name": "ultra"}]}))
    bound = {g.get("name"): len(g.options["replaceWith"]) for g in graph.of_type(GROUP)}
    assert bound == {"train-gpu": 1, "train-ultra": 10}


def test_the_idle_agent_finds_the_group_by_the_name_that_it_was_told() -> None:
    graph = recorded(cluster())
    group = only(graph, GROUP)
    assert (group.get("name"), group.get("baseInstanceName")) == ("train-gpu", "train-gpu")
    assert '"group": "train-gpu"' in only(graph, TEMPLATE).get("metadata", "user-data")


@pytest.mark.parametrize("ends", [{"lease": "72h"}, {"lease": "72h", "idle_after": "30m"}])
def test_a_group_that_ends_by_itself_is_not_bought_again(ends: dict[str, str]) -> None:
    group = only(recorded(cluster(shutdown=ends)), GROUP)
    assert (group.get("targetSize"), group.options["ignoreChanges"]) == (2, ["targetSize"])
    assert "targetSize" in group.known_properties


def test_a_group_that_nothing_else_moves_keeps_its_number() -> None:
    group = only(recorded(cluster(shutdown=None, workload="inference")), GROUP)
    assert group.get("targetSize") == 2
    assert "ignoreChanges" not in group.options


def test_a_range_starts_where_it_says() -> None:
    group = only(recorded(cluster(node_pools=[pool(count={"min": 0, "max": 8, "initial": 3})])), GROUP)
    assert (group.get("targetSize"), group.options["ignoreChanges"]) == (3, ["targetSize"])


def test_a_calendar_reservation_waits_for_its_beginning() -> None:
    capacity = {**RESERVED, "starts": "2026-12-01T00:00:00Z", "ends": "2026-12-20T00:00:00Z"}
    assert only(recorded(of_type("a4-highgpu-8g", capacity=capacity)), GROUP).get("targetSize") == 0


def test_the_group_takes_the_newest_template_and_the_last_one_stays_until_then() -> None:
    graph = recorded(cluster())
    template = only(graph, TEMPLATE)
    assert only(graph, GROUP).get("versions") == [{"instanceTemplate": OutputRef(template.name, "selfLink")}]
    assert "name" not in template.inputs, "two of them exist for a moment"
    assert not {"deleteBeforeReplace", "ignoreChanges"} & set(template.options)


# Flex-start.


@pytest.fixture(scope="module")
def flex() -> ResourceGraph:
    return recorded(of_type("a3-megagpu-8g", count=4, capacity=FLEX))


def test_flex_start_is_bought_by_one_request_for_all_nodes(flex: ResourceGraph) -> None:
    """GCP-C07."""
    group, request = only(flex, GROUP), only(flex, REQUEST)
    assert (group.get("targetSize"), group.options["ignoreChanges"]) == (0, ["targetSize"])
    assert group.get("instanceLifecyclePolicy", "defaultActionOnFailure") == "DO_NOTHING"
    assert request.get("resizeBy") == 4
    assert request.get("requestedRunDuration") == {"seconds": "86400"}, "text here"
    assert only(flex, TEMPLATE).get("scheduling", "maxRunDuration") == {"seconds": 86400}, "a number there"
    assert group.urn in request.dependencies


def test_another_number_buys_nothing_beside_the_nodes_that_run(flex: ResourceGraph) -> None:
    request = only(flex, REQUEST)
    assert {"resizeBy", "requestedRunDuration"} <= set(request.options["ignoreChanges"])
    assert set(request.options["ignoreChanges"]) <= set(request.known_properties)


def test_a_new_group_asks_again(flex: ResourceGraph) -> None:
    assert only(flex, REQUEST).options["replaceWith"] == [only(flex, GROUP).urn]


def test_a_request_that_has_ended_does_not_hold_up_its_deletion(flex: ResourceGraph) -> None:
    """GCP-OPS-01."""
    assert only(flex, REQUEST).get("deletionPolicy") == "ABANDON"


def test_the_number_of_a_flex_group_is_never_ours_also_without_a_lease() -> None:
    spec = cluster(node_pools=[pool(capacity=FLEX)], shutdown=None, workload="inference")
    assert only(recorded(spec), GROUP).options["ignoreChanges"] == ["targetSize"]


def test_a_pool_that_is_off_asks_for_nothing() -> None:
    graph = recorded(cluster(node_pools=[pool(name="on"), pool(count=0, capacity=FLEX)]))
    assert not graph.of_type(REQUEST)


# Placement.


def test_a_policys_name_says_what_it_asks_for() -> None:
    """Google changes a policy in place, and machines stay where they are: another wish must be another policy."""
    names = {
        only(recorded(of_type(t, capacity=c)), POLICY).name
        for t, c in (
            ("g2-standard-8", {"type": "on_demand"}),
            ("a4-highgpu-8g", {"type": "spot"}),
            ("a4x-highgpu-4g", RESERVED),
        )
    }
    assert names == {"train-gpu-pool-collocated", "train-gpu-pool-workload", "train-gpu-pool-workload-1x72"}


@pytest.mark.parametrize(("name", "on_group"), [("g2-standard-8", False), ("a4-highgpu-8g", True)])
def test_the_users_own_policy_is_taken_and_none_is_made(name: str, on_group: bool) -> None:
    spec = of_type(name, capacity={"type": "spot"}, proximity="acme-policy")
    graph = recorded(spec)
    region = spec["location"]["region"]
    link = f"projects/acme-lab/regions/{region}/resourcePolicies/acme-policy"
    assert not graph.of_type(POLICY)
    assert only(graph, GROUP).get("resourcePolicies", "workloadPolicy") == (link if on_group else None)
    assert only(graph, TEMPLATE).get("resourcePolicies") == (None if on_group else link)


# Where no zone is known.


def zoneless(**changes: Any) -> dict[str, Any]:
    waivers = [
        {"code": code, "path": path, "reason": "a new region", "expires": "2099-12-31"}
        for code, path in (("GI2012", "location.zone"), ("GI2013", "node_pools[0].instance_type"))
    ]
    location = {"provider": "gcp", "project": "acme-lab", "region": "asia-east2"}
    return cluster(location=location, waivers=waivers, **changes)


def test_without_a_zone_google_chooses_one_for_all_nodes() -> None:
    graph = recorded(zoneless())
    group = only(graph, REGION_GROUP)
    assert (group.get("region"), group.get("distributionPolicyTargetShape")) == ("asia-east2", "ANY_SINGLE_ZONE")
    assert group.get("updatePolicy", "instanceRedistributionType") == "NONE"
    assert group.get("updatePolicy", "maxUnavailableFixed") >= 4, "GCP-MIG-04: at least one for each zone"
    assert not graph.of_type(GROUP)
    leave = graph.named("train-nodes-leave-member").get("condition", "expression")
    assert "zones//" not in leave
    assert "extract('/instances/{name}').startsWith('train-gpu-')" in leave


def test_without_a_zone_a_request_asks_the_region() -> None:
    graph = recorded(zoneless(node_pools=[pool(capacity=FLEX)]))
    request = only(graph, REGION_REQUEST)
    assert (request.get("region"), request.get("resizeBy")) == ("asia-east2", 2)
    assert request.get("requestedRunDuration") == {"seconds": "86400"}


# The template.


def test_names_of_disks_and_labels_tell_the_cluster_and_the_pool() -> None:
    template = only(recorded(cluster(labels={"team": "nlp"})), TEMPLATE)
    wanted = {"gpuinfra-cluster": "train", "gpuinfra-pool": "gpu", "team": "nlp"}
    assert template.get("labels") == wanted
    assert template.get("disks", 0, "labels") == wanted


def test_nodes_have_their_own_account_and_no_key_of_the_project() -> None:
    template = only(recorded(cluster()), TEMPLATE)
    assert template.inputs["serviceAccount"]["email"] == OutputRef("train-nodes-account", "email")
    assert template.get("serviceAccount", "scopes") == ["https://www.googleapis.com/auth/cloud-platform"]
    metadata = template.get("metadata")
    assert (metadata["enable-oslogin"], metadata["block-project-ssh-keys"], metadata["serial-port-enable"]) == (
        "TRUE",
        "TRUE",
        "FALSE",
    )
    assert "ssh-keys" not in metadata
    assert template.get("canIpForward") is False


@pytest.mark.parametrize(
    ("changes", "secure"),
    [
        ({}, True),
        ({"storage": [{"name": "x", "kind": "lustre", "size_gib": 18000, "mount": "/x"}]}, False),
        ({"image": {"node": "projects/acme-lab/global/images/own-v20261101"}}, False),
        ({"node_pools": [pool(instance_type="c3-standard-8", count=1)]}, True),
        ({"node_pools": [pool(instance_type="a2-highgpu-1g")]}, False),
    ],
)
def test_secure_boot_is_on_where_every_module_is_signed(changes: dict[str, Any], secure: bool) -> None:
    shielded = only(recorded(cluster(**changes)), TEMPLATE).get("shieldedInstanceConfig")
    assert shielded == {"enableSecureBoot": secure, "enableVtpm": True, "enableIntegrityMonitoring": True}


def test_bare_metal_has_no_shielded_machine() -> None:
    shielded = only(recorded(of_type("a4x-maxgpu-4g-metal", capacity=RESERVED)), TEMPLATE).get("shieldedInstanceConfig")
    assert set(shielded.values()) == {False}


def test_bare_metal_rdma_speaks_ipv6_alone_in_the_subnet_that_its_network_makes() -> None:
    spec = of_type("a4x-maxgpu-4g-metal", capacity=RESERVED)
    nics = only(recorded(spec), TEMPLATE).get("networkInterfaces")
    assert [n["stackType"] for n in nics] == ["IPV4_IPV6"] * 2 + ["IPV6_ONLY"] * 8
    place = f"projects/acme-lab/regions/{spec['location']['region']}/subnetworks/default-subnet-1-"
    assert {n["subnetwork"] for n in nics[2:]} == {place + "${train-rdma-metal-vpc.name}"}


@pytest.mark.parametrize("way", [{"type": "on_demand"}, {"type": "spot"}, FLEX, RESERVED])
def test_no_block_is_empty(way: dict[str, str]) -> None:
    def empty(value: Any) -> bool:
        if isinstance(value, dict):
            return not value or any(empty(v) for v in value.values())
        return isinstance(value, list) and (not value or any(empty(v) for v in value))

    for resource in recorded(cluster(node_pools=[pool(capacity=way)])):
        assert not [k for k, v in resource.inputs.items() if empty(v)], resource.name


def test_preview_knows_all_that_is_decided() -> None:
    template = only(recorded(of_type("a4-highgpu-8g", capacity=RESERVED), preview=True), TEMPLATE)
    assert template.get("machineType") == "a4-highgpu-8g"
    assert len(template.get("networkInterfaces")) == 10
    assert template.get("networkInterfaces", 0, "subnetwork") is UNKNOWN
    assert isinstance(template.get("metadata", "user-data"), str), "nothing late is in it, so it is known"


# Alone, in a network of another stack.


def alone(**options: Any) -> ResourceGraph:
    def program() -> None:
        other = pulumi.StackReference("acme/network/prod")
        place = ExistingNetwork(other.require_output("vpc"), other.require_output("subnet"))
        NodePool("extra", spec_of(budget=MONEY), pool="gpu", network=place, **options)

    network = "projects/acme-lab/global/networks/prod"
    subnet = "projects/acme-lab/regions/us-central1/subnetworks/prod"
    return record(program, stack_references={"acme/network/prod": {"vpc": network, "subnet": subnet}})


def test_a_pool_alone_stands_in_the_network_of_another_stack() -> None:
    graph = alone()
    (nic,) = only(graph, TEMPLATE).get("networkInterfaces")
    assert nic["subnetwork"] == "projects/acme-lab/regions/us-central1/subnetworks/prod"
    assert not graph.of_type(NETWORK)


def test_a_pool_alone_brings_its_identity_its_end_and_its_budget() -> None:
    graph = alone()
    assert only(graph, "gpuinfra:gcp:NodePool").name == "extra"
    assert {r.name for r in graph.of_type(JOB)} == {"extra-gpu-pool-lease"}
    assert graph.of_type("gcp:serviceaccount/account:Account")
    assert graph.of_type("gcp:billing/budget:Budget")
    inside = graph.named("extra").urn.rsplit("::", 1)[0]
    assert all(r.urn.startswith(inside) for r in graph if r.name.startswith("extra-"))


def test_what_is_given_is_shared_and_not_made_again() -> None:
    def program() -> None:
        spec = spec_of(node_pools=[pool(), pool(name="other")])
        place = ClusterNetwork("net", spec)
        for name in ("gpu", "other"):
            NodePool(f"pool-{name}", spec, pool=name, network=place)

    graph = record(program)
    assert len(graph.of_type(NETWORK)) == 1
    subnets = [t.inputs["networkInterfaces"][0]["subnetwork"] for t in graph.of_type(TEMPLATE)]
    assert subnets == [OutputRef("net-nodes-subnet", "id")] * 2


def test_nodes_wait_for_their_roles_and_their_storage() -> None:
    graph = recorded(cluster(storage=[{"name": "home", "kind": "nfs", "size_gib": 1024, "mount": "/shared"}]))
    assert {"train-nodes-logs", "train-nodes-leave-member"} <= waits_for(graph, only(graph, GROUP))
    assert "train-home-storage" in waits_for(graph, only(graph, TEMPLATE)), "its address is in the boot bundle"


def test_a_pool_that_the_spec_lacks_is_named_with_its_neighbours() -> None:
    with pytest.raises(ValueError, match="no pool is named 'gpus'; the spec's pools: gpu did you mean gpu"):
        record(lambda: NodePool("extra", spec_of(), pool="gpus"))
    with pytest.raises(ValueError, match="several pools and none was chosen"):
        record(lambda: NodePool("extra", spec_of(node_pools=[pool(), pool(name="b")])))


def test_a_part_refuses_a_spec_with_errors() -> None:
    with pytest.raises(GpuInfraError, match=r"node_pools\[0\]\.instance_type"):
        record(lambda: NodePool("extra", spec_of(node_pools=[pool(instance_type="g2-standard-9")])))
