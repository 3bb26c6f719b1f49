"""The whole plan: families, laws, and that nothing is left to guess."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra import catalog
from gpuinfra.plan.resolve import resolve
from gpuinfra.vocabulary import Provider

from ..specs import AWS, AZURE, GCP, NOW, clean, pool, resolved, spec

FAMILIES = {
    AWS["location"]["provider"]: (
        AWS,
        [
            "g4dn.xlarge",
            "g5.48xlarge",
            "g6.12xlarge",
            "g6e.48xlarge",
            "p4d.24xlarge",
            "p4de.24xlarge",
            "p5.48xlarge",
            "p5e.48xlarge",
            "p5en.48xlarge",
            "p6-b200.48xlarge",
            "p6-b300.48xlarge",
            "g7e.48xlarge",
            "g5g.xlarge",
        ],
    ),
    GCP["location"]["provider"]: (
        GCP,
        [
            "g2-standard-8",
            "a2-highgpu-8g",
            "a2-ultragpu-8g",
            "a3-highgpu-8g",
            "a3-megagpu-8g",
            "a3-ultragpu-8g",
            "a4-highgpu-8g",
            "g4-standard-48",
        ],
    ),
    AZURE["location"]["provider"]: (
        AZURE,
        [
            "Standard_NC4as_T4_v3",
            "Standard_NV36ads_A10_v5",
            "Standard_NC24ads_A100_v4",
            "Standard_ND96amsr_A100_v4",
            "Standard_ND96isr_H100_v5",
            "Standard_NC40ads_H100_v5",
            "Standard_ND96isr_H200_v5",
            "Standard_ND96isr_MI300X_v5",
            "Standard_ND40rs_v2",
        ],
    ),
}


def somewhere(base, name):
    """The base in a region and zone that offers the type."""
    provider = Provider(base["location"]["provider"])
    for region in (base["location"]["region"], *catalog.regions(provider)):
        row = catalog.zones(provider, region, name)
        if row:
            return {**base, "location": {**base["location"], "region": region, "zone": row.zones[0]}}
    return base


@pytest.mark.parametrize(("base", "name"), [(b, n) for b, names in FAMILIES.values() for n in names])
def test_every_family_has_a_plan(base, name):
    capacity = {"type": "spot"} if name in ("a3-ultragpu-8g", "a4-highgpu-8g") else {"type": "on_demand"}
    container = None if "MI300X" in name else "nvidia/cuda:12.9.1-base-ubuntu22.04"
    changes = {} if name != "g4-standard-48" else {"zone": "us-central1-b"}
    s = pool(
        {**somewhere(base, name), "image": {"container": container} if container else {}},
        instance_type=name,
        capacity=capacity,
        count=2,
    )
    if changes:
        s = s.model_copy(update={"location": s.location.model_copy(update=changes)})
    plan = clean(resolved(s)).plan
    (p,) = plan.pools
    assert p.instance.name == name
    assert p.gpus_per_node >= 1
    assert p.node_image.selector
    assert p.fabric.nics
    assert p.path == "node_pools[0]"


def test_grace_nodes_come_in_a_block():
    s = pool(
        {**AWS, "location": {"provider": "aws", "region": "us-east-1", "zone": "use1-az4"}, "image": {}},
        instance_type="p6e-gb200.36xlarge",
        count=18,
        capacity={"type": "capacity_block", "id": "cr-0aaa1111bbbb2222c"},
    )
    p = clean(resolved(s)).plan.pools[0]
    assert p.instance.arch == "arm64"
    assert "arm64" in p.node_image.selector
    kinds = [(n.card, n.kind) for n in p.fabric.nics]
    assert kinds[0] == (0, "interface")
    assert all(kind == ("efa" if card % 2 == 0 else "efa-only") for card, kind in kinds[1:])


def test_a_plan_is_a_function_of_its_spec():
    assert resolved(spec()) == resolved(spec())
    later = resolve(spec(), NOW.replace(year=2027)).plan
    assert replace(later, now=NOW) == resolved(spec()).plan


def test_a_name_given_by_the_component_leads_every_name():
    plan = resolve(spec(), NOW, name="east").plan
    assert plan.name == "east"
    assert plan.pools[0].resource_name == "east-gpu-pool"
    assert dict(plan.labels)["gpuinfra-cluster"] == "east"


def test_labels_are_kept_and_ours_is_added():
    labels = dict(resolved(spec(labels={"team": "nlp"})).plan.labels)
    assert labels == {"team": "nlp", "gpuinfra-cluster": "acme"}


@given(st.integers(1, 40))
def test_many_pools_resolve_to_many_plans(n):
    pools = [{"name": f"p{i}", "instance_type": "g6.12xlarge", "count": 1} for i in range(n)]
    plan = clean(resolved(spec(node_pools=pools))).plan
    assert [p.path for p in plan.pools] == [f"node_pools[{i}]" for i in range(n)]
    assert len({p.resource_name for p in plan.pools}) == n
    assert len({p.cloud_name for p in plan.pools}) == n


@pytest.mark.parametrize(
    ("job", "with_container"),
    [
        (None, ["gpu"]),
        ({"command": ["a"], "pools": ["gpu"]}, ["gpu"]),
        ({"command": ["a"], "pools": ["gpu", "head"]}, ["gpu", "head"]),
    ],
)
def test_pools_with_gpus_and_those_that_the_job_spans_get_its_container(job, with_container):
    pools = [*AWS["node_pools"], {"name": "head", "instance_type": "c7i.2xlarge"}]
    plan = clean(resolved(spec(node_pools=pools, job=job))).plan
    assert [p.name for p in plan.pools if p.container] == with_container


def test_a_cluster_without_gpus_runs_its_container_on_every_pool():
    s = spec(node_pools=[{"name": "cpu", "instance_type": "c7i.2xlarge"}], image={"container": "debian:12.11"})
    assert clean(resolved(s)).plan.pools[0].container
