"""What a program reads: data sources, other stacks, resources that exist already."""

import json

import pulumi
import pulumi_aws as aws
import pytest

from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, Secret
from gpuinfra.testing import record


def read(program, **options):
    return record(lambda: pulumi.export("x", program()), **options).outputs.get("x")


@pytest.mark.parametrize("preview", [True, False])
def test_a_parameter_answers_a_text_that_names_it(preview):
    name = "/aws/service/eks/optimized-ami/1.33/image_id"
    assert read(lambda: aws.ssm.get_parameter(name=name).value, preview=preview) == f"${{ssm:{name}}}"
    assert read(lambda: aws.ssm.get_parameter_output(name=name).value, preview=preview) == f"${{ssm:{name}}}"


@pytest.mark.parametrize("preview", [True, False])
def test_identity_region_and_partition_are_answered(preview):
    def program():
        return {
            "account": aws.get_caller_identity().account_id,
            "region": aws.get_region().region,
            "other": aws.get_region(region="eu-west-1").name,
            "partition": aws.get_partition().partition,
            "suffix": aws.get_partition_output().dns_suffix,
        }

    config = {"aws:region": "cn-north-1"}
    assert read(program, preview=preview, config=config) == {
        "account": "123456789012",
        "region": "cn-north-1",
        "other": "eu-west-1",
        "partition": "aws-cn",
        "suffix": "amazonaws.com.cn",
    }


def test_a_region_that_nobody_gave_is_a_token_and_unknown_in_preview():
    ref = OutputRef("aws:index/getRegion:getRegion", "region")
    assert read(lambda: aws.get_region().region) == ref
    assert read(lambda: aws.get_region().region, preview=True) is UNKNOWN
    assert read(lambda: f"https://s3.{aws.get_region().region}.example", preview=True) is UNKNOWN


def test_zones_can_be_taken_by_index():
    zones = read(lambda: aws.get_availability_zones(state="available").names[:2])
    assert zones == [
        OutputRef("aws:index/getAvailabilityZones:getAvailabilityZones", "names[0]"),
        OutputRef("aws:index/getAvailabilityZones:getAvailabilityZones", "names[1]"),
    ]


@pytest.mark.parametrize("lookup", [aws.ec2.get_ami, aws.ec2.get_ami_output])
def test_typed_lookups_answer_tokens_and_echo_their_arguments(lookup):
    def program():
        image = lookup(most_recent=True, owners=["amazon"], name_regex="Deep Learning")
        return [image.id, image.name_regex]

    assert read(program) == [OutputRef("aws:ec2/getAmi:getAmi", "id"), "Deep Learning"]
    assert read(program, preview=True) == [UNKNOWN, "Deep Learning"]


def test_the_invoke_callback_answers_first_and_is_recorded():
    asked = []

    def invoke(token, args):
        asked.append((token, args))
        return {"id": "ami-9", "architecture": "arm64"} if "getAmi" in token else None

    def program():
        vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
        aws.ec2.get_subnet_output(vpc_id=vpc.id)
        return aws.ec2.get_ami(most_recent=True, owners=["amazon"]).architecture

    graph = record(lambda: pulumi.export("x", program()), invoke=invoke)
    assert graph.outputs == {"x": "arm64"}
    assert ("aws:ec2/getSubnet:getSubnet", {"vpcId": "${net.id}"}) in asked
    assert [token for token, _ in graph.invokes] == ["aws:ec2/getAmi:getAmi", "aws:ec2/getSubnet:getSubnet"]
    assert graph.invokes[0][1] == {"mostRecent": True, "owners": ["amazon"]}
    assert graph.invokes[1][1] == {"vpcId": OutputRef("net", "id")}


def test_untyped_calls_are_unknown_in_preview_and_marked_in_an_update():
    def program():
        return pulumi.runtime.invoke_output("other:index:look", {"a": 1})

    assert read(program, preview=True) is UNKNOWN
    assert read(program) == {"$unanswered": "other:index:look"}


def test_a_lookup_of_something_unknown_is_unknown_and_does_not_ask():
    def program():
        vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
        return aws.ec2.get_subnet_output(vpc_id=vpc.id).availability_zone

    graph = record(lambda: pulumi.export("x", program()), preview=True)
    assert graph.outputs == {"x": UNKNOWN}
    assert graph.invokes == ()


def test_a_policy_document_is_written_out():
    def program():
        bucket = aws.s3.Bucket("data")
        document = aws.iam.get_policy_document_output(
            statements=[
                {
                    "effect": "Deny",
                    "actions": ["s3:GetObject", "s3:PutObject"],
                    "resources": [bucket.arn.apply(lambda a: f"{a}/*")],
                    "principals": [{"type": "Service", "identifiers": ["ec2.amazonaws.com"]}],
                    "conditions": [{"test": "Bool", "variable": "aws:SecureTransport", "values": ["false"]}],
                }
            ]
        )
        return document.json

    assert json.loads(read(program)) == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Deny",
                "Action": ["s3:GetObject", "s3:PutObject"],
                "Resource": "${data.arn}/*",
                "Principal": {"Service": "ec2.amazonaws.com"},
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            }
        ],
    }


