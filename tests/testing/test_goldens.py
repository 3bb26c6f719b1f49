"""Goldens: compared, rewritten on request, and never with something in them that must not be kept."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pulumi
import pulumi_aws as aws
import pytest

from gpuinfra.testing import GoldenMismatchError, compare_golden, record
from gpuinfra.testing.golden import REWRITE_VARIABLE

ROOT = Path(__file__).parents[2]


def program():
    vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
    aws.ec2.Subnet("sub", vpc_id=vpc.id, cidr_block="10.0.0.0/24", opts=pulumi.ResourceOptions(protect=True))
    aws.ssm.Parameter("key", type="SecureString", value=pulumi.Output.secret("correct horse"))
    pulumi.export("vpc", vpc.id)


@pytest.mark.parametrize("preview", [True, False], ids=["preview", "update"])
def test_a_graph_equals_its_golden(record_program, assert_golden, preview):
    assert_golden(record_program(program, preview=preview), f"network-{'preview' if preview else 'update'}")


def test_a_golden_is_written_when_asked_and_compared_afterwards(tmp_path, monkeypatch):
    path = tmp_path / "deep" / "a.json"
    with pytest.raises(GoldenMismatchError, match=rf"a\.json: there is no such golden.*{REWRITE_VARIABLE}=1"):
        compare_golden({"b": 1, "a": [2]}, path)
    monkeypatch.setenv(REWRITE_VARIABLE, "1")
    compare_golden({"b": 1, "a": [2]}, path)
    assert path.read_text() == '{\n  "a": [\n    2\n  ],\n  "b": 1\n}\n'
    monkeypatch.delenv(REWRITE_VARIABLE)
    compare_golden({"a": [2], "b": 1}, path)


def test_a_difference_is_shown_as_a_unified_diff(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{\n  "a": 1\n}\n')
    with pytest.raises(GoldenMismatchError) as caught:
        compare_golden({"a": 2}, path)
    text = str(caught.value)
    assert '-  "a": 1' in text
    assert '+  "a": 2' in text
    assert f"{REWRITE_VARIABLE}=1" in text


def test_a_long_difference_is_cut(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("[]\n")
    with pytest.raises(GoldenMismatchError, match=r"\.\.\. \d+ more lines"):
        compare_golden(list(range(1000)), path)


def secret_twice():
    aws.ssm.Parameter("key", type="SecureString", value=pulumi.Output.secret("correct horse"))
    aws.ec2.Vpc("net", cidr_block="10.0.0.0/16", tags={"leaked": "the correct horse runs"})


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (lambda: record(secret_twice), "the text of a secret of 'key'"),
        (lambda: {"version": "None"}, '"None"'),
        (lambda: {"name": "x-Calling __str__ on an Output[T] is not supported"}, "the text of an Output"),
        (lambda: {"path": f"{Path.cwd()}/program"}, "a path of this machine"),
        (lambda: {"key": "AKIA" + "A" * 16}, "it holds an access key$"),
        (lambda: {"key": "-----BEGIN RSA PRIVATE " + "KEY-----"}, "it holds a private key$"),
    ],
)
def test_what_no_golden_may_hold_is_refused_before_it_is_written(tmp_path, monkeypatch, value, says):
    monkeypatch.setenv(REWRITE_VARIABLE, "1")
    path = tmp_path / "a.json"
    with pytest.raises(GoldenMismatchError, match=says):
        compare_golden(value(), path)
    assert not path.exists()


def test_a_text_that_is_meant_can_be_allowed(tmp_path, monkeypatch):
    monkeypatch.setenv(REWRITE_VARIABLE, "1")
    compare_golden({"bypass": "None"}, tmp_path / "a.json", allow=['"None"'])
    assert json.loads((tmp_path / "a.json").read_text()) == {"bypass": "None"}


TEST_FILE = """
import sys

def test_first():
    assert not [m for m in sys.modules if m.startswith("pulumi")]

def test_stack(record_program, assert_golden):
    graph = record_program("stack", preview=True)
    assert_golden(graph, "sub/stack")

def test_leaving(assert_golden):
    import pytest
    with pytest.raises(ValueError, match="leaves the folder"):
        assert_golden([], "../../x")
"""


def run_pytest(folder, **env):
    options = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "", **env}
    command = [sys.executable, "-m", "pytest", "-p", "gpuinfra.pytest_plugin", "-p", "no:cacheprovider", "."]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **options}, capture_output=True, text=True, check=False
    )


def test_the_plugin_serves_a_project_of_its_own(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "stack").mkdir()
    (tmp_path / "stack" / "__main__.py").write_text(
        "import pulumi_aws as aws\naws.ec2.Vpc('net', cidr_block='10.0.0.0/16')\n"
    )
    (tmp_path / "test_it.py").write_text(TEST_FILE)
    first = run_pytest(tmp_path)
    assert "1 failed, 2 passed" in first.stdout, first.stdout + first.stderr
    assert "there is no such golden" in first.stdout
    assert "3 passed" in run_pytest(tmp_path, **{REWRITE_VARIABLE: "1"}).stdout
    golden = tmp_path / "golden" / "sub" / "stack.json"
    assert json.loads(golden.read_text())["resources"][0]["inputs"] == {"cidrBlock": "10.0.0.0/16"}
    assert "3 passed" in run_pytest(tmp_path).stdout
    golden.write_text(golden.read_text().replace("10.0.0.0/16", "10.9.0.0/16"))
    changed = run_pytest(tmp_path)
    assert "1 failed, 2 passed" in changed.stdout
    assert '-        "cidrBlock": "10.9.0.0/16"' in changed.stdout
