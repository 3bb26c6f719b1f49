"""Packages beside a cloud's that are not installed: the rest of the program is judged all the same, and it is said."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from gpuinfra.diagnostics import Severity
from gpuinfra.lint import Kind, Linted, Source, lint
from gpuinfra.lint.source import MissingSdkError
from gpuinfra.policy.examples import NOW
from gpuinfra.policy.resource_graph import UNKNOWN, Resource

GROUP = """
import pulumi
import pulumi_aws as aws
role = aws.iam.Role("role", assume_role_policy="{}")
group = aws.eks.NodeGroup("gpu", cluster_name="c", node_role_arn=role.arn, subnet_ids=["subnet-1"],
    instance_types=["p5.48xlarge"], scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2})
"""
PACKAGES = ("kubernetes", "eks", "awsx", "random", "tls", "command", "std", "aws_native")


@pytest.fixture(autouse=True)
def _without_them() -> None:
    there = [p for p in PACKAGES if find_spec(f"pulumi_{p}") is not None]
    assert not there, f"these tests are about an environment without {there}"


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], Linted]:
    def judged(text: str) -> Linted:
        (tmp_path / "Pulumi.yaml").write_text("name: probe\nruntime: python\n")
        (tmp_path / "__main__.py").write_text(text)
        return lint(Source(Kind.PROGRAM, str(tmp_path)), now=NOW)

    return judged


def codes(found: Linted) -> set[str]:
    return {f.code for f in found.findings}


def one(found: Linted, name: str) -> Resource:
    assert found.graph is not None, found.findings
    (resource,) = (r for r in found.graph if r.name == name)
    return resource


def test_what_a_cloud_has_is_judged_as_without_them(program: Callable[[str], Linted]) -> None:
    alone = program(GROUP)
    beside = program(f"""{GROUP}
import pulumi_kubernetes as k8s
import pulumi_random as random
provider = k8s.Provider("k", kubeconfig=group.arn)
opts = pulumi.ResourceOptions(provider=provider, depends_on=[group])
space = k8s.core.v1.Namespace("ml", metadata=k8s.meta.v1.ObjectMetaArgs(name="ml"), opts=opts)
suffix = random.RandomId("suffix", byte_length=4)
bucket = aws.s3.Bucket("data", bucket=suffix.hex.apply(lambda h: f"data-{{h}}"))
pulumi.export("name", space.metadata["name"])
""")
    assert codes(alone)
    assert codes(beside) == codes(alone) | {"GI1092"}
    (said,) = (f for f in beside.findings if f.code == "GI1092")
    assert said.severity is Severity.WARNING
    assert (
        "pulumi_kubernetes (kubernetes:core/v1:Namespace); pulumi_random (random:index/randomId:RandomId)"
        in said.message
    )
    assert "pip install pulumi-kubernetes pulumi-random" in str(said.hint)
    assert one(beside, "data").get("bucket") is UNKNOWN


@pytest.mark.parametrize(
    ("made", "type_"),
    [
        ("k8s.helm.v3.Release('x', k8s.helm.v3.ReleaseArgs(chart='nvidia-device-plugin'))", "kubernetes:helm.sh/v3:Release"),
        ("k8s.apps.v1.Deployment('x', spec={'replicas': 1})", "kubernetes:apps/v1:Deployment"),
        ("k8s.networking.v1.Ingress('x')", "kubernetes:networking.k8s.io/v1:Ingress"),
        ("k8s.apiextensions.CustomResource('x', api_version='karpenter.sh/v1', kind='NodePool', spec={})",
         "kubernetes:karpenter.sh/v1:NodePool"),
        ("k8s.yaml.v2.ConfigFile('x', file='a.yaml')", "kubernetes:yaml/v2:ConfigFile"),
        ("tls.PrivateKey('x', algorithm='ED25519')", "tls:index/privateKey:PrivateKey"),
        ("command.local.Command('x', create='true')", "command:local:Command"),
        ("aws_native.ec2.Instance('x', instance_type='p5.48xlarge')", "aws-native:ec2:Instance"),
        ("eks.ManagedNodeGroup('x', ami_type=eks.AmiType.AL2_X86_64_GPU)", "eks:index:ManagedNodeGroup"),
    ],
)  # fmt: skip
def test_a_resource_has_the_type_that_a_preview_gives_it(
    made: str, type_: str, program: Callable[[str], Linted]
) -> None:
    found = program(
        "import pulumi_kubernetes as k8s, pulumi_tls as tls, pulumi_command as command, pulumi_eks as eks\n"
        f"import pulumi_aws_native as aws_native\n{made}\n"
    )
    assert one(found, "x").type == type_


def test_what_is_given_stands_in_it_by_its_name_on_the_wire(program: Callable[[str], Linted]) -> None:
    found = program("""
