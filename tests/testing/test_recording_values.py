"""What values of inputs and outputs read in the graph."""

import json

import pulumi
import pulumi_aws as aws
import pytest

from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, Secret, as_json
from gpuinfra.testing import record


class Site(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("test:index:Site", name, None, opts)
        self.vpc = aws.ec2.Vpc(f"{name}-vpc", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(parent=self))
        self.subnet = aws.ec2.Subnet(
            f"{name}-subnet",
            vpc_id=self.vpc.id,
            cidr_block="10.0.1.0/24",
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({"subnet": self.subnet.id})


def template():
    vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
    lt = aws.ec2.LaunchTemplate(
        "lt",
        image_id="ami-1",
        user_data=vpc.id.apply(lambda i: f"join {i} now"),
        network_interfaces=[
            aws.ec2.LaunchTemplateNetworkInterfaceArgs(device_index=0, subnet_id=vpc.main_route_table_id)
        ],
        tags={
            "concat": pulumi.Output.concat("a-", vpc.arn, "-z"),
            "format": pulumi.Output.format("{0}/{1}", vpc.id, 3),
            "all": pulumi.Output.all(vpc.id, vpc.arn).apply(lambda both: "+".join(both)),
            "json": pulumi.Output.json_dumps({"vpc": vpc.id, "n": 1}),
            "shell": "${HOME} and ${net.id}",
        },
    )
    aws.autoscaling.Group(
        "group", min_size=0, max_size=4, launch_template={"id": lt.id, "version": lt.latest_version.apply(str)}
    )
    pulumi.export("arn", lt.arn)


def test_update_reads_whole_tokens_as_references_and_keeps_composed_texts():
    graph = record(template)
    lt = graph.named("lt")
    assert lt.get("userData") == "join ${net.id} now"
    assert lt.get("networkInterfaces", 0, "subnetId") == OutputRef("net", "mainRouteTableId")
    assert lt.get("networkInterfaces", 0, "deviceIndex") == 0
    tags = lt.get("tags")
    assert tags["concat"] == "a-${net.arn}-z"
    assert tags["format"] == "${net.id}/3"
    assert tags["all"] == "${net.id}+${net.arn}"
    assert json.loads(tags["json"]) == {"vpc": "${net.id}", "n": 1}
    assert graph.named("group").get("launchTemplate") == {
        "id": OutputRef("lt", "id"),
        "version": OutputRef("lt", "latestVersion"),
    }
    assert graph.outputs == {"arn": OutputRef("lt", "arn")}


def test_preview_keeps_computed_values_unknown_and_known_ones_known():
    graph = record(template, preview=True)
    lt = graph.named("lt")
    assert lt.get("imageId") == "ami-1"
    assert lt.get("userData") is UNKNOWN
    assert lt.get("networkInterfaces", 0, "subnetId") is UNKNOWN
    assert lt.get("networkInterfaces", 0, "deviceIndex") == 0
    # One unknown tag leaves the others known.
    assert {k for k, v in lt.get("tags").items() if v is UNKNOWN} == {"concat", "format", "all", "json"}
    assert graph.outputs == {"arn": UNKNOWN}


def test_a_text_that_only_looks_like_a_token_stays_a_text():
    def program():
        aws.ssm.Parameter("p", type="String", value="${other.id}")

    assert record(program).named("p").get("value") == "${other.id}"


def test_outputs_callback_gives_values_and_ids():
    asked = []

    def outputs(type_, name, inputs):
        asked.append((type_, name, inputs))
        return {"id": "vpc-1", "mainRouteTableId": "rtb-1"} if name == "net" else {"latestVersion": 7}

    graph = record(template, outputs=outputs)
    assert graph.named("lt").get("networkInterfaces", 0, "subnetId") == "rtb-1"
    assert graph.named("lt").get("tags", "concat") == "a-${net.arn}-z"
    assert graph.named("group").get("launchTemplate", "version") == "7"
    lt_inputs = next(inputs for _, name, inputs in asked if name == "lt")
    assert lt_inputs["userData"] == "join vpc-1 now"
    assert ("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"}) in asked


def test_outputs_callback_can_say_unknown_and_secret():
    def program():
        vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
        aws.ec2.Vpc("p", ipv4_ipam_pool_id=vpc.arn)
        aws.ec2.Vpc("q", ipv4_ipam_pool_id=vpc.main_route_table_id)

    graph = record(
        program, outputs=lambda t, n, i: n == "net" and {"arn": UNKNOWN, "mainRouteTableId": Secret("rtb-secret")}
    )
    assert graph.named("p").inputs["ipv4IpamPoolId"] is UNKNOWN
    assert graph.named("q").inputs["ipv4IpamPoolId"] == Secret("rtb-secret")


@pytest.mark.parametrize("preview", [True, False])
def test_whole_numbers_are_ints_and_fractions_stay(preview):
    def program():
        aws.ec2.SpotInstanceRequest("s", ami="ami-1", instance_type="t3.micro", ebs_optimized=True)
        aws.cloudwatch.MetricAlarm(
            "m", comparison_operator="LessThanThreshold", evaluation_periods=2, threshold=0.5, period=60
        )

    graph = record(program, preview=preview)
    alarm = graph.named("m").inputs
    assert (type(alarm["evaluationPeriods"]), alarm["evaluationPeriods"]) == (int, 2)
    assert alarm["threshold"] == 0.5
    assert graph.named("s").inputs["ebsOptimized"] is True


@pytest.mark.parametrize("preview", [True, False])
def test_secrets_are_marked_through_apply_and_config_and_never_shown(preview):
    def program():
        password = pulumi.Config().require_secret("password")
        key = aws.ssm.Parameter("key", type="SecureString", value=password)
        aws.ssm.Parameter("uri", type="String", value=password.apply(lambda p: f"db://{p}@host"))
        aws.ec2.Vpc("net", cidr_block="10.0.0.0/16", tags={"open": "yes", "closed": pulumi.Output.secret("hush")})
        aws.ssm.Parameter("again", type="String", value=key.value)

    graph = record(program, preview=preview, config={"password": "hunter2hunter2"}, secret_keys=["password"])
    assert graph.named("key").inputs["value"] == Secret("hunter2hunter2")
    assert graph.named("uri").get("value") == "db://hunter2hunter2@host"
    assert isinstance(graph.named("again").inputs["value"], Secret)
    assert graph.named("net").inputs["tags"] == {"open": "yes", "closed": Secret("hush")}
    text = json.dumps(graph.to_json()) + repr(graph)
    assert "hunter2" not in text
    assert "hush" not in text
    assert as_json(graph.named("key").inputs["value"]) == {"$secret": True}


def test_outputs_that_the_class_calls_secret_are_secret():
    def program():
        key = aws.iam.AccessKey("key", user="u")
        aws.ssm.Parameter("p", type="SecureString", value=key.secret)

    assert record(program).named("p").inputs["value"] == Secret(OutputRef("key", "secret"))


def test_lists_and_objects_of_outputs_have_tokens_in_them():
    def program():
        cert = aws.acm.Certificate("cert", domain_name="example.com", validation_method="DNS")
        record_ = cert.domain_validation_options[0]
        aws.route53.Record("r", name=record_.resource_record_name, type="CNAME", zone_id="Z1", ttl=60)
        fs = aws.fsx.LustreFileSystem("fs", subnet_ids="subnet-1", storage_capacity=1200)
        aws.ssm.Parameter("eni", type="String", value=fs.network_interface_ids[0])

    graph = record(program)
    assert graph.named("r").get("name") == OutputRef("cert", "domainValidationOptions[0].resourceRecordName")
    assert graph.named("eni").get("value") == OutputRef("fs", "networkInterfaceIds[0]")


def test_what_cannot_be_made_up_is_unknown_in_an_update_too():
    def program():
        vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
        aws.ec2.Subnet("s", vpc_id=vpc.id, cidr_block="10.0.0.0/24", tags=vpc.tags_all)
        raw = pulumi.CustomResource("other:index:Thing", "thing", {"a": 1, "b": None})
        aws.ssm.Parameter("p", type="String", value=raw.id)

    graph = record(program)
    assert graph.named("s").get("tags") is UNKNOWN
    assert graph.named("p").get("value") == OutputRef("thing", "id")


def test_an_unknown_input_comes_back_as_a_token_and_never_as_none():
    def program():
        vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
        unknown = vpc.tags_all.apply(lambda t: t["x"])
        first = aws.ssm.Parameter("first", type="String", value=unknown)
        aws.ssm.Parameter("second", type="String", value=first.value.apply(lambda v: f"<{v}>"))

    graph = record(program)
    assert graph.named("first").get("value") is UNKNOWN
    assert graph.named("second").get("value") == "<${first.value}>"


def test_components_parent_their_children_and_stand_in_their_urns():
    graph = record(lambda: Site("west"))
    site, subnet = graph.named("west"), graph.named("west-subnet")
    assert (site.custom, site.parent) == (False, "")
    assert subnet.parent == site.urn == "urn:pulumi:dev::project::test:index:Site::west"
    assert subnet.urn == "urn:pulumi:dev::project::test:index:Site$aws:ec2/subnet:Subnet::west-subnet"
    assert graph.referenced(subnet, "vpcId") == (graph.named("west-vpc"),)
    assert graph.tree() == {
        "": (site,),
        site.urn: (graph.named("west-subnet"), graph.named("west-vpc")),
    }


def test_a_resource_given_as_a_value_is_a_reference():
    def program():
        vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
        pulumi.CustomResource("other:index:Thing", "thing", {"vpc": vpc})

    for preview in (True, False):
        assert record(program, preview=preview).named("thing").get("vpc") == OutputRef("net", "id")


def test_assets_are_kept_apart_from_mappings():
    def program():
        aws.s3.BucketObject("o", bucket="b", source=pulumi.StringAsset("hello"))

    assert record(program).named("o").inputs["source"] == {"$asset": {"text": "hello"}}


def test_json_is_the_same_for_every_run_and_sorted_by_urn():
    def program():
        for name in ("c", "a", "b"):
            Site(name)

    first, second = record(program).to_json(), record(program).to_json()
    assert json.dumps(first) == json.dumps(second)
    assert [r["urn"] for r in first] == sorted(r["urn"] for r in first)
    assert list(first[0]) == [
        "urn", "type", "name", "parent", "inputs", "options", "dependencies", "propertyDependencies",
    ]  # fmt: skip


def test_logs_and_stack_outputs_are_kept():
    def program():
        pulumi.log.warn("careful")
        pulumi.log.debug("noise")
        pulumi.export("n", 3)
        pulumi.export("nested", {"b": [1, 2.5], "a": None})

    graph = record(program)
    assert graph.logs == (("warning", "careful"),)
    assert graph.outputs == {"n": 3, "nested": {"a": None, "b": [1, 2.5]}}


def test_a_spot_in_p9_stays_unknown_among_known_tags():
    """cases/pulumi.md P9: one unknown tag must not hide the known ones from a rule, nor become one."""

    def program():
        vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
        aws.ec2.Instance("i", ami="ami-1", instance_type="g6.xlarge", tags={"net": vpc.id, "team": "nlp"})

    tags = record(program, preview=True).named("i").get("tags")
    assert tags["net"] is UNKNOWN
    assert tags["team"] == "nlp"