STACKS = {"acme/net/prod": {"vpcId": "vpc-1", "subnets": ["a", "b"], "size": 3, "key": Secret("k-123456")}}


def stack_outputs():
    ref = pulumi.StackReference("acme/net/prod")
    return {
        "vpc": ref.get_output("vpcId"),
        "lifted": ref.outputs["subnets"][1],
        "size": ref.require_output("size"),
        "key": ref.get_output("key"),
        "missing": ref.get_output("clusterName"),
        "required": ref.require_output("endpoint"),
        "text": ref.get_output("endpoint").apply(lambda e: f"https://{e}"),
    }


def test_stack_references_answer_what_is_given_and_tokens_for_the_rest():
    graph = record(lambda: pulumi.export("x", stack_outputs()), stack_references=STACKS)
    assert graph.outputs["x"] == {
        "vpc": "vpc-1",
        # The SDK's own way: the outputs as a whole are secret when one of them is.
        "lifted": Secret("b"),
        "size": 3,
        "key": Secret("k-123456"),
        "missing": OutputRef("acme/net/prod", "clusterName"),
        "required": OutputRef("acme/net/prod", "endpoint"),
        "text": "https://${acme/net/prod.endpoint}",
    }
    assert graph.resources == ()
    assert [r.type for r in graph.reads] == ["pulumi:pulumi:StackReference"]


def test_stack_references_in_preview_know_what_is_given_and_nothing_else():
    found = read(stack_outputs, stack_references=STACKS, preview=True)
    assert (found["vpc"], found["lifted"], found["size"]) == ("vpc-1", Secret("b"), 3)
    assert (found["missing"], found["required"], found["text"]) == (UNKNOWN, UNKNOWN, UNKNOWN)
    assert record(lambda: pulumi.export("x", stack_outputs()["missing"])).outputs["x"] == OutputRef(
        "acme/net/prod", "clusterName"
    )


def test_a_program_may_take_an_unknown_stack_output_for_what_it_is():
    """In preview no function sees it: a text in its place would be looped over by the letter, and cut."""

    def program():
        ref = pulumi.StackReference("acme/net/prod")
        first = pulumi.Output.all(ref.require_output("subnets"), "x").apply(lambda a: [{"subnet": s} for s in a[0]])
        cut = ref.get_output("link").apply(lambda link: link.split("/")[-1])
        whole = ref.outputs.apply(lambda o: [s["id"] for s in o["nets"]])
        pulumi.export("x", {"first": first, "cut": cut, "whole": whole, "lifted": ref.outputs["nets"][0]})

    assert record(program, preview=True).outputs["x"] == dict.fromkeys(("first", "cut", "whole", "lifted"), UNKNOWN)


def test_stack_reference_details_and_type_stay_the_sdks():
    async def program():
        ref = pulumi.StackReference("network", stack_name="acme/net/prod")
        assert isinstance(ref, pulumi.StackReference)
        details = await ref.get_output_details("vpcId")
        pulumi.export("value", details.value)
        pulumi.export("missing", ref.get_output("zz"))

    graph = record(program, stack_references=STACKS)
    assert graph.outputs == {"value": "vpc-1", "missing": OutputRef("network", "zz")}


def test_resources_that_exist_are_read_and_not_managed():
    def program():
        vpc = aws.ec2.Vpc.get("shared", "vpc-77")
        aws.ec2.Subnet("sub", vpc_id=vpc.id, cidr_block=vpc.cidr_block)

    graph = record(program)
    assert [r.name for r in graph.resources] == ["sub"]
    sub = graph.named("sub")
    assert sub.get("vpcId") == "vpc-77"
    assert sub.get("cidrBlock") == OutputRef("shared", "cidrBlock")
    assert sub.dependencies == (graph.reads[0].urn,)

    preview = record(program, preview=True)
    assert preview.named("sub").get("vpcId") == "vpc-77"
    assert preview.named("sub").get("cidrBlock") is UNKNOWN

    given = record(
        program, preview=True, outputs=lambda t, n, i: {"cidrBlock": "10.7.0.0/16"} if n == "shared" else None
    )
    assert given.named("sub").get("cidrBlock") == "10.7.0.0/16"


def test_a_program_may_take_the_second_zone_of_a_google_region():
    import pulumi_gcp as gcp

    found = read(lambda: {"zone": gcp.compute.get_zones(region="us-central1").names[1]}, preview=True)
    assert found == {"zone": UNKNOWN}
