from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.providers.aws.scale_to_zero import handler


class Client:
    def __init__(self, *broken: str) -> None:
        self.calls: list[dict[str, Any]] = []
        self._broken = broken

    def update_auto_scaling_group(self, **request: Any) -> None:
        self.calls.append(request)
        if request["AutoScalingGroupName"] in self._broken:
            raise RuntimeError("throttled")


def test_every_group_goes_to_zero() -> None:
    client = Client()
    assert handler({}, None, client, ["a", "b"]) == {"scaled_to_zero": ["a", "b"]}
    assert client.calls == [{"AutoScalingGroupName": n, "MinSize": 0, "DesiredCapacity": 0} for n in "ab"]


def test_one_group_that_fails_does_not_keep_the_others_up_and_is_not_swallowed() -> None:
    client = Client("a")
    with pytest.raises(RuntimeError, match="throttled"):
        handler({}, None, client, ["a", "b"])
    assert [c["AutoScalingGroupName"] for c in client.calls] == ["a", "b"]


def test_against_a_simulated_account(monkeypatch: pytest.MonkeyPatch) -> None:
    import boto3
    from moto import mock_aws

    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        ec2, groups = boto3.client("ec2"), boto3.client("autoscaling")
        subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
        image = ec2.describe_images()["Images"][0]["ImageId"]
        ec2.create_launch_template(
            LaunchTemplateName="nodes", LaunchTemplateData={"ImageId": image, "InstanceType": "m5.large"}
        )
        groups.create_auto_scaling_group(
            AutoScalingGroupName="train-gpu",
            MinSize=2,
            MaxSize=4,
            DesiredCapacity=4,
            VPCZoneIdentifier=subnet,
            LaunchTemplate={"LaunchTemplateName": "nodes", "Version": "1"},
        )
        handler({}, None, groups, ["train-gpu"])
        (found,) = groups.describe_auto_scaling_groups()["AutoScalingGroups"]
    assert (found["MinSize"], found["DesiredCapacity"], found["MaxSize"]) == (0, 0, 4)
