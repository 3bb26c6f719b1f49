"""The reader of AWS accounts, against moto; what moto has not is answered in the shapes that botocore knows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

import boto3
import botocore.client
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError
from botocore.validate import validate_parameters
from moto import mock_aws

from gpuinfra.plan.models import ClusterPlan
from gpuinfra.policy.account_facts import AccountFacts
from gpuinfra.policy.engine import AccountReport, check_account
from gpuinfra.policy.examples import NOW
from gpuinfra.preflight import aws
from gpuinfra.preflight.gathering import ReadingError

from .conftest import plan_of

REGION = "us-east-1"
Handler = Callable[[Mapping[str, Any]], Any]


class Cloud:
    """moto, with answers of one's own for some operations. Both are held to botocore's shapes."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.handlers: dict[str, Handler] = {}
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        original = botocore.client.BaseClient._make_api_call  # type: ignore[attr-defined]

        def call(client: Any, operation: str, arguments: Mapping[str, Any]) -> Any:
            self.asked.append((operation, arguments))
            handler = self.handlers.get(operation)
            if handler is None:
                return original(client, operation, arguments)
            model = client.meta.service_model.operation_model(operation)
            validate_parameters(arguments, model.input_shape)
            answer = handler(arguments)
            validate_parameters(answer, model.output_shape)
            return answer

        patch.setattr(botocore.client.BaseClient, "_make_api_call", call)

    def refuse(self, operation: str, code: str) -> None:
        def handler(arguments: Mapping[str, Any]) -> Any:
            message = "User: arn:aws:sts::123456789012:assumed-role/x is not authorized"
            raise ClientError({"Error": {"Code": code, "Message": message}}, operation)

        self.handlers[operation] = handler


def quota(values: Mapping[str, float]) -> Handler:
    def handler(arguments: Mapping[str, Any]) -> Any:
        code = arguments["QuotaCode"]
        if code not in values:
            raise ClientError({"Error": {"Code": "NoSuchResourceException", "Message": ""}}, "GetServiceQuota")
        return {"Quota": {"QuotaCode": code, "Value": values[code], "ServiceCode": arguments["ServiceCode"]}}

    return handler


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    for name in [n for n in os.environ if n.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        made = Cloud(monkeypatch)
        made.handlers["GetServiceQuota"] = quota({"L-417A185B": 384.0, "L-F678F1CE": 5.0, "L-0263D0A3": 5.0})
        made.handlers["GetAWSDefaultServiceQuota"] = quota({})
        made.handlers["DescribeCapacityReservations"] = lambda arguments: {"CapacityReservations": []}
        made.handlers["ListCostAllocationTags"] = lambda arguments: {"CostAllocationTags": []}
        yield made


@cache
def session() -> boto3.Session:
    """One for all tests: it keeps the descriptions of services, which take long to read."""
    return boto3.Session(region_name=REGION, aws_access_key_id="testing", aws_secret_access_key="testing")


def client(service: str, region: str = REGION) -> Any:
    return session().client(service, region_name=region)


def read(plan: ClusterPlan) -> AccountFacts:
    return aws.read(plan, NOW, {}, lambda what: None, session())


def judged(plan: ClusterPlan, facts: AccountFacts) -> AccountReport:
    return check_account(plan, facts)


def codes(report: AccountReport) -> set[str]:
    return {d.code for d in report.diagnostics}


IN_ZONE = "location: {provider: aws, region: us-east-1, zone: use1-az6}\nstorage: []\n"


def run(instance_type: str, count: int, **more: Any) -> None:
    ec2 = client("ec2")
    image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    ec2.run_instances(ImageId=image, InstanceType=instance_type, MinCount=count, MaxCount=count, **more)


def test_a_fresh_account_is_read_whole(cloud: Cloud):
    plan = plan_of(IN_ZONE)
    facts = read(plan)
    assert (facts.account, facts.region, facts.as_of) == ("123456789012", REGION, NOW)
    assert facts.entry("offerings", "p5.48xlarge").zones
    assert facts.entry("quotas", "L-417A185B").limit == 384
    assert facts.entry("quotas", "L-F678F1CE").used == 1  # the default network
    assert facts.cost_tags == {"gpuinfra-cluster": False}
    assert set(facts.unknown) == {f"images/{plan.pools[0].node_image.selector}"} or not facts.unknown


def test_every_call_reads_and_is_among_the_permissions(cloud: Cloud):
    read(plan_of(IN_ZONE))
    assert cloud.asked
    assert all(op.startswith(("Get", "Describe", "List")) for op, _ in cloud.asked)
    actions = {p.partition(":")[2] for p in aws.PERMISSIONS}
    assert {op for op, _ in cloud.asked} - {"GetCallerIdentity"} <= actions


def test_machines_that_run_take_their_share_of_the_quota(cloud: Cloud):
    run("p4d.24xlarge", 2)
    run("m5.xlarge", 1)
    facts = read(plan_of(IN_ZONE))
    assert facts.entry("quotas", "L-417A185B").used == 2 * 96
    report = judged(plan_of(IN_ZONE), facts)
    (one,) = [d for d in report.diagnostics if d.code == "GI4001"]
    assert "allows 384 vCPU, 192 of them in use" in one.message
    assert "2 × 192 = 384 vCPU" in one.message
    assert "--quota-code L-417A185B --desired-value 576 --region us-east-1" in one.hint


def test_the_clusters_own_nodes_are_not_counted_against_it(cloud: Cloud):
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "gpuinfra-cluster", "Value": "acme"}]}]
    run("p5.48xlarge", 2, TagSpecifications=tags)
    facts = read(plan_of(IN_ZONE))
    assert facts.own_nodes == {"on_demand/p5.48xlarge": 2}
    assert "GI4001" not in codes(judged(plan_of(IN_ZONE), facts))