from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs
from pulumi_kubernetes.core.v1 import Pod
Release("plugin", ReleaseArgs(chart="gpu-operator", repository_opts=RepositoryOptsArgs(repo="https://helm.example.com"),
    values={"driver_root": "/"}))
Pod("pod", api_version="v1", spec={"restartPolicy": "Never"})
""")
    assert one(found, "plugin").get("repositoryOpts", "repo") == "https://helm.example.com"
    assert one(found, "plugin").get("values", "driver_root") == "/", "keys of a free mapping are the user's own"
    assert one(found, "pod").get("apiVersion") == "v1"


def test_what_a_component_starts_is_told_as_unseen(program: Callable[[str], Linted]) -> None:
    found = program("""
import pulumi
import pulumi_aws as aws
import pulumi_awsx as awsx
import pulumi_eks as eks
import pulumi_kubernetes as k8s
net = awsx.ec2.Vpc("net", number_of_availability_zones=2)
cluster = eks.Cluster("c", vpc_id=net.vpc_id, subnet_ids=net.private_subnet_ids, instance_type="p4d.24xlarge")
k8s.core.v1.Namespace("ml", opts=pulumi.ResourceOptions(provider=cluster.provider))
rule = aws.ec2.SecurityGroup("sg", vpc_id=net.vpc_id)
pulumi.export("kubeconfig", cluster.get_kubeconfig(profile_name="a"))
pulumi.export("old", eks.Cluster.get("old", "i-1").core.endpoint)
pulumi.export("role", cluster.core.instance_roles[0].name)
""")
    assert {"GI1092", "GI3403"} <= codes(found)
    assert one(found, "sg").get("vpcId") is UNKNOWN


def test_a_function_is_answered_as_one_of_a_provider_that_is_there(program: Callable[[str], Linted]) -> None:
    found = program("""
import pulumi_aws as aws
import pulumi_aws_native as native
import pulumi_std as std
key = native.ec2.get_key_pair(key_name="mine")
aws.s3.Bucket("a", bucket=f"data-{key.key_pair_id}")
aws.s3.Bucket("b", bucket=std.upper_output(input="x").apply(lambda r: r.result))
""")
    assert one(found, "a").get("bucket") is UNKNOWN
    assert one(found, "b").get("bucket") is UNKNOWN
    (said,) = (f for f in found.findings if f.code == "GI1092")
    assert "pulumi_aws_native (aws-native:ec2:getKeyPair)" in said.message


@pytest.mark.parametrize(("text", "said"), [
    ("import pulumi_awss\n", "imports pulumi_awss, which is not installed here: pip install pulumi-awss"),
    ("import pulumi_aws.nowhere\n", "imports pulumi_aws.nowhere"),
    ("import pulumi_random as r\nint(r.RandomInteger('n', min=1, max=3).result)\n",
     "imports pulumi_random, which is not installed here, and ended with TypeError without"),
])  # fmt: skip
def test_what_nothing_can_stand_in_for(text: str, said: str, program: Callable[[str], Linted]) -> None:
    with pytest.raises(MissingSdkError) as raised:
        program(text)
    assert said in str(raised.value)


def test_one_that_is_imported_and_not_used_is_not_told(program: Callable[[str], Linted]) -> None:
    assert "GI1092" not in codes(program(f"{GROUP}import pulumi_random\nfrom pulumi_kubernetes import Provider\n"))
