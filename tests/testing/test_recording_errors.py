"""What recording refuses, and how a program's own errors come out."""

import asyncio
import gc
import re
import traceback

import pulumi
import pulumi_aws as aws
import pytest

from gpuinfra.policy.resource_graph import UNKNOWN
from gpuinfra.testing import RecordingError, record


def test_duplicate_urns_are_all_named_with_their_places():
    """cases/pulumi.md P4: two components with children of a fixed name."""

    def program():
        aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
        aws.ec2.Vpc("net", cidr_block="10.1.0.0/16")
        aws.ec2.Subnet("sub", vpc_id="v")
        aws.ec2.Subnet("sub", vpc_id="w")

    with pytest.raises(RecordingError) as caught:
        record(program)
    assert len(caught.value.faults) == 2
    sub, net = caught.value.faults
    assert "urn:pulumi:dev::project::aws:ec2/subnet:Subnet::sub" in sub
    places = re.findall(r"'net' at (\S+test_recording_errors\.py):(\d+)", net)
    assert len(places) == 2
    assert int(places[0][1]) + 1 == int(places[1][1])


def test_the_same_name_under_two_parents_is_no_duplicate():
    class Team(pulumi.ComponentResource):
        def __init__(self, name):
            super().__init__("test:index:Team", name)
            # A fixed child name: one URN under this type path, whatever the component is called.
            aws.ec2.Vpc("net", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(parent=self))

    assert record(lambda: Team("a")).named("net")
    with pytest.raises(RecordingError, match="two resources have the URN"):
        record(lambda: [Team("a"), Team("b")])


def test_none_made_of_an_output_is_refused():
    def program():
        vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
        found = aws.ec2.get_subnet_output(id=vpc.id)
        aws.ec2.Instance("i", instance_type="t3.micro", tags={"zone": found.availability_zone.apply(str)})

    def empty(token, args):
        return {}

    with pytest.raises(RecordingError, match=r"'i' .*tags: the text \"None\" was made of an output"):
        record(program, invoke=empty)
    assert record(program, invoke=empty, strict=False).named("i").get("tags", "zone") == "None"
    assert record(program).named("i").get("tags", "zone")


def test_none_from_the_outputs_callback_is_unknown():
    def program():
        lt = aws.ec2.LaunchTemplate("lt", image_id="ami-1")
        aws.autoscaling.Group("g", min_size=0, max_size=1, launch_template={"version": lt.latest_version.apply(str)})

    graph = record(program, outputs=lambda t, n, i: {"latestVersion": None})
    assert graph.named("g").get("launchTemplate", "version") is UNKNOWN


def test_none_as_a_word_of_the_cloud_is_kept():
    def program():
        vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
        pulumi.CustomResource("other:index:Account", "acl", {"rules": {"bypass": "None", "subnet": vpc.id}})
        aws.ssm.Parameter("p", type="String", value="None", opts=pulumi.ResourceOptions(depends_on=[vpc]))

    assert record(program).named("acl").get("rules", "bypass") == "None"


@pytest.mark.parametrize(
    "make",
    [
        lambda vpc: aws.ec2.Subnet("s", vpc_id=f"{vpc.id}"),
        lambda vpc: aws.ec2.Subnet("s", vpc_id="v", tags={"of": str([vpc.id])}),
        lambda vpc: aws.ec2.Subnet(f"s-{vpc.id}", vpc_id="v"),
        lambda vpc: pulumi.export("url", f"http://{vpc.id}"),
    ],
)
def test_the_text_of_an_output_is_refused(make):
    with pytest.raises(RecordingError, match=r"text of an Output"):
        record(lambda: make(aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")))


def test_numbers_that_json_lacks_are_refused():
    with pytest.raises(RecordingError, match=r"'t' .*a: nan is a number that JSON does not have"):
        record(lambda: pulumi.CustomResource("other:index:Thing", "t", {"a": float("nan")}))


class OwnError(Exception):
    pass


def _raises():
    raise OwnError("mine")


async def _raises_later():
    aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
    await asyncio.sleep(0)
    raise OwnError("mine")


def _raises_after_resources():
    vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
    for i in range(20):
        aws.ec2.Subnet(f"s{i}", vpc_id=vpc.id)
    raise OwnError("mine")


def _raises_in_apply():
    vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")

    def fail(_):
        raise OwnError("mine")

    for i in range(20):
        aws.ec2.Subnet(f"s{i}", vpc_id=vpc.id.apply(fail))


@pytest.mark.parametrize("program", [_raises, _raises_later, _raises_after_resources, _raises_in_apply])
def test_the_programs_own_error_comes_out_as_itself_and_alone(program, capfd, caplog):
    with pytest.raises(OwnError, match=r"^mine$") as caught:
        record(program)
    assert any(frame.filename == __file__ for frame in traceback.extract_tb(caught.value.__traceback__))
    del caught
    gc.collect()
    assert "never retrieved" not in caplog.text
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_a_value_that_pulumi_cannot_send_is_its_own_error():
    with pytest.raises(ValueError, match=r"(?s)'s'.*unexpected input of type set"):
        record(lambda: aws.ec2.Subnet("s", vpc_id={"a"}))


def test_an_error_of_a_callback_comes_out_as_itself():
    def outputs(type_, name, inputs):
        raise OwnError("callback")

    with pytest.raises(OwnError, match="callback"):
        record(lambda: aws.ec2.Vpc("net", cidr_block="10.0.0.0/16"), outputs=outputs)


def test_exit_of_the_program_comes_out():
    with pytest.raises(SystemExit):
        record(lambda: exit(3))
    assert record(lambda: None).resources == ()


def test_an_output_that_nothing_resolves_ends_in_an_error():
    def program():
        aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
        aws.ec2.Subnet("s", vpc_id=asyncio.get_running_loop().create_future())

    with pytest.raises(RecordingError, match=r"did not end within 0\.2 s.*1 resources were registered"):
        record(program, timeout_s=0.2)


def test_a_recording_inside_a_recording_is_refused():
    with pytest.raises(RecordingError, match="one by one"):
        record(lambda: record(lambda: None))


def test_an_sdk_that_is_too_old_is_refused_with_the_version_to_install(monkeypatch):
    from gpuinfra.testing import session

    monkeypatch.setattr(session, "can_record", lambda: False)
    with pytest.raises(RecordingError, match=r"recording needs pulumi 3\.260\.0 or newer: pip install"):
        record(lambda: None)