def test_what_is_reserved_counts_whether_it_runs_or_not(cloud: Cloud):
    held = {"InstanceType": "p5.48xlarge", "TotalInstanceCount": 1, "State": "active", "ReservationType": "default"}
    over = {**held, "State": "expired"}
    block = {**held, "ReservationType": "capacity-block"}
    cloud.handlers["DescribeCapacityReservations"] = lambda arguments: {"CapacityReservations": [held, over, block]}
    assert read(plan_of(IN_ZONE)).entry("quotas", "L-417A185B").used == 192


def test_a_quota_that_was_never_changed_has_its_default(cloud: Cloud):
    cloud.handlers["GetServiceQuota"] = quota({})
    cloud.handlers["GetAWSDefaultServiceQuota"] = quota({"L-417A185B": 0.0})
    facts = read(plan_of(IN_ZONE))
    assert facts.entry("quotas", "L-417A185B").limit == 0
    assert "GI4001" in codes(judged(plan_of(IN_ZONE), facts))


def test_spot_has_a_quota_of_its_own(cloud: Cloud):
    cloud.handlers["GetServiceQuota"] = quota(
        {"L-417A185B": 9000.0, "L-C4BD4855": 192.0, "L-F678F1CE": 5, "L-0263D0A3": 5}
    )
    plan = plan_of(IN_ZONE + "node_pools: [{capacity: {type: spot}}]")
    (one,) = [d for d in judged(plan, read(plan)).diagnostics if d.code == "GI4001"]
    assert "quota L-C4BD4855 of us-east-1 allows 192 vCPU" in one.message


@pytest.mark.parametrize("zone", ["use1-az1", "use1-az2", "use1-az3", "use1-az4", "use1-az5", "use1-az6"])
def test_zones_are_the_accounts_own(cloud: Cloud, zone: str):
    plan = plan_of(
        f"{{location: {{provider: aws, region: us-east-1, zone: {zone}}}, node_pools: [{{instance_type: p4d.24xlarge}}]}}"
    )
    facts = read(plan)
    offered = facts.entry("offerings", "p4d.24xlarge").zones
    assert ("GI4010" in codes(judged(plan, facts))) is (zone not in offered)


