"""What people start from: the shipped stacks and templates are right, whole, and short."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from gpuinfra.diagnostics import has_errors
from gpuinfra.plan.resolve import resolve
from gpuinfra.policy.engine import check_plan
from gpuinfra.spec.load import load

from .specs import NOW

ROOT = Path(__file__).parent.parent
STACKS = sorted(p.parent for p in ROOT.glob("stacks/*/Pulumi.yaml"))
TEMPLATES = sorted(p.parent for p in ROOT.glob("templates/*/Pulumi.yaml"))
ALL = [*STACKS, *TEMPLATES]


def test_the_stacks_are_there():
    assert {p.name for p in STACKS} >= {
        "aws-h100-training",
        "aws-b300-capacity-block",
        "aws-l4-inference",
        "aws-a100-spot-finetune",
    }
    assert {p.name for p in TEMPLATES} >= {"aws-h100-hours"}


@pytest.mark.parametrize("folder", ALL, ids=lambda p: p.name)
def test_the_spec_is_clean(folder: Path):
    loaded = load(str(folder / "cluster.yaml"))
    assert loaded.spec is not None, loaded.diagnostics
    resolution = resolve(loaded.spec, NOW)
    assert resolution.plan is not None
    found = [*loaded.diagnostics, *resolution.diagnostics, *check_plan(resolution.plan)]
    assert not has_errors(found), found


@pytest.mark.parametrize("folder", ALL, ids=lambda p: p.name)
def test_the_folder_is_whole(folder: Path):
    project = yaml.safe_load((folder / "Pulumi.yaml").read_text())
    assert project["runtime"]["name"] == "python"
    assert len((folder / "__main__.py").read_text().splitlines()) <= 20
    template = folder.parent.name == "templates"
    # A stack of this checkout runs this checkout's package; what is made from a template has its own copy.
    assert (folder / "requirements.txt").read_text().strip() == ("gpuinfra[aws]" if template else "../..[aws]")
    assert project["name"] == ("${PROJECT}" if template else folder.name)
    assert ("template" in project) is template
    if not template:
        assert (folder / "README.md").exists()


@pytest.mark.parametrize("folder", ALL, ids=lambda p: p.name)
def test_the_program_registers_the_cluster(folder: Path):
    from gpuinfra.testing import record

    for preview in (True, False):
        graph = record(folder, preview=preview)
        (cluster,) = graph.of_type("gpuinfra:index:GpuCluster")
        assert graph.of_type("aws:autoscaling/group:Group")
        # A price that is unknown (a capacity block) is no output at all.
        assert set(graph.outputs) >= {"connect", "mounts", "lease_end"}
        assert all(r.name.startswith(cluster.name) for r in graph if r.parent)
