"""Previews: which resources are there afterwards, what they were, and what the file does not say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.lint import Kind, Linted, Source, lint, preview
from gpuinfra.lint.source import Read
from gpuinfra.policy.examples import NOW
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef

VPC, SUBNET, BOX = "aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet", "gcp:compute/instance:Instance"


def urn(type_: str, name: str) -> str:
    return f"urn:pulumi:dev::probe::{type_}::{name}"


def state(type_: str, name: str, **more: Any) -> dict[str, Any]:
    return {"urn": urn(type_, name), "type": type_, "custom": True, **more}


def step(op: str, new: dict[str, Any] | None, old: dict[str, Any] | None = None) -> dict[str, Any]:
    found = {"op": op, "urn": (new or old or {})["urn"]}
    return {**found, **({"newState": new} if new else {}), **({"oldState": old} if old else {})}


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Read]:
    def of(*steps: dict[str, Any], **more: Any) -> Read:
        file = tmp_path / "preview.json"
        file.write_text(json.dumps({"steps": list(steps), **more}))
        return preview.read(str(file))

    return of


STACK = step("same", {"urn": "urn:pulumi:dev::probe::pulumi:pulumi:Stack::probe-dev", "type": "pulumi:pulumi:Stack"})


@pytest.mark.parametrize("op", ["create", "update", "same", "replace", "create-replacement", "import", "refresh"])
def test_what_is_there_afterwards(read, op: str):
    found = read(STACK, step(op, state(VPC, "net", inputs={"cidrBlock": "10.0.0.0/16"})))
    assert [(r.name, r.type, r.get("cidrBlock")) for r in found.graph] == [("net", VPC, "10.0.0.0/16")]
    assert (found.graph.project, found.graph.stack, found.graph.preview) == ("probe", "dev", True)


@pytest.mark.parametrize("op", ["delete", "delete-replaced", "discard", "remove-pending-replace"])
def test_what_is_gone_afterwards(read, op: str):
    assert read(step(op, None, state(VPC, "net"))).graph.resources == ()


def test_a_replacement_is_one_resource_with_its_new_inputs(read):
    old, new = state(VPC, "net", id="vpc-1", inputs={"a": 1}), state(VPC, "net", inputs={"a": 2})
    found = read(step("create-replacement", new, old), step("replace", new, old), step("delete-replaced", None, old))
    (one,) = found.graph
    assert one.inputs == {"a": 2}
    assert found.facts == {urn(VPC, "net"): {"inputs": {"a": 1}}}


def test_what_is_only_read_stands_apart(read):
    found = read(step("read", state(VPC, "net", external=True, id="vpc-1")))
    assert found.graph.resources == ()
    assert [r.name for r in found.graph.reads] == ["net"]


def test_the_old_inputs_are_facts_of_what_was_there(read):
    new = state(VPC, "net", inputs={"a": 2})
    assert read(step("create", new)).facts == {}
    assert read(step("update", new, state(VPC, "net", inputs={"a": 1}))).facts == {
        urn(VPC, "net"): {"inputs": {"a": 1}}
    }


def test_the_id_of_what_is_there_is_a_reference(read):
    net = step("update", state(VPC, "net", inputs={}), state(VPC, "net", id="vpc-1", inputs={}))
    sub = state(SUBNET, "sub", inputs={"vpcId": "vpc-1"}, propertyDependencies={"vpcId": [urn(VPC, "net")]})
    assert read(net, step("create", sub)).graph.named("sub").inputs == {"vpcId": OutputRef("net", "id")}
    # Without the dependency it is a text that somebody wrote.
    sub["propertyDependencies"] = {}
    assert read(net, step("create", sub)).graph.named("sub").inputs == {"vpcId": "vpc-1"}


def test_providers_that_the_engine_makes_are_left_out(read):
    made = state("pulumi:providers:aws", "default_7_51_1")
    own = state("pulumi:providers:aws", "west")
    of_made = state(VPC, "a", provider=f"{made['urn']}::04da6b54-80e4-46f7-96ec-b56ff0331ba9", parent=STACK["urn"])
    of_own = state(VPC, "b", provider=f"{own['urn']}::some-id", parent=urn("my:mod:Net", "outer"))
    found = read(*(step("create", s) for s in (made, own, of_made, of_own))).graph
    assert [r.name for r in found] == ["a", "b", "west"]
    assert [(r.provider, r.parent) for r in found][:2] == [("", ""), (own["urn"], urn("my:mod:Net", "outer"))]


def test_options_as_the_engine_writes_them(read):
    given = {
        "protect": True, "retainOnDelete": True, "ignoreChanges": ["b", "a"], "replaceOnChanges": ["*"],
        "hideDiff": ["c"], "additionalSecretOutputs": ["arn"], "deletedWith": urn(VPC, "x"), "importID": "vpc-9",
    }  # fmt: skip
    (one,) = read(step("create", state(VPC, "net", **given))).graph
    assert one.options == {
        "protect": True, "retainOnDelete": True, "ignoreChanges": ["a", "b"], "replaceOnChanges": ["*"],
        "hideDiffs": ["c"], "additionalSecretOutputs": ["arn"], "deletedWith": urn(VPC, "x"), "import": "vpc-9",
        "deleteBeforeReplace": UNKNOWN,
    }  # fmt: skip


def test_an_older_engine_says_less(read):
    (one,) = read(step("create", state(VPC, "net"))).graph
    assert set(one.options) == {"deleteBeforeReplace", "ignoreChanges", "replaceOnChanges"}
    assert set(one.options.values()) == {UNKNOWN}
    (one,) = read(step("create", state(VPC, "net", stackTrace=[{}]))).graph
    assert set(one.options) == {"deleteBeforeReplace"}


@pytest.mark.parametrize(
    ("same", "listed", "said"),
    [
        (1, [STACK], ""),
        (1, [], ""),
        (3, [STACK], "2 resources that do not change are not in it"),
        (2, [], "1 resource that does not change is not in it"),
        (2, [STACK, step("same", state(VPC, "a"))], ""),
    ],
)
def test_a_preview_that_leaves_out_what_stays_says_so(read, same: int, listed: list[Any], said: str):
    found = read(*listed, step("create", state(VPC, "net")), changeSummary={"create": 1, "same": same})
    assert [d.message for d in found.remarks] == ([said] if said else [])
    assert all("--show-sames" in d.hint for d in found.remarks)


def test_a_preview_that_failed_says_so(read):
    trace = "error: the program failed:\nTraceback (most recent call last):\n  File x\nKeyError: 'zone'\n"
    found = read(
        step("create", state(VPC, "net")),
        diagnostics=[{"message": "warning: old", "severity": "warning"}, {"message": trace, "severity": "error"}],
    )
    assert [d.message for d in found.remarks] == ["the preview ended with an error: KeyError: 'zone'"]


def test_a_preview_that_failed_before_its_first_step(tmp_path: Path):
    file = tmp_path / "p.json"
    file.write_text('{"diagnostics": [{"message": "error: no credentials", "severity": "error"}], "changeSummary": {}}')
    found = lint(Source(Kind.PREVIEW, str(file)), now=NOW)
    assert [d.code for d in found.findings] == ["GI1083"]
    assert "no credentials" in found.findings[0].message


def changed(read, before: dict[str, Any], after: dict[str, Any], tmp_path: Path) -> Linted:
    read(step("update", state(BOX, "box", inputs=after), state(BOX, "box", inputs=before)))
    return lint(Source(Kind.PREVIEW, str(tmp_path / "preview.json")), now=NOW)


def test_rules_about_changes_see_what_was_deployed(read, tmp_path: Path):
    def box(seconds: int) -> dict[str, Any]:
        return {
            "machineType": "g2-standard-8",
            "scheduling": {"maxRunDuration": {"seconds": seconds}, "provisioningModel": "STANDARD"},
        }

    assert "GI3129" in {d.code for d in changed(read, box(3600), box(7200), tmp_path).findings}
    assert "GI3129" not in {d.code for d in changed(read, box(3600), box(3600), tmp_path).findings}
