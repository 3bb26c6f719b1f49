"""The page of what each part becomes says what the goldens hold, all of it, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gpuinfra.providers import available
from gpuinfra.reference.concepts import (
    CONCEPTS,
    TITLES,
    Concept,
    Made,
    UnknownComponentError,
    _made_of,
    _shown,
    concept_of,
    resources_page,
)
from gpuinfra.reference.fields import spec_fields
from gpuinfra.vocabulary import Provider

GOLDENS = Path(__file__).parents[1] / "golden"
BUILT = [p for p in available() if (GOLDENS / f"{p}-complex" / "update.json").exists()]


def rows() -> list[list[str]]:
    lines = [line for line in resources_page(GOLDENS).splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def in_the_page(provider: Provider) -> list[str]:
    column = list(TITLES).index(provider) + 2
    return [name for row in rows() for name in re.findall(r"`([^`]+)`", row[column])]


@pytest.mark.parametrize("provider", BUILT)
def test_every_resource_type_of_the_goldens_is_in_the_page_and_no_other(provider: Provider):
    types = {
        resource["type"]
        for path in GOLDENS.glob(f"{provider}-*/update.json")
        for resource in json.loads(path.read_text())["resources"]
        if not resource["type"].startswith("gpuinfra:")
    }
    assert set(in_the_page(provider)) == {_shown(token) for token in types}


@pytest.mark.parametrize("provider", BUILT)
def test_what_every_cluster_has_is_something_on_every_cloud(provider: Provider):
    column = list(TITLES).index(provider) + 2
    everywhere = {
        "network and subnets",
        "who may reach whom",
        "the way out",
        "what nodes may do",
        "the group and what its nodes are",
        "storage: lustre",
        "storage: nfs",
        "budget, and who hears of it",
        "what sets the groups to zero",
        "lease and recurring stop",
    }
    empty = {row[0] for row in rows() if row[column] == "–"}
    assert not empty & everywhere


@pytest.mark.parametrize(
    ("part", "provider", "name"),
    [
        ("the group and what its nodes are", Provider.AWS, "autoscaling.Group"),
        ("the group and what its nodes are", Provider.GCP, "compute.InstanceGroupManager"),
        ("the group and what its nodes are", Provider.AZURE, "compute.VirtualMachineScaleSet"),
        ("nodes that stand together", Provider.AWS, "ec2.PlacementGroup"),
        ("windows and requests for capacity", Provider.GCP, "compute.ResizeRequest"),
        ("the way out", Provider.AWS, "ec2.NatGateway"),
        ("the way out", Provider.GCP, "compute.RouterNat"),
        ("the way out", Provider.AZURE, "network.NatGateway"),
        ("who may reach whom", Provider.AWS, "ec2.SecurityGroup"),
        ("storage: lustre", Provider.AWS, "fsx.LustreFileSystem"),
        ("storage: lustre", Provider.AZURE, "storagecache.AmlFilesystem"),
        ("storage: bucket", Provider.AWS, "s3.Bucket"),
        ("lease and recurring stop", Provider.AWS, "scheduler.Schedule"),
        ("lease and recurring stop", Provider.GCP, "cloudscheduler.Job"),
        ("lease and recurring stop", Provider.AZURE, "monitor.AutoscaleSetting"),
        ("budget, and who hears of it", Provider.GCP, "billing.Budget"),
        ("what sets the groups to zero", Provider.AWS, "lambda.Function"),
        ("what sets the groups to zero", Provider.GCP, "workflows.Workflow"),
        ("what sets the groups to zero", Provider.AZURE, "logic.Workflow"),
    ],
)
def test_a_resource_stands_at_the_part_that_asks_for_it(part: str, provider: Provider, name: str):
    (row,) = [row for row in rows() if row[0] == part]
    assert f"`{name}`" in row[list(TITLES).index(provider) + 2]


def test_every_field_of_the_page_is_one_of_the_spec():
    fields = {field.path for field in spec_fields()} | {"node_pools[]"}
    assert {concept.field for concept in CONCEPTS} <= fields


def test_each_concept_takes_something():
    made = [m for provider in BUILT for m in _made_of(GOLDENS, provider)]
    used = {concept_of(m).title for m in made}
    optional = {"what nodes boot from", "storage: what all share"}
    assert {c.title for c in CONCEPTS} - used <= optional


def test_a_component_that_no_concept_names_is_a_fault():
    with pytest.raises(UnknownComponentError, match="Something"):
        concept_of(Made("Something", "x-thing", "ec2.Vpc"))


def test_a_concept_names_by_class_or_by_role_and_the_one_without_words_takes_the_rest():
    made = Made("Spend", "llama-budget-stop", "sns.Topic")
    assert Concept("a", "budget", "Spend", classes="Topic").names(made)
    assert Concept("a", "budget", "Spend", roles="-budget").names(made)
    assert not Concept("a", "budget", "Spend", roles="-lease").names(made)
    assert not Concept("a", "budget", "Spend", classes="Queue").names(made)
    assert Concept("a", "budget", "Spend").takes_the_rest
    assert concept_of(made).field == "budget"
    assert concept_of(Made("Spend", "llama-lease", "time.Offset")).field == "shutdown"
