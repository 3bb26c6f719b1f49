"""`gpuinfra lint`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import NOW

PROGRAMS = Path(__file__).parents[1] / "lint" / "programs"
L4 = PROGRAMS / "16-gke-l4-secure-boot"
RIGHT = PROGRAMS / "20-gke-pools-with-lease"
P5 = PROGRAMS / "01-eks-p5-two-public-zones"


@pytest.mark.parametrize(
    "source",
    [("--preview", L4 / "preview.json"), ("--state", L4 / "state.json"), ("--program", L4)],
    ids=["preview", "state", "program"],
)
def test_the_text_form(run, source: tuple[str, Path]):
    ran = run("lint", *source, "--now", NOW)
    assert ran.status == 1
    assert "__main__.py:29:1: error[GI3167] pairs: every pool of cluster 'plane' has GPUs" in ran.out
    assert ran.out.splitlines()[-1] == "2 resources judged, 0 verdicts undecided"
    assert ran.out.splitlines()[-2].startswith("1 error, ")
    assert ran.err == ""


def test_a_right_program_has_no_error(run):
    assert run("lint", "--preview", RIGHT / "preview.json", "--now", NOW).status == 0


def test_the_json_form(run):
    ran = run("lint", "--preview", P5 / "preview.json", "--format", "json", "--now", NOW)
    assert ran.status == 1
    assert set(ran.data) == {"findings", "summary", "resources", "undecided", "not_judged"}
    assert ran.data["resources"] == 24
    assert {"code": "GI3055", "resource": "workers-template", "reason": "the user data are not known yet"} in ran.data[
        "undecided"
    ]
    found = next(f for f in ran.data["findings"] if f["code"] == "GI3053")
    assert found["resource"] == {"name": "workers-template", "type": "aws:ec2/launchTemplate:LaunchTemplate"}
    assert found["facts"] == ["AWS CMP-04"]
    assert found["source"]["file"] == "__main__.py"


def test_undecided_verdicts_have_a_section(run):
    ran = run("lint", "--preview", P5 / "preview.json", "--now", NOW)
    first, second, *_ = ran.out.splitlines()
    assert first == "undecided, for want of a value or an option that is not shown here:"
    assert second == "  GI3055 workers-template: the user data are not known yet"
    assert "3 verdicts undecided" in ran.out


def test_the_form_where_nothing_can_be_read(run, tmp_path: Path):
    ran = run("lint", "--state", tmp_path / "none.json", "--format", "json")
    assert ran.status == 1
    assert (ran.data["resources"], ran.data["undecided"]) == (None, [])
    assert [f["code"] for f in ran.data["findings"]] == ["GI1080"]
    assert "nothing was judged" in run("lint", "--state", tmp_path / "none.json").out


@pytest.mark.parametrize("form", ["sarif", "github", "junit"])
def test_the_other_forms(run, form: str):
    ran = run("lint", "--program", L4, "--format", form, "--now", NOW)
    assert ran.status == 1
    assert "GI3167" in ran.out
    assert "__main__.py" in ran.out


def test_a_baseline(run, tmp_path: Path):
    known = tmp_path / "known.json"
    run("lint", "--preview", L4 / "preview.json", "--write-baseline", known, "--now", NOW)
    ran = run("lint", "--preview", L4 / "preview.json", "--baseline", known, "--now", NOW)
    assert ran.status == 0
    assert "known from the baseline" in ran.out


def test_settings_beside_the_program_count(run, tmp_path: Path):
    (tmp_path / "preview.json").write_text((L4 / "preview.json").read_text())
    (tmp_path / "gpuinfra.yaml").write_text("severity:\n  GI3167: warning\n")
    ran = run("lint", "--preview", tmp_path / "preview.json", "--now", NOW)
    assert ran.status == 0
    assert "lowered by settings" in ran.out


def test_no_settings_make_an_unreadable_file_right(run, tmp_path: Path):
    (tmp_path / "preview.json").write_text('{"steps": [')
    (tmp_path / "gpuinfra.yaml").write_text('severity:\n  GI1081: "off"\n')
    assert run("lint", "--preview", tmp_path / "preview.json").status == 1


def test_rules_of_one_cloud(run):
    assert run("lint", "--preview", L4 / "preview.json", "--provider", "aws", "--now", NOW).status == 0
    both = run("lint", "--preview", L4 / "preview.json", "--provider", "aws", "--provider", "gcp", "--now", NOW)
    assert both.status == 1


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "give one of --preview FILE, --state FILE and --program DIR"),
        (("--preview", "a", "--state", "b"), "give one of"),
        (("--preview", "a", "--stack", "dev"), "--stack and --config are for --program"),
        (("--state", "a", "--config", "k=v"), "--stack and --config are for --program"),
        (("--program", ".", "--config", "k"), "--config takes KEY=VALUE"),
        (("--program", ".", "--config", "=v"), "--config takes KEY=VALUE"),
        (("--preview", "a", "--provider", "oracle"), "oracle"),
    ],
)
def test_wrong_usage(run, args: tuple[str, ...], words: str):
    ran = run("lint", *args)
    assert ran.status == 2
    assert words in ran.err


def test_a_missing_sdk_is_no_finding(run, tmp_path: Path):
    (tmp_path / "Pulumi.yaml").write_text("name: p\nruntime: python\n")
    (tmp_path / "__main__.py").write_text("import pulumi_nothing\n")
    ran = run("lint", "--program", tmp_path)
    assert ran.status == 2
    assert ran.out == ""
    assert "pip install pulumi-nothing" in ran.err


def test_a_config_value_from_the_command_line(run, tmp_path: Path):
    (tmp_path / "Pulumi.yaml").write_text("name: p\nruntime: python\n")
    (tmp_path / "__main__.py").write_text("import pulumi\npulumi.Config().require('zone')\n")
    assert run("lint", "--program", tmp_path).status == 1
    assert run("lint", "--program", tmp_path, "--config", "zone=a=b").status == 0
    assert run("lint", "--program", tmp_path, "-c", "p:zone=").status == 0


def test_a_preview_and_a_state_load_no_pulumi():
    code = (
        "import sys\nfrom gpuinfra.cli import main\n"
        f"main(['lint', '--preview', {str(L4 / 'preview.json')!r}])\n"
        f"main(['lint', '--state', {str(L4 / 'state.json')!r}])\n"
        "print('loaded', sorted(m for m in sys.modules if m.startswith(('pulumi', 'grpc', 'rich', 'jinja2'))))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded []"


def test_what_no_rule_looks_at_is_said(run, tmp_path):
    """Silence about a service that the rules do not know is not taken for a pass."""
    type_ = "aws:batch/computeEnvironment:ComputeEnvironment"
    held = [{"urn": f"urn:pulumi:dev::p::{type_}::{name}", "type": type_, "custom": True} for name in ("b", "a")]
    state = tmp_path / "state.json"
    state.write_text(json.dumps({"version": 3, "deployment": {"manifest": {}, "resources": held}}))
    ran = run("lint", "--state", state)
    assert ran.status == 0
    assert "no rule looks at what is of AWS Batch (2); silence about it is no pass" in ran.out.splitlines()
    data = run("lint", "--state", state, "--format", "json").data
    assert data["not_judged"] == [{"service": "AWS Batch", "type": type_, "resources": ["a", "b"]}]
    assert run("lint", "--preview", P5 / "preview.json", "--format", "json").data["not_judged"] == []