def reserved(**changes: Any) -> Handler:
    row = {
        "CapacityReservationId": "cr-0aaa1111bbbb2222c",
        "InstanceType": "p5.48xlarge",
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": "us-east-1f",
        "AvailabilityZoneId": "use1-az6",
        "Tenancy": "default",
        "TotalInstanceCount": 2,
        "AvailableInstanceCount": 2,
        "State": "active",
        "StartDate": datetime(2026, 11, 1, tzinfo=UTC),
        "InstanceMatchCriteria": "targeted",
        "ReservationType": "default",
        **changes,
    }
    return lambda arguments: {"CapacityReservations": [row]}


BLOCK = """\
node_pools:
- capacity: {type: capacity_block, id: cr-0aaa1111bbbb2222c, starts: "2026-12-01T11:30:00Z", ends: "2026-12-08T11:30:00Z"}
"""
RESERVED = IN_ZONE + "node_pools: [{capacity: {type: reservation, id: cr-0aaa1111bbbb2222c}}]\n"
TIMES = {"StartDate": datetime(2026, 12, 1, 11, 30, tzinfo=UTC), "EndDate": datetime(2026, 12, 8, 11, 30, tzinfo=UTC)}


@pytest.mark.parametrize(
    ("spec", "changes", "said"),
    [
        (RESERVED, {}, set()),
        (RESERVED, {"ReservationType": "capacity-block", **TIMES}, {"GI4022", "GI4023"}),
        (RESERVED, {"AvailabilityZoneId": "use1-az4"}, {"GI4021"}),
        (RESERVED, {"InstanceType": "p4d.24xlarge"}, {"GI4021"}),
        (RESERVED, {"InstancePlatform": "Windows"}, {"GI4021"}),
        (RESERVED, {"Tenancy": "dedicated"}, {"GI4021"}),
        (RESERVED, {"State": "cancelled"}, {"GI4023"}),
        (RESERVED, {"EndDate": datetime(2026, 11, 2, tzinfo=UTC)}, {"GI4023"}),
        (RESERVED, {"TotalInstanceCount": 1, "AvailableInstanceCount": 1}, {"GI4024"}),
        (RESERVED, {"AvailableInstanceCount": 1}, {"GI4024"}),
        (RESERVED, {"TotalInstanceCount": 4, "AvailableInstanceCount": 4}, {"GI4025"}),
        (RESERVED, {"PlacementGroupArn": "arn:aws:ec2:us-east-1:123456789012:placement-group/g"}, {"GI4026"}),
        (IN_ZONE + BLOCK, {"ReservationType": "capacity-block", "State": "scheduled", **TIMES}, set()),
        (IN_ZONE + BLOCK, {}, {"GI4022", "GI4023"}),
    ],
)
def test_reservations(cloud: Cloud, spec: str, changes: dict[str, Any], said: set[str]):
    cloud.handlers["DescribeCapacityReservations"] = reserved(**changes)
    plan = plan_of(spec)
    found = codes(judged(plan, read(plan)))
    assert {c for c in found if c.startswith("GI402")} == said


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ({"TotalUnavailableCapacity": 0, "InterconnectStatus": "ok"}, "passed"),
        ({"TotalUnavailableCapacity": 2}, "fault"),
        ({"TotalUnavailableCapacity": 0, "InterconnectStatus": "impaired"}, "fault"),
        (None, "unknown"),
    ],
)
def test_the_health_of_a_block(cloud: Cloud, status: dict[str, Any] | None, said: str):
    cloud.handlers["DescribeCapacityReservations"] = reserved(
        ReservationType="capacity-block", State="scheduled", CapacityBlockId="cb-0aaa1111bbbb2222c", **TIMES
    )
    if status is None:
        cloud.refuse("DescribeCapacityBlockStatus", "UnauthorizedOperation")
    else:
        row = {"CapacityBlockId": "cb-0aaa1111bbbb2222c", **status}
        cloud.handlers["DescribeCapacityBlockStatus"] = lambda arguments: {"CapacityBlockStatuses": [row]}
    plan = plan_of(IN_ZONE + BLOCK)
    report = judged(plan, read(plan))
    found = {"fault": report.diagnostics, "passed": report.passed, "unknown": report.unsure}
    assert [kind for kind, verdicts in found.items() if "GI4027" in {v.code for v in verdicts}] == [said]


