"""States: exports and files of a backend, secrets that are encrypted and that are not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.cli import report
from gpuinfra.cli.lint import as_data
from gpuinfra.lint import Kind, Linted, Source, lint, values
from gpuinfra.policy.examples import NOW
from gpuinfra.policy.resource_graph import UNKNOWN

from .test_preview import SUBNET, VPC, state, urn

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
HUSH = "hush-hush-hush-0123456789"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Linted]:
    def of(*resources: Any, version: str = "v3.274.1", **document: Any) -> Linted:
        file = tmp_path / "state.json"
        deployment = {"manifest": {"version": version}, "resources": list(resources)}
        file.write_text(json.dumps(document or {"version": 3, "deployment": deployment}))
        return lint(Source(Kind.STATE, str(file)), now=NOW)

    return of


def named(found: Linted) -> list[str]:
    assert found.graph is not None, found.findings
    return [r.name for r in found.graph]


def test_what_is_on_its_way_out_and_what_is_only_read_is_not_judged(read):
    gone, external = state(VPC, "gone", delete=True), state(VPC, "other", external=True, id="vpc-1")
    found = read(state(VPC, "net", id="vpc-2"), gone, external)
    assert named(found) == ["net"]
    assert [r.name for r in found.graph.reads] == ["other"]
    assert found.graph.preview is False


def test_a_urn_that_is_there_twice_is_one_resource(read):
    old = state(VPC, "net", id="vpc-1", delete=True, inputs={"a": 1})
    found = read(old, state(VPC, "net", id="vpc-2", inputs={"a": 2}))
    assert [r.inputs for r in found.graph] == [{"a": 2}]


def test_two_resources_of_one_name_are_not_taken_for_each_other(read):
    table = "aws:ec2/routeTable:RouteTable"
    sub = state(SUBNET, "sub", inputs={"vpcId": "vpc-1"}, propertyDependencies={"vpcId": [urn(VPC, "net")]})
    found = read(state(VPC, "net", id="vpc-1"), state(table, "net", id="rtb-1"), sub)
    one = found.graph.named("sub")
    assert one.inputs == {"vpcId": "vpc-1"}
    assert one.property_dependencies == {"vpcId": (urn(VPC, "net"),)}


def test_the_file_of_a_backend_reads_like_an_export(read):
    latest = {"manifest": {"version": "v3.274.1"}, "resources": [state(VPC, "net")]}
    assert named(read(version=3, checkpoint={"stack": "dev", "latest": latest})) == ["net"]


@pytest.mark.parametrize(
    "document", [{"version": 3, "deployment": None}, {"version": 3, "deployment": {"manifest": {}}},
                 {"version": 3, "checkpoint": {"stack": "dev"}}]
)  # fmt: skip
def test_a_stack_that_holds_nothing_has_no_finding(read, document: dict[str, Any]):
    found = read(**document)
    assert named(found) == []
    assert found.findings == ()


@pytest.mark.parametrize(
    ("version", "open_"),
    [("v3.274.1", 1), ("v3.206.0", 1), ("3.206.0", 1), ("v4.0.0", 1), ("v3.100.0", 3), ("", 3), ("dev", 3)],
)
def test_the_engine_says_which_options_a_state_carries(read, version: str, open_: int):
    found = read(state(VPC, "net"), version=version)
    assert [v for v in found.graph.named("net").options.values() if v is UNKNOWN] == [UNKNOWN] * open_


def template(secret: Any) -> dict[str, Any]:
    return state(
        TEMPLATE,
        "nodes",
        inputs={"instanceType": "p5.48xlarge", "userData": secret, "tagSpecifications": [{"tags": {"k": secret}}]},
        outputs={"userData": secret},
    )


@pytest.mark.parametrize(
    "more", [{"ciphertext": f"v1:abc:{HUSH}"}, {"plaintext": json.dumps(HUSH)}], ids=["closed", "open"]
)
def test_a_secret_is_never_printed(read, more: dict[str, str]):
    found = read(template({values.SIGNATURE: values.SECRET, **more}))
    assert "GI3060" in {d.code for d in found.findings}
    said = "".join(report.rendered(report.of(found.findings, ()), form) for form in report.FORMS)
    said += json.dumps(as_data(found)) + repr(found)
    assert HUSH not in said
    assert "v1:abc" not in said


def test_a_secret_in_the_middle_of_a_finding_is_left_out(read):
    # The message of a rule quotes the instance type; here it is a secret.
    resource = template("")
    resource["inputs"]["instanceType"] = {values.SIGNATURE: values.SECRET, "plaintext": json.dumps("p5.48xlarge")}
    assert "p5.48xlarge" not in report.rendered(report.of(read(resource).findings, ()), "text")


def test_what_the_stack_gives_a_default_provider_counts_for_what_it_makes(read):
    """`gcp:defaultLabels` of the stack's configuration stands at the default provider, as text."""
    giver = state("pulumi:providers:gcp", "default_10_2_0", inputs={"defaultLabels": '{"team": "nlp"}'})
    inputs = {"machineType": "g2-standard-8", "bootDisk": {"initializeParams": {"image": "x"}}}
    box = state("gcp:compute/instance:Instance", "box", inputs=inputs)
    assert "GI3117" in {d.code for d in read(box).findings}
    assert "GI3117" not in {d.code for d in read(giver, box).findings}


def test_what_a_deployment_was_making_when_it_was_broken_off_is_said(tmp_path: Path):
    file = tmp_path / "state.json"
    pending = [
        {"resource": state(VPC, "half", inputs={"tags": {"key": HUSH}}), "type": "creating"},
        {"resource": state(VPC, "net"), "type": "updating"},
    ]
    deployment = {"manifest": {}, "resources": [state(VPC, "net", id="vpc-1")], "pending_operations": pending}
    file.write_text(json.dumps({"version": 3, "deployment": deployment}))
    found = lint(Source(Kind.STATE, str(file)), now=NOW)
    assert named(found) == ["net"]
    assert [(d.code, d.message) for d in found.findings if d.code < "GI2"] == [
        ("GI1091", "a deployment was broken off while it made half: it may run, and is not in the file")
    ]
    for odd in ({}, [None], [{"type": "creating"}], [{"type": "creating", "resource": {"urn": 3}}]):
        file.write_text(json.dumps({"version": 3, "deployment": {**deployment, "pending_operations": odd}}))
        assert "GI1091" not in {d.code for d in lint(Source(Kind.STATE, str(file)), now=NOW).findings}
