"""What the installed SDKs say about resources: the check that a real provider makes at plan time."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from gpuinfra.simulation.schema import Sdk, failures
from gpuinfra.simulation.values import UNKNOWN, secret

SUBNET = "aws:ec2/subnet:Subnet"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
SET = "azure-native:compute:VirtualMachineScaleSet"
ADDRESS = "gcp:compute/address:Address"


def _check(token: str, inputs: dict[str, Any]) -> list[tuple[str, str]]:
    kind = Sdk(token.split(":")[0]).type(token)
    assert kind is not None
    return failures(kind, inputs)


@pytest.mark.parametrize(("token", "inputs", "found"), [
    (SUBNET, {"vpcId": "vpc-1"}, []),
    (SUBNET, {"vpcId": UNKNOWN}, []),
    (SUBNET, {"vpcId": secret("vpc-1")}, []),
    (SUBNET, {}, [("vpcId", "missing required property")]),
    (SUBNET, {"vpcId": None}, [("vpcId", "missing required property")]),
    (SUBNET, {"vpcId": "v", "cidr": "10.0.0.0/8"}, [("cidr", "unknown property")]),
    (SUBNET, {"vpcId": "v", "cidr_block": "10.0.0.0/8"}, [("cidr_block", "unknown property")]),
    (SUBNET, {"vpcId": 7}, [("vpcId", "expected a text, got int '7'")]),
    (SUBNET, {"vpcId": "v", "mapPublicIpOnLaunch": "no"},
     [("mapPublicIpOnLaunch", "expected true or false, got str 'no'")]),
    (SUBNET, {"vpcId": "v", "tags": ["a"]}, [("tags", "expected a mapping, got list \"['a']\"")]),
    (SUBNET, {"vpcId": "v", "tags": {"a": 1}}, [("tags.a", "expected a text, got int '1'")]),
    (TEMPLATE, {"networkInterfaces": [{"networkCardIndex": "0"}]},
     [("networkInterfaces[0].networkCardIndex", "expected a whole number, got str '0'")]),
    (TEMPLATE, {"networkInterfaces": {"networkCardIndex": 0}},
     [("networkInterfaces", "expected a list, got dict \"{'networkCardIndex': 0}\"")]),
    (TEMPLATE, {"placement": {"groupNames": "a"}}, [("placement.groupNames", "unknown property")]),
    (TEMPLATE, {"networkInterfaces": [{"networkCardIndex": True}]},
     [("networkInterfaces[0].networkCardIndex", "expected a whole number, got bool 'True'")]),
    (SET, {"resourceGroupName": "rg", "virtualMachineProfile": {"networkProfile": {"nics": []}}},
     [("virtualMachineProfile.networkProfile.nics", "unknown property")]),
    (ADDRESS, {"addressType": "EXTERNAL", "region": "us-central1"}, []),
])  # fmt: skip
def test_what_a_provider_takes(token: str, inputs: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert _check(token, inputs) == found


def test_several_mistakes_are_all_told() -> None:
    assert {path for path, _ in _check(SUBNET, {"cidr": 1, "mapPublicIpOnLaunch": "x"})} == {
        "vpcId",
        "cidr",
        "mapPublicIpOnLaunch",
    }


def test_a_type_that_the_sdk_does_not_have() -> None:
    assert Sdk("aws").type("aws:ec2/flyingCarpet:FlyingCarpet") is None


@pytest.mark.parametrize("package", ["aws", "gcp", "azure-native", "time"])
def test_the_version_is_the_one_that_the_sdk_asks_for(package: str) -> None:
    from importlib.metadata import version

    names = {"time": "pulumiverse-time"}
    assert Sdk(package).version == version(names.get(package, f"pulumi-{package}"))


@pytest.mark.parametrize(
    ("package", "tokens"),
    [
        ("aws", ["aws:ec2/vpc:Vpc", "aws:iam/role:Role", "aws:sqs/queue:Queue", "aws:autoscaling/group:Group"]),
        ("gcp", ["gcp:compute/network:Network", "gcp:serviceaccount/account:Account", "gcp:pubsub/topic:Topic"]),
        ("azure-native", ["azure-native:network:VirtualNetwork", "azure-native:monitor:AutoscaleSetting"]),
    ],
)
def test_many_threads_at_once_find_every_type(package: str, tokens: list[str]) -> None:
    """As an engine asks a plugin that has just started: in a process of its own, since here the SDK is imported already."""
    program = f"""
from concurrent.futures import ThreadPoolExecutor
from gpuinfra.simulation.schema import Sdk
sdk = Sdk({package!r})
with ThreadPoolExecutor(16) as pool:
    found = list(pool.map(sdk.type, {tokens!r} * 6))
print([f.token for f in found if f is not None] == {tokens!r} * 6)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stderr


def test_many_threads_at_once_find_answers_and_addresses() -> None:
    program = """
from concurrent.futures import ThreadPoolExecutor
from gpuinfra.simulation.clouds.azure.identity import own_name
from gpuinfra.simulation.looking_up import answer_class
from gpuinfra.simulation.schema import Sdk
gcp, azure = Sdk("gcp"), Sdk("azure-native")
asked = [lambda: answer_class(gcp, "gcp:organizations/getProject:getProject"), lambda: gcp.type("gcp:pubsub/topic:Topic"),
         lambda: gcp.type("gcp:organizations/project:Project"), lambda: own_name("azure-native:logic:Workflow"),
         lambda: azure.type("azure-native:logic:IntegrationAccount"), lambda: own_name("azure-native:web:WebApp")] * 4
with ThreadPoolExecutor(16) as pool:
    found = [f.result() for f in [pool.submit(one) for one in asked]]
print(sum(not one for one in found))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "0\n", done.stderr
