from __future__ import annotations

from typing import Any

import pulumi
import pytest

from gpuinfra.aws import ClusterNetwork, ExistingNetwork, NodePool
from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef
from gpuinfra.spec.load import parse
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.testing import record

from .clusters import BUDGET, GROUP, LAUNCH_TEMPLATE, NOW, SCHEDULE, cluster, only, pool, recorded

PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"


def spec_of(**changes: Any) -> ClusterSpec:
    loaded = parse(cluster(**changes))
    assert loaded.spec, loaded.diagnostics
    return loaded.spec


def test_the_group_waits_for_no_capacity_and_stays_in_one_subnet() -> None:
    group = only(recorded(cluster()), GROUP)
    assert group.get("waitForCapacityTimeout") == "0"
    assert group.get("suspendedProcesses") == ["AZRebalance"]
    assert group.inputs["vpcZoneIdentifiers"] == [OutputRef("train-nodes-subnet", "id")]
    assert "instanceRefresh" not in group.inputs
    assert "maxInstanceLifetime" not in group.inputs


def test_an_idle_group_may_go_to_zero_and_is_not_bought_again() -> None:
    """AWS-C12 and P1: minimum 0, and the desired number left alone by its wire name."""
    group = only(recorded(cluster(node_pools=[pool(instance_type="g6e.12xlarge")])), GROUP)
    assert (group.get("minSize"), group.get("desiredCapacity"), group.get("maxSize")) == (0, 4, 4)
    assert group.options["ignoreChanges"] == ["desiredCapacity"]
    assert "desiredCapacity" in group.known_properties


def test_a_group_that_nothing_else_moves_keeps_its_number() -> None:
    group = only(
        recorded(cluster(node_pools=[pool(instance_type="g5.xlarge")], shutdown=None, workload="inference")), GROUP
    )
    assert (group.get("minSize"), group.get("desiredCapacity"), group.get("maxSize")) == (4, 4, 4)
    assert "ignoreChanges" not in group.options


def test_a_range_starts_where_it_says() -> None:
    count = {"min": 0, "max": 8, "initial": 2}
    group = only(recorded(cluster(node_pools=[pool(count=count)])), GROUP)
    assert (group.get("minSize"), group.get("desiredCapacity"), group.get("maxSize")) == (0, 2, 8)
    assert group.options["ignoreChanges"] == ["desiredCapacity"]


def test_the_template_is_pinned_to_its_newest_version() -> None:
    """P8: the version is the template's own output, never $Latest and never the text of nothing."""
    launch = only(recorded(cluster()), GROUP).get("launchTemplate")
    assert launch == {
        "id": OutputRef("train-gpu-pool-template", "id"),
        "version": OutputRef("train-gpu-pool-template", "latestVersion"),
    }
    assert only(recorded(cluster(), preview=True), GROUP).get("launchTemplate", "version") is UNKNOWN


def test_a_version_is_a_whole_number() -> None:
    graph = record(lambda: _cluster(), outputs=lambda type_, name, inputs: {"latestVersion": 7})
    assert only(graph, GROUP).get("launchTemplate", "version") == "7"


def _cluster() -> None:
    from gpuinfra.cluster import GpuCluster

    GpuCluster("train", cluster(), now=NOW)


def test_tags_reach_the_instances() -> None:
    tags = only(recorded(cluster(labels={"team": "nlp"})), GROUP).get("tags")
    assert {t["key"]: t["value"] for t in tags} == {
        "Name": "train-gpu",
        "gpuinfra-cluster": "train",
        "gpuinfra-pool": "gpu",
        "team": "nlp",
    }
    assert all(t["propagateAtLaunch"] is True for t in tags)


def test_nodes_of_one_fabric_stand_together_and_the_group_goes_first() -> None:
    graph = recorded(cluster())
    placement = only(graph, PLACEMENT)
    assert placement.get("strategy") == "cluster"
    assert placement.options["deleteBeforeReplace"] is True
    assert placement.urn in only(graph, GROUP).dependencies
    assert only(graph, LAUNCH_TEMPLATE).get("placement", "groupName") in (
        OutputRef(placement.name, "name"),
        "train-gpu",
    )


def test_spot_is_bought_by_the_group_without_a_price_limit() -> None:
    graph = recorded(cluster(node_pools=[pool(capacity={"type": "spot"})]))
    group, template = only(graph, GROUP), only(graph, LAUNCH_TEMPLATE)
    policy = group.get("mixedInstancesPolicy")
    assert policy["instancesDistribution"] == {
        "onDemandBaseCapacity": 0,
        "onDemandPercentageAboveBaseCapacity": 0,
        "spotAllocationStrategy": "price-capacity-optimized",
    }
    assert policy["launchTemplate"]["launchTemplateSpecification"]["launchTemplateId"] == OutputRef(template.name, "id")
    assert group.get("capacityRebalance") is True
    assert "launchTemplate" not in group.inputs
    assert "instanceMarketOptions" not in template.inputs