def test_a_reservation_that_is_not_there(cloud: Cloud):
    cloud.refuse("DescribeCapacityReservations", "InvalidCapacityReservationId.NotFound")
    plan = plan_of(RESERVED)
    assert "GI4020" in codes(judged(plan, read(plan)))


def test_a_group_of_reservations_is_the_sum_of_its_members(cloud: Cloud):
    arn = "arn:aws:resource-groups:us-east-1:123456789012:group/held"
    member = "arn:aws:ec2:us-east-1:123456789012:capacity-reservation/cr-0aaa1111bbbb2222c"
    resource = {"Identifier": {"ResourceArn": member, "ResourceType": "AWS::EC2::CapacityReservation"}}
    cloud.handlers["ListGroupResources"] = lambda arguments: {"Resources": [resource]}
    cloud.handlers["DescribeCapacityReservations"] = reserved()
    plan = plan_of(IN_ZONE + f"node_pools: [{{capacity: {{type: reservation, id: '{arn}'}}}}]")
    facts = read(plan)
    assert facts.entry("reservations", arn).members[0].total == 2
    assert not {c for c in codes(judged(plan, facts)) if c.startswith("GI402")}


def network(cidr: str, route: str = "") -> tuple[str, str]:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    zone = next(z for z in ec2.describe_availability_zones()["AvailabilityZones"] if z["ZoneId"] == "use1-az6")
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZone=zone["ZoneName"])["Subnet"]["SubnetId"]
    table = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["RouteTables"][0]["RouteTableId"]
    if route == "own":
        table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
        ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)
    if route in ("internet", "own"):
        gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
        ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    if route == "nat":
        nat = ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private")["NatGateway"]["NatGatewayId"]
        ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=nat)
    return vpc, subnet


def existing(vpc: str, subnet: str, count: int = 2) -> ClusterPlan:
    return plan_of(
        IN_ZONE
        + f"network: {{existing: {{network: {vpc}, subnet: {subnet}}}}}\n"
        + f"node_pools: [{{instance_type: p4d.24xlarge, count: {count}}}]\n"
    )


@pytest.mark.parametrize(
    ("route", "way"), [("", "none"), ("internet", "internet"), ("own", "internet"), ("nat", "nat")]
)
def test_where_a_subnet_leads(cloud: Cloud, route: str, way: str):
    vpc, subnet = network("10.0.0.0/24", route)
    plan = existing(vpc, subnet)
    facts = read(plan)
    found = facts.entry("subnets", subnet)
    assert (found.network, found.zone, found.cidr, found.way_out) == (vpc, "use1-az6", "10.0.0.0/24", way)
    severities = {str(d.severity) for d in judged(plan, facts).diagnostics if d.code == "GI4032"}
    assert severities == {"none": {"warning"}, "internet": {"error"}, "nat": set()}[way]


def test_addresses_that_are_left(cloud: Cloud):
    vpc, subnet = network("10.0.0.0/28", "nat")
    few = existing(vpc, subnet, 1)
    free = read(few).entry("subnets", subnet).free_addresses
    assert free is not None
    assert free < 12
    assert "GI4031" not in codes(judged(few, read(few)))
    many = existing(vpc, subnet, 12)
    assert "GI4031" in codes(judged(many, read(many)))


def test_a_network_without_names(cloud: Cloud):
    vpc, subnet = network("10.0.0.0/24", "nat")
    plan = existing(vpc, subnet)
    assert "GI4033" in codes(judged(plan, read(plan)))  # hostnames are off by default
    client("ec2").modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    assert "GI4033" not in codes(judged(plan, read(plan)))


def test_a_network_that_is_not_there(cloud: Cloud):
    plan = existing("vpc-0aaa1111bbbb2222c", "subnet-0aaa1111bbbb2222c")
    facts = read(plan)
    assert facts.networks == {"vpc-0aaa1111bbbb2222c": None}
    assert [d.path for d in judged(plan, facts).diagnostics if d.code == "GI4030"] == [
        "network.existing.network",
        "network.existing.subnet",
    ]


