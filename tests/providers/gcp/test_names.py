"""Laws of names: whatever the cluster is called, Google takes what is made of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.plan.models import ClusterPlan
from gpuinfra.plan.names import cloud_name
from gpuinfra.policy.resource_graph import ResourceGraph
from gpuinfra.providers.gcp.labels import labels
from gpuinfra.providers.gcp.names import (
    account_id,
    auto_name,
    network_path,
    owner_of,
    role_prefix,
    subnet_path,
    template_prefix,
)
from gpuinfra.vocabulary import Provider

from .clusters import FLEX, MEMBER, RESERVED, cluster, of_type, planned, pool, recorded

RFC1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
NAMES = st.from_regex(r"\A[a-z]([-a-z0-9]{0,61}[a-z0-9])?\Z")
LAWS = settings(deadline=None, max_examples=200)


@LAWS
@given(NAMES, st.sampled_from(["network", "subnet", "firewall", "resource_policy", "router", "address"]))
def test_a_name_is_left_to_pulumi_only_where_its_own_fits(name: str, kind: str) -> None:
    made = auto_name(f"{name}-gpu0-subnet", kind)
    final = made or f"{name}-gpu0-subnet-1a2b3c4"
    assert RFC1035.fullmatch(final)
    assert len(final) <= 63


@LAWS
@given(NAMES)
def test_an_account_id_is_within_its_bounds(name: str) -> None:
    found = account_id(f"{name}-nodes")
    assert 6 <= len(found) <= 30
    assert RFC1035.fullmatch(found)


@LAWS
@given(NAMES)
def test_a_role_id_is_within_its_bounds(name: str) -> None:
    found = role_prefix(f"{name}-nodes-leave") + "1" * 21
    assert re.fullmatch(r"[a-zA-Z0-9_.]{3,64}", found)


@LAWS
@given(NAMES)
def test_a_template_has_room_for_what_the_provider_adds(name: str) -> None:
    prefix = template_prefix(f"{name}-gpu-pool-template")
    assert len(prefix) <= 37
    assert RFC1035.fullmatch(f"{prefix}{'1' * 26}")


@LAWS
@given(NAMES, NAMES)
def test_a_group_has_room_for_what_it_adds_to_its_machines(cluster_name: str, pool_name: str) -> None:
    found = cloud_name(Provider.GCP, "node_group", cluster_name, pool_name)
    assert len(found) <= 58
    assert RFC1035.fullmatch(found)


@LAWS
@given(NAMES, NAMES)
def test_two_clusters_never_share_an_account(one: str, other: str) -> None:
    assert (account_id(one) == account_id(other)) is (one == other)


@LAWS
@given(st.dictionaries(st.text(min_size=1, max_size=80), st.text(max_size=80), max_size=5))
def test_labels_are_of_googles_alphabet(given_labels: dict[str, str]) -> None:
    plan = planned(cluster())
    forced: ClusterPlan = plan.__class__(**{**vars(plan), "labels": tuple(given_labels.items())})
    for key, value in labels(forced, plan.pools[0]).items():
        assert re.fullmatch(r"[a-z0-9_-]{1,63}", key)
        assert re.fullmatch(r"[a-z0-9_-]{0,63}", value)


def test_a_label_keeps_its_letters() -> None:
    plan = planned(cluster())
    forced: ClusterPlan = plan.__class__(**{**vars(plan), "labels": (("Team", "NLP Research"),)})
    assert labels(forced) == {"team": "nlp-research"}


@pytest.mark.parametrize(
    ("given_id", "path"),
    [
        ("prod", "projects/acme-lab/global/networks/prod"),
        ("projects/host/global/networks/prod", "projects/host/global/networks/prod"),
        (
            "https://www.googleapis.com/compute/v1/projects/host/global/networks/prod",
            "projects/host/global/networks/prod",
        ),
        (
            "https://compute.googleapis.com/compute/beta/projects/host/global/networks/prod",
            "projects/host/global/networks/prod",
        ),
    ],
)
def test_a_network_has_one_path_in_each_form(given_id: str, path: str) -> None:
    assert network_path("acme-lab", given_id) == path
    assert owner_of(path) == path.split("/")[1]
    assert subnet_path("acme-lab", "us-central1", "s") == "projects/acme-lab/regions/us-central1/subnetworks/s"


LONG = "llama-70b-pretraining-run-of-the-nlp-team-in-the-east"


def names_of(graph: ResourceGraph) -> list[tuple[str, str]]:
    return [(r.type, r.get("name") or f"{r.name}-1a2b3c4") for r in graph if r.type.startswith("gcp:compute/")]


@pytest.mark.parametrize(
    "spec",
    [
        of_type("a4-highgpu-8g", name="gpu-workers-of-the-large-kind-in-zone-one", capacity=FLEX),
        of_type("a3-megagpu-8g", name="gpu-workers-of-the-large-kind-in-zone-one", capacity={"type": "spot"}),
        of_type("a4x-highgpu-4g", name="gpu-workers-of-the-large-kind-in-zone-one", capacity=RESERVED),
        cluster(storage=[{"name": "scratch", "kind": "lustre", "size_gib": 18000, "mount": "/s"}]),
    ],
)
def test_whole_clusters_with_long_names(spec: dict[str, Any]) -> None:
    graph = recorded(spec, LONG)
    for type_, name in names_of(graph):
        if "Template" in type_:
            continue
        assert RFC1035.fullmatch(name), (type_, name)
        assert len(name) <= (58 if "GroupManager" in type_ else 63), (type_, name)
    names = names_of(graph)
    assert len(names) == len(set(names)), "shortened names stay apart"


def test_adding_a_pool_renames_nothing() -> None:
    one = {r.urn for r in recorded(cluster())}
    two = {r.urn for r in recorded(cluster(node_pools=[pool(), pool(name="other")]))}
    assert one <= two
    assert MEMBER in {r.type for r in recorded(cluster())}
