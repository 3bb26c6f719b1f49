"""The same spec elsewhere: what becomes what, and that everything which changes is said."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra import catalog
from gpuinfra.advice.change import Change, in_order
from gpuinfra.advice.clouds import CLOUDS, owner_of
from gpuinfra.advice.differences import COST_PATH, differences
from gpuinfra.advice.move import Move, move
from gpuinfra.advice.target import NO_PROJECT, Target
from gpuinfra.advice.written import as_yaml
from gpuinfra.cost import estimate
from gpuinfra.plan.label_forms import LABEL_FORMS
from gpuinfra.plan.resolve import Resolution, resolve
from gpuinfra.spec.load import load
from gpuinfra.spec.models import ClusterSpec, CountRange
from gpuinfra.vocabulary import CapacityType, Provider

from ..specs import AWS, AZURE, GCP, NOW, pool, spec

AWS_, GCP_, AZURE_ = Provider.AWS, Provider.GCP, Provider.AZURE
IOWA = Target(GCP_, "us-central1")
VIRGINIA = Target(AWS_, "us-east-1")
EASTUS = Target(AZURE_, "eastus")
STACKS = sorted((Path(__file__).parents[2] / "stacks").glob("*/cluster.yaml"))


def said(made: Move, path: str) -> Change:
    (one,) = [c for c in made.changes if c.path == path]
    return one


def silent(made: Move, path: str) -> bool:
    return not [c for c in made.changes if c.path.startswith(path)]


def planned(made: Move) -> Resolution:
    return resolve(made.spec, NOW)


def errors(made: Move) -> list[str]:
    return [f"{d.code} {d.path}: {d.message}" for d in planned(made).diagnostics if d.is_error]


def first(made: Move) -> Any:
    return made.spec.node_pools[0]


@pytest.mark.parametrize(
    ("base", "target", "instance_type"),
    [
        (AWS, IOWA, "a3-megagpu-8g"),
        (AWS, EASTUS, "Standard_ND96isr_H100_v5"),
        (GCP, VIRGINIA, "p5.48xlarge"),
        (GCP, EASTUS, "Standard_ND96isr_H100_v5"),
        (AZURE, VIRGINIA, "p5.48xlarge"),
        (AZURE, IOWA, "a3-megagpu-8g"),
    ],
)
def test_h100_boards_become_h100_boards(base: dict[str, Any], target: Target, instance_type: str):
    made = move(pool(base, count=4, fabric="required"), target)
    assert first(made).instance_type == instance_type
    assert first(made).count == 4
    assert errors(made) == []
    change = said(made, "node_pools[0].instance_type")
    assert (change.was, change.now) == (base["node_pools"][0]["instance_type"], instance_type)
    assert "8 x H100-SXM a node as before" in change.meaning


@pytest.mark.parametrize("path", STACKS, ids=lambda p: p.parent.name)
@pytest.mark.parametrize("target", [IOWA, VIRGINIA, EASTUS], ids=lambda t: t.provider)
def test_the_shipped_stacks_move(path: Path, target: Target):
    old = load(path).spec
    assert old is not None
    made = move(old, target)
    before, after = resolve(old, NOW).plan, planned(made).plan
    assert before is not None
    assert after is not None
    assert after.provider is target.provider
    for pool_before in before.pools:
        pool_after = after.pool(pool_before.name)
        if pool_after is None:
            assert said(made, f"{pool_before.path}.instance_type").now == "no twin"
            continue
        assert pool_after.wanted * pool_after.gpus_per_node >= pool_before.wanted * pool_before.gpus_per_node
    assert all(c.path and c.meaning for c in made.changes)


def test_the_same_gpus_are_kept_however_many_a_node_has():
    made = move(pool(GCP, instance_type="a3-highgpu-2g", count=6, capacity={"type": "spot"}, fabric="none"), VIRGINIA)
    assert (first(made).instance_type, first(made).count) == ("p5.48xlarge", 2)
    assert "as many GPUs in all, never fewer" in said(made, "node_pools[0].count").meaning


@pytest.mark.parametrize(("nodes", "there"), [(1, 1), (4, 1), (5, 2), (8, 2), (9, 3)])
def test_nodes_are_rounded_up_and_never_down(nodes: int, there: int):
    made = move(pool(GCP, instance_type="a3-highgpu-2g", count=nodes, capacity={"type": "spot"}), VIRGINIA)
    assert first(made).count == there


def test_a_range_moves_as_a_range():
    count = {"min": 1, "max": 9, "initial": 5}
    made = move(pool(GCP, instance_type="a3-highgpu-2g", count=count, capacity={"type": "spot"}), VIRGINIA)
    assert first(made).count == CountRange(min=1, max=3, initial=2)


def test_gpus_asked_for_by_kind_stay_asked_for():
    made = move(pool(AWS, instance_type=None, accelerator={"model": "L4", "count": 1}), IOWA)
    assert first(made).instance_type is None
    assert first(made).accelerator.model == "L4"
    assert said(made, "node_pools[0].accelerator").now.startswith("g2-standard")
    assert errors(made) == []


def test_gpus_that_are_attached_there_are_written_so():
    made = move(pool(AWS, instance_type="g4dn.xlarge", count=1), IOWA)
    assert first(made).instance_type.startswith("n1-standard-")
    assert (first(made).accelerator.model, first(made).accelerator.count) == ("T4", 1)
    assert errors(made) == []
    back = move(made.spec, VIRGINIA)
    assert first(back).accelerator is None
    assert first(back).instance_type.startswith("g4dn.")


def test_another_card_has_as_much_memory_and_is_said():
    made = move(pool(AWS, instance_type="g5.xlarge", count=2), IOWA)
    change = said(made, "node_pools[0].instance_type")
    there = catalog.instance_type(GCP_, first(made).instance_type)
    assert there.gpu_model == "L4"
    assert "1 x L4 a node, not 1 x A10G" in change.meaning


def test_small_nodes_are_not_traded_for_boards():
    made = move(pool(AWS, instance_type="g6e.12xlarge", count=4), EASTUS)
    meaning = said(made, "node_pools[0].instance_type").meaning
    assert meaning.startswith(("4 x A100-80GB-PCIE", "4 x RTX-PRO-6000"))
    assert "arm64" not in meaning


def test_what_has_no_twin_stays_and_planning_says_so():
    made = move(pool(AWS, instance_type="p6-b300.48xlarge"), EASTUS)
    assert said(made, "node_pools[0].instance_type").now == "no twin"
    assert first(made).instance_type == "p6-b300.48xlarge"
    assert any(e.startswith("GI2001 node_pools[0].instance_type") for e in errors(made))


@pytest.mark.parametrize(
    ("target", "there"),
    [(IOWA, "n1-standard-8"), (EASTUS, "Standard_D8s_v5"), (Target(AWS_, "eu-west-1"), "m7i.2xlarge")],
)
def test_machines_without_gpus_are_as_large(target: Target, there: str):
    made = move(pool(AWS, instance_type="m7i.2xlarge"), target)
    assert first(made).instance_type == there


BLOCK = {
    "type": "capacity_block",
    "id": "cr-0aaa1111bbbb2222c",
    "starts": "2026-12-01T11:30:00Z",
    "ends": "2026-12-03T11:30:00Z",
}


@pytest.mark.parametrize(
    ("base", "changes", "target", "way"),
    [
        (AWS, {"capacity": BLOCK}, IOWA, CapacityType.FLEX_START),
        (AWS, {"capacity": BLOCK}, EASTUS, CapacityType.ON_DEMAND),
        (AWS, {"capacity": BLOCK}, VIRGINIA, CapacityType.ON_DEMAND),
        (AWS, {"capacity": {"type": "reservation", "id": "cr-0ddd3333eeee4444f"}}, IOWA, CapacityType.ON_DEMAND),
        (AWS, {"capacity": {"type": "spot"}}, IOWA, CapacityType.SPOT),
        (AWS, {"instance_type": "p5en.48xlarge"}, IOWA, CapacityType.FLEX_START),
        (GCP, {"capacity": {"type": "flex_start", "duration": "24h"}}, VIRGINIA, CapacityType.ON_DEMAND),
        (GCP, {"capacity": {"type": "reservation", "id": "res-a"}}, EASTUS, CapacityType.ON_DEMAND),
    ],
)
def test_a_purchase_without_a_twin_becomes_the_nearest(
    base: dict[str, Any], changes: dict[str, Any], target: Target, way: CapacityType
):
    made = move(pool(base, **changes), target)
    assert first(made).capacity.type is way
    assert first(made).capacity.id is None
    assert not [e for e in errors(made) if ".capacity" in e]


def test_a_window_becomes_as_long_a_flex_start_and_never_too_long():
    made = move(pool(AWS, capacity=BLOCK), IOWA)
    assert first(made).capacity.duration == timedelta(hours=48)
    assert "168h" not in said(made, "node_pools[0].capacity").now
    long = move(pool(AWS, instance_type="p5en.48xlarge"), IOWA)
    assert first(long).capacity.duration == timedelta(hours=72)
    endless = move(
        pool(spec(AWS, shutdown={"lease": "900h"}).model_dump(mode="json"), instance_type="p5en.48xlarge"), IOWA
    )
    assert first(endless).capacity.duration == timedelta(days=7)


def test_racks_ask_for_a_reservation_of_the_new_place():
    made = move(
        pool(GCP, instance_type="a4x-highgpu-4g", count=18, capacity={"type": "reservation", "id": "r"}),
        Target(GCP_, "us-west1"),
    )
    assert first(made).capacity.type is CapacityType.RESERVATION
    assert any("no" in e or "none" in e for e in errors(made) if e.startswith("GI20"))


def test_a_reservation_stays_where_the_place_stays():
    old = pool(AWS, capacity={"type": "reservation", "id": "cr-0ddd3333eeee4444f"})
    made = move(old, Target(AWS_, "us-east-2", "use2-az1"))
    assert made.spec == old
    assert made.changes == ()


def test_another_region_of_the_same_cloud():
    store = [{"name": "data", "kind": "bucket", "existing": "s3://acme", "mount": "/data"}]
    old = spec(AWS, storage=store, image={"node": "ami-0123456789abcdef0"}, labels={"Team": "nlp"})
    made = move(old, VIRGINIA)
    assert made.spec.location.zone is None
    assert made.spec.node_pools == old.node_pools
    assert made.spec.storage[0].existing == "s3://acme"
    assert "another region" in said(made, "storage[0].existing").meaning
    assert made.spec.image.node == "auto"
    assert made.spec.labels == {"Team": "nlp"}
    assert silent(made, "budget")


def test_fields_of_the_old_location_are_dropped_and_said():
    location = {**AWS["location"], "deployer_roles": ["ml", "ci"], "activate_cost_tag": True}
    made = move(spec(AWS, location=location), IOWA)
    assert said(made, "location.deployer_roles").was == "ml, ci"
    assert said(made, "location.activate_cost_tag").now == "none"
    assert made.spec.location.project == NO_PROJECT
    assert "--project" in said(made, "location.project").meaning
    named = move(spec(AWS), Target(GCP_, "us-central1", project="acme-lab"))
    assert named.spec.location.project == "acme-lab"


def test_a_scale_set_of_azure_wants_a_key():
    assert "public key" in said(move(spec(AWS), EASTUS), "network.ssh_keys").meaning
    keys = AZURE["network"]["ssh_keys"]
    assert silent(move(spec(AWS, network={"ssh_keys": keys}), EASTUS), "network.ssh_keys")


def test_what_exists_stays_behind():
    store = [
        {"name": "fast", "kind": "lustre", "size_gib": 9600, "throughput_mbps_per_tib": 500, "mount": "/fast",
         "import_from": "s3://acme/tokens"},
        {"name": "old", "kind": "lustre", "existing": "fs-0123456789abcdef0", "mount": "/old"},
        {"name": "data", "kind": "bucket", "existing": "s3://acme", "mount": "/data"},
    ]  # fmt: skip
    network = {"existing": {"network": "vpc-0a1b2c3d4e5f60718", "subnet": "subnet-0f1e2d3c4b5a69788"}}
    made = move(spec(AWS, storage=store, network=network), IOWA)
    assert made.spec.network.existing is None
    assert [s.existing for s in made.spec.storage] == [None] * 3
    assert made.spec.storage[0].import_from is None
    for path in ("network.existing", "storage[1].existing", "storage[2].existing", "storage[0].import_from"):
        assert said(made, path).now == "none"
    assert errors(made) == []


@pytest.mark.parametrize(
    ("store", "target", "there"),
    [
        ({"size_gib": 9600, "throughput_mbps_per_tib": 500}, IOWA, (18000, 500)),
        ({"size_gib": 9600, "throughput_mbps_per_tib": 500}, EASTUS, (12288, 500)),
        ({"size_gib": 9600, "throughput_mbps_per_tib": 125}, IOWA, (18000, 500)),
        ({"size_gib": 4800, "throughput_mbps_per_tib": 1000}, EASTUS, (8192, 500)),
        ({"size_gib": 9600}, IOWA, (18000, None)),
        ({"size_gib": 9600, "throughput_mbps_per_tib": 500}, VIRGINIA, (9600, 500)),
    ],
)
def test_sizes_go_up_to_the_steps_there_and_are_said(
    store: dict[str, Any], target: Target, there: tuple[int, int | None]
):
    old = spec(AWS, storage=[{"name": "fast", "kind": "lustre", "mount": "/fast", **store}])
    made = move(old, target)
    new = made.spec.storage[0]
    assert (new.size_gib, new.throughput_mbps_per_tib) == there
    if new.size_gib != store["size_gib"]:
        assert said(made, "storage[0].size_gib").was == "9600" if store["size_gib"] == 9600 else "4800"
    assert errors(made) == []


def test_a_file_system_that_grows_by_itself_gets_a_size_and_loses_it():
    home = [{"name": "home", "kind": "nfs", "mount": "/shared"}]
    there = move(spec(AWS, storage=home), IOWA)
    assert there.spec.storage[0].size_gib == 1024
    assert said(there, "storage[0].size_gib").was == "not named"
    back = move(there.spec, VIRGINIA)
    assert said(back, "storage[0].size_gib").now == "grows by itself"


def test_labels_are_spelled_as_the_cloud_takes_them():
    labels = {"Team": "NLP", "cost_center": "1234", "owner": "a@b.example", "9": "x"}
    made = move(spec(AWS, labels=labels), IOWA)
    assert made.spec.labels == {"team": "nlp", "cost_center": "1234", "owner": "a-b-example"}
    assert said(made, "labels.9").now == "none"
    assert silent(made, "labels.cost_center")


def test_two_labels_never_become_one():
    made = move(spec(AWS, labels={"Team": "a", "team": "b"}), IOWA)
    assert made.spec.labels == {"team": "b"}
    assert said(made, "labels.Team").now == "none"


@pytest.mark.parametrize(
    ("container", "owner"),
    [
        ("123456789012.dkr.ecr.us-east-2.amazonaws.com/train:1", AWS_),
        ("us-docker.pkg.dev/acme/repo/train:1", GCP_),
        ("gcr.io/acme/train:1", GCP_),
        ("acme.azurecr.io/train:1", AZURE_),
        ("public.ecr.aws/acme/train:1", None),
        ("nvcr.io/nvidia/pytorch:25.08-py3", None),
        ("pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", None),
    ],
)
def test_a_registry_of_the_old_cloud_is_said(container: str, owner: Provider | None):
    assert owner_of(container.partition("/")[0]) is owner
    base = {AWS_: AWS, GCP_: GCP, AZURE_: AZURE}[owner or AWS_]
    target = VIRGINIA if owner in (GCP_, AZURE_) else IOWA
    made = move(spec(base, image={"container": container}), target)
    assert made.spec.image.container == container
    assert silent(made, "image.container") == (owner is None)


def test_the_budget_means_something_else_there():
    budget = {"per_month_usd": 900, "on_limit": "deny", "contacts": ["a@example.com"]}
    made = move(spec(AWS, budget=budget), IOWA)
    assert "nothing denies new nodes" in said(made, "budget.on_limit").meaning
    assert "label" in said(made, "budget.per_month_usd").meaning
    assert silent(move(spec(AWS, budget={"per_run_usd": 900}), IOWA), "budget")


def test_every_cloud_says_what_its_words_mean():
    assert set(CLOUDS) == set(LABEL_FORMS) == set(Provider)
    assert all(c.source and c.budget and c.stop and c.deny for c in CLOUDS.values())


def test_what_two_plans_mean_differently():
    old = pool(AWS, count=4)
    made = move(old, IOWA)
    before, after = resolve(old, NOW).plan, planned(made).plan
    assert before is not None
    assert after is not None
    found = {c.path: c for c in differences(before, after, (estimate(before), estimate(after)))}
    assert found["node_pools[0].fabric"].meaning == "200 Gbps a GPU, not 400"
    assert found[COST_PATH].was.endswith("USD/h")
    assert "USD a GPU hour, not " in found[COST_PATH].meaning
    assert "prices of 20" in found[COST_PATH].meaning
    assert not list(differences(before, before, (estimate(before), estimate(before))))


def test_changes_go_as_the_spec_goes():
    paths = [
        "cost",
        "storage[1].kind",
        "node_pools[10].fabric",
        "node_pools[2].count",
        "location",
        "labels.x",
        "budget.start",
    ]
    ordered = [c.path for c in in_order(Change(p, "", "", "") for p in paths)]
    assert ordered == [
        "location",
        "node_pools[2].count",
        "node_pools[10].fabric",
        "storage[1].kind",
        "labels.x",
        "budget.start",
        "cost",
    ]


def test_the_moved_spec_is_read_back_as_it_is(tmp_path: Path):
    made = move(load(STACKS[2]).spec or spec(), EASTUS)
    text = as_yaml(made.spec, "Moved.")
    assert text.startswith("# Moved.\napi_version: gpuinfra/v1\n")
    path = tmp_path / "moved.yaml"
    path.write_text(text)
    again = load(path)
    assert not again.diagnostics
    assert again.spec == made.spec
    assert "25000.0" not in text
    assert yaml.safe_load(text)["location"]["provider"] == "azure"


PLACES = st.sampled_from(
    [IOWA, VIRGINIA, EASTUS, Target(AWS_, "eu-west-1"), Target(GCP_, "europe-west4"), Target(AZURE_, "westus3")]
)
GPU_TYPES = [
    (p, t.name)
    for p in Provider
    for t in catalog.instance_types(p)
    if ":" not in t.name and not catalog.retired(p, t.name)
]
BASES = {AWS_: AWS, GCP_: GCP, AZURE_: AZURE}


@settings(deadline=None, max_examples=150)
@given(
    which=st.sampled_from(GPU_TYPES),
    target=PLACES,
    nodes=st.integers(0, 40),
    way=st.sampled_from(["on_demand", "spot"]),
    fabric=st.sampled_from(["auto", "required", "none"]),
)
def test_no_move_loses_gpus_or_memory_or_breaks_the_spec(
    which: tuple[Provider, str], target: Target, nodes: int, way: str, fabric: str
):
    provider, name = which
    old = pool(BASES[provider], instance_type=name, count=nodes, capacity={"type": way}, fabric=fabric)
    made = move(old, target)
    ClusterSpec.model_validate(made.spec.model_dump(mode="json"))
    had, has = catalog.instance_type(provider, name), None
    new = first(made)
    found = catalog.instance_type(target.provider, new.instance_type)
    has = found if hasattr(found, "gpu_count") else None
    if any(c.now == "no twin" for c in made.changes) or has is None:
        assert new == old.node_pools[0]
        return
    gpus = new.accelerator.count if new.accelerator else has.gpu_count
    assert new.count * gpus >= nodes * had.gpu_count
    if not new.accelerator and has.gpu_model != had.gpu_model and has.gpu_memory_gib and had.gpu_memory_gib:
        mine, theirs = catalog.accelerator(had.gpu_model), catalog.accelerator(has.gpu_model)
        assert (theirs.memory_gib or has.gpu_memory_gib) >= (mine.memory_gib or had.gpu_memory_gib) * 0.99
    assert not [d for d in planned(made).diagnostics if d.code in ("GI2001", "GI2002", "GI2013")]


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(st.text(min_size=1, max_size=20).filter(str.isprintable), st.text(max_size=20).filter(str.isprintable), max_size=6),
       st.sampled_from([IOWA, EASTUS]))  # fmt: skip
def test_moved_labels_are_taken_there(labels: dict[str, str], target: Target):
    if not all(k.strip() for k in labels):
        return
    made = move(spec(AWS, labels=labels), target)
    form = LABEL_FORMS[target.provider]
    for key, value in made.spec.labels.items():
        assert form.key.fullmatch(key)
        assert form.value.fullmatch(value)
        assert not key.lower().startswith(form.reserved)
    lost = len(labels) - len(made.spec.labels)
    assert lost == len([c for c in made.changes if c.path.startswith("labels.") and c.now == "none"])


def test_a_card_that_a_container_may_have_no_code_for_comes_last():
    made = move(pool(AWS, instance_type="g5.12xlarge", count=2), EASTUS)
    there = catalog.instance_type(AZURE_, first(made).instance_type)
    assert there.gpu_model not in ("V100-32GB", "T4", "M60")


def test_what_only_the_new_cloud_sells_needs_no_twin():
    old = pool(AWS, instance_type=None, accelerator={"model": "MI300X", "count": 8})
    made = move(old, EASTUS)
    assert made.spec.node_pools == old.node_pools
    before, after = resolve(old, NOW).plan, planned(made).plan
    assert before is not None
    assert after is not None
    (cost,) = [c for c in differences(before, after, (estimate(before), estimate(after))) if c.path == COST_PATH]
    assert (cost.was, cost.meaning) == ("unknown", "a pool has no machine here")


def test_more_nodes_than_a_pool_has_are_no_twin():
    made = move(pool(AWS, instance_type="g6.48xlarge", count=9000), Target(GCP_, "us-central1"))
    assert first(made).count == 9000
    many = move(pool(AWS, instance_type="p6-b200.48xlarge", count=9000, fabric="none"), EASTUS)
    assert said(many, "node_pools[0].count").now == "no twin"
    assert "10,000 nodes" in said(many, "node_pools[0].count").meaning
    assert many.spec.node_pools[0].instance_type == "p6-b200.48xlarge"


def test_a_window_that_ends_before_it_starts_gives_a_day():
    made = move(pool(AWS, capacity={**BLOCK, "ends": "2020-01-01T00:00:00Z"}), IOWA)
    assert first(made).capacity.duration == timedelta(hours=24)


def test_a_size_beyond_every_ladder_stays_and_planning_says_so():
    store = [{"name": "fast", "kind": "lustre", "size_gib": 2**40, "throughput_mbps_per_tib": 500, "mount": "/fast"}]
    made = move(spec(AZURE, storage=store), VIRGINIA)
    assert made.spec.storage[0].size_gib == 2**40
    assert errors(made)