@pytest.mark.parametrize(
    "capacity", [{"type": "on_demand"}, {"type": "reservation", "id": "cr-0ddd3333eeee4444f"}], ids=lambda c: c["type"]
)
def test_a_name_and_a_full_reservation_have_no_room_for_a_second_group(capacity: dict[str, str]) -> None:
    group = only(recorded(cluster(node_pools=[pool(capacity=capacity)])), GROUP)
    assert group.options["deleteBeforeReplace"] is True


def test_nodes_leave_a_subnet_before_it_goes() -> None:
    """A group that does not rebalance keeps its nodes in the old subnet, and EC2 deletes none that is in use."""
    graph = recorded(cluster())
    group = only(graph, GROUP)
    assert group.options["replaceOnChanges"] == ["vpcZoneIdentifiers"]
    for subnet in graph.of_type("aws:ec2/subnet:Subnet"):
        assert subnet.options["deleteBeforeReplace"] is True, "two subnets cannot have one range"


# Alone, in a network of another stack.


def alone(**options: Any) -> Any:
    def program() -> None:
        other = pulumi.StackReference("acme/network/prod")
        place = ExistingNetwork(
            other.require_output("vpc"), other.require_output("subnet"), [other.require_output("sg")]
        )
        NodePool("extra", spec_of(budget=BUDGET), pool="gpu", network=place, **options)

    references = {"acme/network/prod": {"vpc": "vpc-0aa", "subnet": "subnet-0bb", "sg": "sg-0cc"}}
    return record(program, stack_references=references)


def test_a_pool_alone_stands_in_the_network_of_another_stack() -> None:
    graph = alone()
    assert only(graph, GROUP).get("vpcZoneIdentifiers") == ["subnet-0bb"]
    assert graph.named("extra-nodes-sg").get("vpcId") == "vpc-0aa"
    groups = only(graph, LAUNCH_TEMPLATE).get("networkInterfaces", 0, "securityGroups")
    assert groups == [OutputRef("extra-nodes-sg", "id"), "sg-0cc"]
    assert not graph.of_type("aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet")


def test_a_pool_alone_brings_its_identity_its_end_and_its_budget() -> None:
    graph = alone()
    assert only(graph, "gpuinfra:aws:NodePool").name == "extra"
    assert {r.name for r in graph.of_type(SCHEDULE)} == {"extra-gpu-pool-lease"}
    assert graph.of_type("aws:iam/instanceProfile:InstanceProfile", "aws:budgets/budget:Budget")
    inside = graph.named("extra").urn.rsplit("::", 1)[0]
    assert all(r.urn.startswith(inside) for r in graph if r.name.startswith("extra-"))


def test_what_is_given_is_shared_and_not_made_again() -> None:
    def program() -> None:
        spec = spec_of(node_pools=[pool(), pool(name="other")])
        place = ClusterNetwork("net", spec)
        for name in ("gpu", "other"):
            NodePool(f"pool-{name}", spec, pool=name, network=place)

    graph = record(program)
    assert len(graph.of_type("aws:ec2/vpc:Vpc")) == 1
    subnets = {r.name: r.inputs["vpcZoneIdentifiers"] for r in graph.of_type(GROUP)}
    assert subnets == {f"pool-{n}-{n}-pool-group": [OutputRef("net-nodes-subnet", "id")] for n in ("gpu", "other")}


def test_a_pool_that_the_spec_lacks_is_named_with_its_neighbours() -> None:
    with pytest.raises(ValueError, match="no pool is named 'gpus'; the spec's pools: gpu did you mean gpu"):
        record(lambda: NodePool("extra", spec_of(), pool="gpus"))
    with pytest.raises(ValueError, match="several pools and none was chosen"):
        record(lambda: NodePool("extra", spec_of(node_pools=[pool(), pool(name="b")])))


def test_a_network_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="ExistingNetwork"):
        record(lambda: NodePool("extra", spec_of(), network={"vpc_id": "vpc-0aa"}))  # type: ignore[arg-type]


def test_a_part_refuses_a_spec_with_errors() -> None:
    with pytest.raises(GpuInfraError, match=r"node_pools\[0\]\.instance_type"):
        record(lambda: NodePool("extra", spec_of(node_pools=[pool(instance_type="p5.49xlarge")])))
