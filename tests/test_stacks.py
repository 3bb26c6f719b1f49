"""What people start from: the shipped stacks and templates are right, whole, and short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from gpuinfra.cost import estimate
from gpuinfra.diagnostics import has_errors
from gpuinfra.plan.models import ClusterPlan
from gpuinfra.plan.resolve import resolve
from gpuinfra.policy.engine import check_plan
from gpuinfra.spec.load import load
from gpuinfra.testing import record
from gpuinfra.vocabulary import Provider

from .specs import NOW

ROOT = Path(__file__).parent.parent
STACKS = sorted(p.parent for p in ROOT.glob("stacks/*/Pulumi.yaml"))
TEMPLATES = sorted(p.parent for p in ROOT.glob("templates/*/Pulumi.yaml"))
ALL = [*STACKS, *TEMPLATES]

GROUP_TYPES = {
    Provider.AWS: {"aws:autoscaling/group:Group"},
    Provider.GCP: {
        "gcp:compute/instanceGroupManager:InstanceGroupManager",
        "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager",
    },
    Provider.AZURE: {"azure-native:compute:VirtualMachineScaleSet"},
}
"""What one pool's group is on each cloud."""


def specs(folder: Path) -> list[Path]:
    """The specs of a folder: cluster.yaml, or one for each cloud of a program that uses several."""
    return sorted(p for p in folder.glob("*.yaml") if not p.name.startswith("Pulumi"))


SPECS = [path for folder in ALL for path in specs(folder)]


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def plan_of(path: Path) -> ClusterPlan:
    loaded = load(str(path))
    assert loaded.spec is not None, loaded.diagnostics
    resolution = resolve(loaded.spec, NOW)
    assert resolution.plan is not None, resolution.diagnostics
    return resolution.plan


def test_the_stacks_are_there():
    assert {p.name for p in STACKS} >= {
        "aws-h100-training",
        "aws-b300-capacity-block",
        "aws-l4-inference",
        "aws-a100-spot-finetune",
        "gcp-h100-training",
        "gcp-b200-flex",
        "gcp-l4-inference",
        "gcp-t4-notebook",
        "azure-h100-training",
        "azure-mi300x",
        "azure-a10-rendering",
        "multi-cloud",
    }
    assert {p.name for p in TEMPLATES} >= {f"{provider}-h100-hours" for provider in GROUP_TYPES}


@pytest.mark.parametrize("path", SPECS, ids=name_of)
def test_the_spec_is_clean(path: Path):
    loaded = load(str(path))
    assert loaded.spec is not None, loaded.diagnostics
    resolution = resolve(loaded.spec, NOW)
    assert resolution.plan is not None
    found = [*loaded.diagnostics, *resolution.diagnostics, *check_plan(resolution.plan)]
    assert not has_errors(found), found


@pytest.mark.parametrize("path", SPECS, ids=name_of)
def test_the_cluster_has_an_end_and_somebody_hears_of_its_cost(path: Path):
    loaded = load(str(path))
    assert loaded.spec is not None
    assert loaded.spec.shutdown
    assert loaded.spec.shutdown.lease
    assert loaded.spec.budget
    assert loaded.spec.budget.contacts


@pytest.mark.parametrize("folder", ALL, ids=lambda p: p.name)
def test_the_folder_is_whole(folder: Path):
    project = yaml.safe_load((folder / "Pulumi.yaml").read_text())
    assert project["runtime"]["name"] == "python"
    assert len((folder / "__main__.py").read_text().splitlines()) <= 20
    template = folder.parent.name == "templates"
    extras = ",".join(sorted({plan_of(path).provider for path in specs(folder)}))
    # A stack of this checkout runs this checkout's package; what is made from a template has its own copy.
    package = "gpuinfra" if template else "../.."
    assert (folder / "requirements.txt").read_text().strip() == f"{package}[{extras}]"
    assert project["name"] == ("${PROJECT}" if template else folder.name)
    assert ("template" in project) is template


@pytest.mark.parametrize("folder", STACKS, ids=lambda p: p.name)
def test_the_readme_says_what_one_needs_what_to_change_and_how_one_gets_in(folder: Path):
    text = (folder / "README.md").read_text()
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "What it costs",
        "What you need",
        "What to change",
        "Run it",
    ]
    assert "pulumi up" in text
    assert "pulumi stack output" in text


@pytest.mark.parametrize("folder", STACKS, ids=lambda p: p.name)
def test_the_readme_gives_the_price_that_the_tables_give(folder: Path):
    text = (folder / "README.md").read_text().partition("## What you need")[0]
    said = [amount.replace(",", "") for amount in re.findall(r"([\d,]+(?:\.\d+)?) USD an hour", text)]
    for path in specs(folder):
        cost = estimate(plan_of(path))
        worst = cost.worst_usd_per_hour
        assert (f"{worst:.0f}" if worst >= 10 else f"{worst:.2f}") in said, (path.name, worst, said)
        whole = cost.worst_usd_per_lease
        if not cost.unknown or "over the lease" in text:
            assert f"{whole:,.0f} USD over the lease" in text, (path.name, whole)
        for name in cost.unknown:
            assert name.partition(" (")[0].partition(" nodes")[0] in text, name


@pytest.mark.parametrize("folder", ALL, ids=lambda p: p.name)
def test_the_program_registers_the_cluster(folder: Path):
    plans = [plan_of(path) for path in specs(folder)]
    for preview in (True, False):
        graph = record(folder, preview=preview)
        clusters = graph.of_type("gpuinfra:index:GpuCluster")
        assert len(clusters) == len(plans)
        for plan in plans:
            groups = [r for r in graph if r.type in GROUP_TYPES[plan.provider]]
            assert len(groups) == len(plan.pools), plan.provider
        # A price that is unknown (a capacity block) is no output at all.
        said = {name.removeprefix(f"{plan.provider}_") for name in graph.outputs for plan in plans}
        assert said >= {"connect", "mounts", "lease_end"}
        assert all(any(r.name.startswith(cluster.name) for cluster in clusters) for r in graph if r.parent)


@pytest.mark.parametrize("folder", TEMPLATES, ids=lambda p: p.name)
def test_what_a_template_asks_for_reaches_the_cluster(folder: Path):
    asked = yaml.safe_load((folder / "Pulumi.yaml").read_text())["template"].get("config", {})
    answers = {
        "gcp:project": "other-lab",
        "gcp:region": "europe-west4",
        "azure-native:location": "westeurope",
        "sshKey": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIexampleexampleexampleexample someone@example.com",
        "gcp:userProjectOverride": "true",
        "gcp:billingProject": "other-lab",
    }
    assert set(asked) <= set(answers)
    config = {key if ":" in key else f"project:{key}": answers[key] for key in asked}
    shown = str([r.inputs for r in record(folder, config=config)])
    for key in asked:
        if key not in ("gcp:userProjectOverride", "gcp:billingProject"):  # words of the provider, not of the cluster
            assert answers[key] in shown, key


def test_the_two_clusters_of_the_multi_cloud_stack_are_one_spec_moved():
    specs_ = [yaml.safe_load(p.read_text()) for p in specs(ROOT / "stacks" / "multi-cloud")]
    moved = {"name", "location"}
    of_a_pool = {"instance_type", "count"}
    first, second = ({k: v for k, v in s.items() if k not in {*moved, "node_pools"}} for s in specs_)
    assert first == second
    pools = [[{k: v for k, v in p.items() if k not in of_a_pool} for p in s["node_pools"]] for s in specs_]
    assert pools[0] == pools[1]
    assert len({s["location"]["provider"] for s in specs_}) == 2
