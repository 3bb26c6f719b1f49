"""More than one: stacks at once, stacks that know of each other, secrets that stay so, and changes of each kind."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.engine import Engine

from .driving import ROOT, Driven, written

NETWORK = """
import pulumi

from gpuinfra.aws import ClusterNetwork

network = ClusterNetwork("shared", "cluster.yaml")
pulumi.export("vpc_id", network.vpc_id)
pulumi.export("subnet_id", network.subnet_id)
"""
CLUSTER = """
import pulumi

from gpuinfra import GpuCluster
from gpuinfra.aws import ExistingNetwork

other = pulumi.StackReference("organization/two/network")
there = ExistingNetwork(vpc_id=other.require_output("vpc_id"), subnet_id=other.require_output("subnet_id"))
GpuCluster("guest", "cluster.yaml", network=there)
"""
BY_STACK = """
import pulumi

exec(open(f"{pulumi.get_stack()}.py").read())
"""
SPEC = """
api_version: gpuinfra/v1
name: guest
location: {provider: aws, region: us-east-2, zone: use2-az1}
node_pools:
  - {name: gpu, instance_type: g6.12xlarge, count: 1}
image: {container: "nvcr.io/nvidia/pytorch:25.08-py3"}
budget: {per_month_usd: 5000, contacts: [you@example.com]}
shutdown: {lease: 24h}
"""


def test_a_cluster_in_the_network_of_another_stack(engine: Engine, tmp_path: Path) -> None:
    host = written(tmp_path / "two", "two", BY_STACK, SPEC)
    (host.folder / "network.py").write_text(NETWORK)
    (host.folder / "guest.py").write_text(CLUSTER)
    host.stack = "network"
    guest = Driven(host.folder, "guest")
    assert "network" in guest.refused("up"), "the other stack has to be there"
    made = host.do("up")["outputs"]
    types = [r["type"] for r in guest.do("up")["resources"]]
    assert "aws:ec2/vpc:Vpc" not in types
    assert "aws:autoscaling/group:Group" in types
    with guest.world() as world:
        (group,) = world.things("aws:autoscaling/group:Group")
        assert group.inputs["vpcZoneIdentifiers"] == [made["subnet_id"]]
        assert [n.zone for n in world.nodes()] == ["use2-az1"], "the machines run in the other stack's subnet"
    assert guest.changes("preview") == {}
    guest.agrees()
    guest.do("destroy", "--unprotect")
    host.agrees()
    host.do("destroy", "--unprotect")
    host.gone()


def test_two_stacks_of_a_folder_at_once(stack: Callable[[str], Driven]) -> None:
    one = stack("aws-h100-hours")
    both = [one, Driven(one.folder, "prod")]
    words = [sys.executable, "-W", "ignore", "-m", "gpuinfra"]
    for operation in ("up", "destroy"):
        more = ["--unprotect"] if operation == "destroy" else []
        running = [
            subprocess.Popen(
                [*words, operation, str(it.folder), "--simulate", "--yes", "--stack", it.stack, *more],
                cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )
            for it in both
        ]  # fmt: skip
        for process in running:
            said, _ = process.communicate(timeout=300)
            assert process.returncode == 0, said[-3000:]
        for it in both:
            it.agrees() if operation == "up" else it.gone()


SECRET = """
import pulumi
import pulumi_aws as aws

word = pulumi.Config().require_secret("word")
aws.ssm.Parameter("kept", type="SecureString", value=word)
pulumi.export("word", word)
"""


def test_a_secret_is_nowhere_in_plain(engine: Engine, tmp_path: Path) -> None:
    it = written(tmp_path / "secret", "secret", SECRET.replace('pulumi.Config().require_secret("word")',
                 'pulumi.Output.secret("open-sesame-42")'))  # fmt: skip
    said = it.ask("up")
    assert said.status == 0, said.err
    assert "open-sesame-42" not in said.out + said.err
    assert "word" not in said.data["outputs"]
    kept = [p for p in it.home.root.rglob("*") if p.is_file()]
    assert any(p.name.startswith("world.sqlite") for p in kept)
    assert [p for p in kept if b"open-sesame-42" in p.read_bytes()] == []
    assert it.changes("preview") == {}
    assert it.changes("refresh") == {}


ANEW = {
    "aws-h100-training": (r"size_gib: \d+, throughput", "size_gib: 4800, throughput"),
    "gcp-h100-training": (
        r"size_gib: 18000, throughput_mbps_per_tib: 500",
        "size_gib: 36000, throughput_mbps_per_tib: 250",
    ),
    "azure-h100-training": (r"throughput_mbps_per_tib: 250", "throughput_mbps_per_tib: 125"),
}


@pytest.mark.parametrize("name", ANEW)
def test_the_data_stay_until_somebody_says_so(name: str, stack: Callable[[str], Driven]) -> None:
    it = stack(name)
    it.do("up")
    before = _ids(it)

    spec = (it.folder / "cluster.yaml").read_text(encoding="utf-8")
    it.edit(*ANEW[name])
    said = it.refused("up")
    assert "replace" in said
    assert "scratch" in said
    assert "nothing was changed" in said
    assert _ids(it) == before
    (it.folder / "cluster.yaml").write_text(spec, encoding="utf-8")
    assert it.changes("up") == {}, "the old spec again: nothing is left of the change"

    said = it.refused("destroy")
    assert "--keep-data" in said
    assert "nothing was changed" in said
    assert _ids(it) == before

    went = it.changes("destroy", "--keep-data")
    kept = _ids(it)
    assert any("scratch" in u for u in kept)
    assert went["delete"] >= 10
    with it.world() as world:
        assert [n for n in world.nodes() if n.ended_at is None] == [], "no node is paid for"
    assert {u for u, i in kept.items() if before.get(u) != i} == set()
    it.do("up")
    assert kept.items() <= _ids(it).items(), "the data are taken up again"
    it.do("destroy", "--unprotect")
    it.gone()


def _ids(it: Driven) -> dict[str, str]:
    """Which thing of the cloud each resource of the state is."""
    return {r["urn"]: r["id"] for r in it.state["resources"] if r["custom"] and not r["type"].startswith("pulumi:")}


def test_a_summary_for_a_program(stack: Callable[[str], Driven]) -> None:
    it = stack("gcp-t4-notebook")
    made = it.do("up")
    assert json.loads(it.simulate("show", "--format", "json"))["groups"][0]["running"] == 1
    assert made["outputs"]["connect"]["lab"]