def test_images_by_id_and_by_parameter(cloud: Cloud):
    ec2 = client("ec2")
    known = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    client("ssm").put_parameter(Name="/acme/image", Value=known, Type="String")
    for named, there in ((known, True), ("/acme/image", True), ("ami-0a1b2c3d4e5f60718", False), ("/acme/none", False)):
        plan = plan_of(IN_ZONE + f"image: {{node: {named}}}")
        facts = read(plan)
        assert (facts.entry("images", plan.pools[0].node_image.selector) is not None) is there
        assert ("GI4040" in codes(judged(plan, facts))) is not there


def test_storage_that_is_there(cloud: Cloud):
    client("s3", "us-east-1").create_bucket(Bucket="acme-near")
    far = client("s3", "eu-west-1")
    far.create_bucket(Bucket="acme-far", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    said: dict[str, set[str]] = {}
    for name in ("acme-near", "acme-far", "acme-none"):
        plan = plan_of(IN_ZONE.replace("[]", f"[{{name: d, kind: bucket, existing: 's3://{name}/x', mount: /d}}]"))
        said[name] = {str(d.severity) for d in judged(plan, read(plan)).diagnostics if d.code == "GI4060"}
    assert said == {"acme-near": set(), "acme-far": {"warning"}, "acme-none": {"error"}}


def test_file_systems_stand_in_the_nodes_network(cloud: Cloud):
    vpc, subnet = network("10.0.0.0/24", "nat")
    fsx = client("fsx")
    made = fsx.create_file_system(FileSystemType="LUSTRE", StorageCapacity=1200, SubnetIds=[subnet])["FileSystem"]
    store = f"[{{name: s, kind: lustre, existing: {made['FileSystemId']}, mount: /s}}]"
    net = f"network: {{existing: {{network: {vpc}, subnet: {subnet}}}}}"
    inside = plan_of(IN_ZONE.replace("[]", store) + net)
    found = read(inside).entry("file_systems", made["FileSystemId"])
    assert found.zones == ("use1-az6",)
    missing = plan_of(IN_ZONE.replace("[]", store.replace(made["FileSystemId"], "fs-0aaa1111bbbb2222c")) + net)
    assert "GI4060" in codes(judged(missing, read(missing)))


def test_an_nfs_file_system_is_found_with_its_zones(cloud: Cloud):
    vpc, subnet = network("10.0.0.0/24", "nat")
    efs = client("efs")
    made = efs.create_file_system(CreationToken="x")["FileSystemId"]
    efs.create_mount_target(FileSystemId=made, SubnetId=subnet)
    plan = plan_of(
        IN_ZONE.replace("[]", f"[{{name: h, kind: nfs, existing: {made}, mount: /h}}]")
        + f"network: {{existing: {{network: {vpc}, subnet: {subnet}}}}}"
    )
    found = read(plan).entry("file_systems", made)
    assert (found.network, found.zones) == (vpc, ("use1-az6",))


@pytest.mark.parametrize(("strategy", "fault"), [("cluster", False), ("spread", True)])
def test_a_group_of_the_users_own(cloud: Cloud, strategy: str, fault: bool):
    row = {"GroupName": "dense", "Strategy": strategy, "State": "available"}
    cloud.handlers["DescribePlacementGroups"] = lambda arguments: {"PlacementGroups": [row]}
    plan = plan_of(IN_ZONE + "node_pools: [{proximity: dense}]")
    assert ("GI4062" in codes(judged(plan, read(plan)))) is fault


def test_an_active_tag(cloud: Cloud):
    row = {"TagKey": "gpuinfra-cluster", "Type": "UserDefined", "Status": "Active"}
    cloud.handlers["ListCostAllocationTags"] = lambda arguments: {"CostAllocationTags": [row]}
    plan = plan_of(IN_ZONE)
    assert "GI4051" not in codes(judged(plan, read(plan)))


DENIABLE = {
    "DescribeInstanceTypeOfferings": "GI4010",
    "GetServiceQuota": "GI4001",
    "DescribeCapacityReservations": "GI4021",
    "ListCostAllocationTags": "GI4051",
    "DescribeSubnets": "GI4031",
    "DescribeVpcs": "GI4030",
}


@pytest.mark.parametrize("operation", DENIABLE)
def test_a_denied_call_leaves_its_part_unknown_and_the_others_go_on(cloud: Cloud, operation: str):
    vpc, subnet = network("10.0.0.0/24", "nat")
    cloud.handlers["DescribeCapacityReservations"] = reserved()
    cloud.refuse(operation, "UnauthorizedOperation")
    plan = plan_of(RESERVED + f"network: {{existing: {{network: {vpc}, subnet: {subnet}}}}}")
    if operation == "GetServiceQuota":
        plan = existing(vpc, subnet)
    facts = read(plan)
    report = judged(plan, facts)
    (reason,) = {u.reason for u in report.unsure if u.code == DENIABLE[operation]}
    assert reason.startswith("permission denied: ")
    assert operation in reason
    assert DENIABLE[operation] not in codes(report) | {p.code for p in report.passed} or operation == "DescribeVpcs"
    assert report.passed
    assert "assumed-role" not in str(facts) + str(report)


def test_without_knowledge_of_what_runs_the_limit_alone_counts(cloud: Cloud):
    cloud.refuse("DescribeInstances", "UnauthorizedOperation")
    facts = read(plan_of(IN_ZONE))
    assert facts.entry("quotas", "L-417A185B").used is None
    assert facts.own_nodes is None


@pytest.mark.parametrize("operation", ["DescribeInstances", "DescribeCapacityReservations", "DescribeAddresses"])
def test_an_odd_failure_is_no_fault_of_the_tool(cloud: Cloud, operation: str):
    def handler(arguments: Mapping[str, Any]) -> Any:
        raise ValueError("no XML")

    cloud.handlers[operation] = handler
    facts = read(plan_of(IN_ZONE))
    assert facts.entry("quotas", "L-417A185B").used is None
    assert facts.entry("offerings", "p5.48xlarge").zones


@pytest.mark.parametrize("code", ["ExpiredToken", "InvalidClientTokenId"])
def test_bad_credentials_are_one_line(cloud: Cloud, code: str):
    cloud.refuse("GetCallerIdentity", code)
    with pytest.raises(ReadingError, match=f"credentials are refused .{code}.: sign in again"):
        read(plan_of(IN_ZONE))


def test_credentials_that_expire_on_the_way_end_the_reading(cloud: Cloud):
    cloud.refuse("DescribeInstanceTypeOfferings", "RequestExpired")
    with pytest.raises(ReadingError, match="sign in again"):
        read(plan_of(IN_ZONE))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (NoCredentialsError(), "no AWS credentials are found"),
        (EndpointConnectionError(endpoint_url="https://sts.us-east-1.amazonaws.com/"), "AWS cannot be asked"),
    ],
)
def test_no_credentials_and_no_network_are_one_line(cloud: Cloud, error: Exception, said: str):
    def handler(arguments: Mapping[str, Any]) -> Any:
        raise error

    cloud.handlers["GetCallerIdentity"] = handler
    with pytest.raises(ReadingError, match=said):
        read(plan_of(IN_ZONE))


def test_a_service_that_cannot_be_reached_leaves_its_part_unknown(cloud: Cloud):
    def handler(arguments: Mapping[str, Any]) -> Any:
        raise EndpointConnectionError(endpoint_url="https://ce.us-east-1.amazonaws.com/")

    cloud.handlers["ListCostAllocationTags"] = handler
    assert "cannot be reached" in read(plan_of(IN_ZONE)).unknown["cost_tags"]


def test_an_answer_of_another_form_is_unknown(cloud: Cloud):
    cloud.handlers["GetServiceQuota"] = lambda arguments: {}
    facts = read(plan_of(IN_ZONE))
    assert "another form than expected (KeyError" in facts.unknown["quotas/L-417A185B"]


def test_every_call_has_a_time_limit(cloud: Cloud):
    from gpuinfra.preflight.aws_calls import AwsCalls

    config = AwsCalls.of(REGION, boto3.Session(region_name=REGION))._client("ec2").meta.config
    assert (config.connect_timeout, config.read_timeout) == (5, 20)
    assert config.retries["mode"] == "standard"
