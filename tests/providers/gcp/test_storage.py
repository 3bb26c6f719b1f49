"""Shared storage: what is made, what is read, and what nodes are told of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pulumi_gcp import filestore, lustre

from gpuinfra.catalog import limit
from gpuinfra.gcp import SharedStorage
from gpuinfra.plan.models import ClusterPlan
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef
from gpuinfra.providers.gcp.lustre import file_system_name
from gpuinfra.testing import record
from gpuinfra.vocabulary import Provider

from .parts import files, only, outputs_of, planned

LUSTRE = "gcp:lustre/instance:Instance"
FILESTORE = "gcp:filestore/instance:Instance"
BUCKET = "gcp:storage/bucket:Bucket"
NETWORK = "gcp:compute/network:Network"
PEERING = "gcp:servicenetworking/connection:Connection"

SCRATCH = {"name": "scratch", "kind": "lustre", "size_gib": 18000, "throughput_mbps_per_tib": 500, "mount": "/scratch"}
HOME = {"name": "home", "kind": "nfs", "size_gib": 1024, "mount": "/shared"}
OUT = {"name": "out", "kind": "bucket", "mount": "/out"}


def told(plan: ClusterPlan, *, preview: bool = False, **answers: Any) -> dict[str, Any]:
    """What nodes are told of the storage, by its late name; and what others may know of each mount."""
    found: dict[str, Any] = {}

    def program() -> None:
        made = SharedStorage("files", plan)
        for name, mount in made.mounts.items():
            values = {
                **{f"storage.{name}.{k}": v for k, v in mount.late.items()},
                name: mount.address,
                f"{name}/": mount.path,
            }
            for key, value in values.items():
                value.apply(lambda known, key=key: found.update({key: known}))

    record(program, preview=preview, **answers)
    return found


# Lustre.


def test_lustre_is_written_out() -> None:
    graph = files(SCRATCH)
    fs = only(graph, LUSTRE)
    assert fs.get("instanceId") == "train-scratch"
    assert fs.get("filesystem") == "scratch"
    assert (fs.get("capacityGib"), fs.get("perUnitStorageThroughput")) == ("18000", "500"), "Google wants text"
    assert fs.get("location") == "us-central1-a"
    assert fs.inputs["network"] == OutputRef("train-vpc", "id")
    assert fs.get("gkeSupportEnabled") is False
    assert fs.get("labels")["gpuinfra-cluster"] == "train"
    assert "dynamicTierOptions" not in fs.inputs


def test_the_dynamic_tier_has_no_speed() -> None:
    fs = only(files({**SCRATCH, "size_gib": 472000, "throughput_mbps_per_tib": None}), LUSTRE)
    assert fs.get("dynamicTierOptions") == {"mode": "DEFAULT_CACHE"}
    assert "perUnitStorageThroughput" not in fs.inputs
    assert fs.get("capacityGib") == "472000"


@pytest.mark.parametrize("name", ["a", "scratch", "scratch8"])
def test_clients_mount_the_storages_own_name_where_it_fits(name: str) -> None:
    assert file_system_name(name) == name


NAMES = st.from_regex(r"[a-z]([-a-z0-9]{0,20}[a-z0-9])?", fullmatch=True)


@given(one=NAMES, other=NAMES)
def test_no_two_storages_share_that_name(one: str, other: str) -> None:
    row = limit(Provider.GCP, "name.lustre_filesystem")
    assert row
    for name in (one, other):
        assert 1 <= len(file_system_name(name)) <= row.maximum
        assert file_system_name(name).isalnum()
        assert file_system_name(name)[0].isalpha()
    assert (file_system_name(one) == file_system_name(other)) == (one == other)


# Filestore.


def test_nfs_is_written_out() -> None:
    graph = files(HOME)
    fs = only(graph, FILESTORE)
    assert (fs.get("name"), fs.get("tier"), fs.get("protocol")) == ("train-home", "ZONAL", "NFS_V4_1")
    assert fs.get("fileShares") == {"name": "share", "capacityGb": 1024}
    assert fs.get("location") == "us-central1-a"
    assert "zone" not in fs.inputs, "the provider has retired it"
    assert fs.inputs["networks"] == [
        {
            "network": OutputRef("train-vpc", "id"),
            "modes": ["MODE_IPV4"],
            "connectMode": "PRIVATE_SERVICE_ACCESS",
        }
    ]


@pytest.mark.parametrize(("storage", "type_"), [(SCRATCH, LUSTRE), (HOME, FILESTORE)])
def test_a_file_system_waits_for_the_peering_and_outlives_mistakes(storage: dict[str, Any], type_: str) -> None:
    graph = files(storage)
    fs = only(graph, type_)
    assert only(graph, PEERING).urn in fs.dependencies
    assert fs.options["protect"] is True
    assert fs.get("deletionPolicy") == "PREVENT"
    assert fs.options["deleteBeforeReplace"] is True, "its name is taken until the old one is gone"


def test_a_file_system_stands_in_the_zone_that_is_named() -> None:
    graph = files({**SCRATCH, "zone": "us-central1-c"}, {**HOME, "zone": "us-central1-b"})
    assert only(graph, LUSTRE).get("location") == "us-central1-c"
    assert only(graph, FILESTORE).get("location") == "us-central1-b"


# Buckets.


def test_a_bucket_is_private_and_kept() -> None:
    bucket = only(files(OUT), BUCKET)
    assert bucket.get("uniformBucketLevelAccess") is True
    assert bucket.get("publicAccessPrevention") == "enforced"
    assert bucket.get("location") == "us-central1"
    assert bucket.get("hierarchicalNamespace") == {"enabled": True}
    assert bucket.get("softDeletePolicy") == {"retentionDurationSeconds": 0}
    assert bucket.get("versioning") == {"enabled": False}
    assert (bucket.get("forceDestroy"), bucket.get("deletionPolicy")) == (False, "PREVENT")
    assert bucket.options["protect"] is True
    assert "name" not in bucket.inputs, "made up, since it must be unique in the world"


def test_a_long_bucket_name_keeps_within_the_limit_and_holds_the_project() -> None:
    name = "a-very-long-name-for-a-bucket-that-nobody-would-ever-choose-x"
    text = only(files({**OUT, "name": name}), BUCKET).get("name")
    assert len(text) <= 63
    assert text.startswith("acme-lab-train-")


def test_a_project_of_a_domain_makes_no_dots_or_colons() -> None:
    location = {"provider": "gcp", "project": "example.com:lab", "region": "us-central1", "zone": "us-central1-a"}
    text = only(files({**OUT, "name": "o" * 60}, location=location), BUCKET).get("name")
    assert text.startswith("example-com-lab-train-")


def test_a_name_with_google_in_it_is_refused_before_a_bucket_is_made() -> None:
    from gpuinfra.plan import resolve
    from gpuinfra.spec.load import parse

    from .parts import NOW, cluster

    for name in ("goog-train", "my-google"):
        loaded = parse(cluster(name=name, storage=[OUT]))
        assert loaded.spec
        assert [d.path for d in resolve(loaded.spec, NOW).diagnostics if "bucket" in d.message] == ["name"]


def test_the_names_of_made_buckets_are_offered() -> None:
    seen: dict[str, Any] = {}

    def program() -> None:
        made = SharedStorage(
            "files", planned(storage=[OUT, {**OUT, "name": "old", "mount": "/old", "existing": "gs://x-y"}])
        )
        assert set(made.buckets) == {"out"}
        made.buckets["out"].apply(lambda name: seen.update(out=name))

    record(program)
    assert seen == {"out": "${train-out-storage.name}"}


# What is there already.

EXISTING = [
    {"name": "fs", "kind": "lustre", "existing": "big", "mount": "/fs"},
    {"name": "nfs", "kind": "nfs", "existing": "projects/other/locations/us-central1/instances/home", "mount": "/nfs"},
    {"name": "data", "kind": "bucket", "existing": "gs://acme-data/a/b/", "mount": "/data"},
]


@pytest.mark.parametrize("preview", [False, True])
def test_existing_storage_is_read_and_not_managed(preview: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for kind in (lustre.Instance, filestore.Instance):
        original = kind.get

        def get(name: str, id: str, *rest: Any, original: Any = original, **options: Any) -> Any:
            asked.append(id)
            return original(name, id, *rest, **options)

        monkeypatch.setattr(kind, "get", staticmethod(get))
    graph = files(*EXISTING, preview=preview)
    assert not graph.of_type(LUSTRE, FILESTORE, BUCKET, NETWORK)
    assert {r.type for r in graph.reads} == {LUSTRE, FILESTORE}
    assert asked == [
        "projects/acme-lab/locations/us-central1-a/instances/big",
        "projects/other/locations/us-central1/instances/home",
    ]


def test_nodes_are_told_what_was_read() -> None:
    def outputs(type_: str, name: str, inputs: Any) -> dict[str, Any]:
        if type_ == LUSTRE:
            return {"mountPoint": "10.1.2.3@tcp:/lfs", "filesystem": "lfs"}
        return {"networks": [{"ipAddresses": ["10.9.8.7"]}], "fileShares": {"name": "vol1", "capacityGb": 1024}}

    assert told(planned(storage=EXISTING), outputs=outputs) == {
        "storage.fs.address": "10.1.2.3",
        "storage.fs.mount_name": "lfs",
        "fs": "10.1.2.3",
        "fs/": "/lfs",
        "storage.nfs.address": "10.9.8.7",
        "storage.nfs.export": "/vol1",
        "nfs": "10.9.8.7",
        "nfs/": "/vol1",
        "data": "acme-data",
        "data/": "a/b",
    }


# What nodes are told of what is made.


def test_nodes_are_told_addresses_as_data() -> None:
    plan = planned(storage=[SCRATCH, HOME, OUT])
    found = told(plan, **outputs_of(FILESTORE, networks=[{"network": "n", "ipAddresses": ["10.0.0.2"]}]))
    assert found["storage.scratch.address"] == "${train-scratch-storage.mountPoint}"
    assert found["storage.scratch.mount_name"] == "scratch"
    assert found["scratch/"] == "/scratch"
    assert found["storage.home.address"] == "10.0.0.2"
    assert found["storage.home.export"] == "/share"
    assert found["storage.out.bucket"] == "${train-out-storage.name}"
    assert (found["out"], found["out/"]) == ("${train-out-storage.name}", "")


def test_nodes_are_told_every_name_that_the_boot_bundle_waits_for() -> None:
    from gpuinfra.node import boot_bundle

    plan = planned(storage=[SCRATCH, HOME, OUT, *EXISTING])
    wanted = {name for pool in plan.pools for name in boot_bundle(plan, pool).late if name.startswith("storage.")}
    offered: set[str] = set()

    def program() -> None:
        for name, mount in SharedStorage("files", plan).mounts.items():
            offered.update(f"storage.{name}.{key}" for key in mount.late)

    record(program)
    assert wanted == offered


def test_in_preview_an_address_is_unknown_and_never_empty() -> None:
    """The address of a Filestore stands in a list that we give, and that a preview hands back as it is."""
    network = {"existing": {"network": "my-vpc", "subnet": "my-subnet"}}
    found = told(planned(storage=[SCRATCH, HOME, OUT], network=network), preview=True)
    assert not {"storage.scratch.address", "storage.home.address", "home"} & set(found)
    assert found["storage.home.export"] == "/share"


def test_mocks_that_leave_outputs_out_break_nothing() -> None:
    found = told(planned(storage=[SCRATCH, HOME]), **outputs_of(FILESTORE, networks=None))
    assert found["storage.home.address"] is None


# Alone.


@pytest.mark.parametrize(
    ("storage", "types"), [("home", {FILESTORE}), ("out", {BUCKET}), (None, {FILESTORE, BUCKET, LUSTRE})]
)
def test_alone_it_makes_what_is_chosen_and_a_network_only_where_one_is_needed(
    storage: str | None, types: set[str]
) -> None:
    plan = planned("files", storage=[SCRATCH, HOME, OUT])
    graph = record(lambda: SharedStorage("files", plan, storage=storage))
    assert {r.type for r in graph if r.type in (FILESTORE, BUCKET, LUSTRE)} == types
    assert bool(graph.of_type(NETWORK)) == (types != {BUCKET})
    assert all(r.name.startswith("files") for r in graph if r.type != "pulumi:pulumi:Stack")


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"storage": "hme"}, ValueError, "storage: no storage is named 'hme'; .*: home did you"),
        ({"storage": 5}, TypeError, "storage is an int"),
        ({"network": "my-vpc"}, TypeError, "network is a str"),
    ],
)
def test_a_wrong_argument_is_refused(arguments: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        record(lambda: SharedStorage("a", planned("a", storage=[HOME]), **arguments))


@pytest.mark.parametrize("preview", [False, True])
def test_every_resource_names_its_project_and_shows_no_none(preview: bool) -> None:
    graph = files(SCRATCH, HOME, OUT, preview=preview)
    for resource in graph.of_type(LUSTRE, FILESTORE, BUCKET):
        assert resource.get("project") == "acme-lab"
        assert resource.parent
    assert "None" not in graph.to_json()
    assert only(graph, LUSTRE).inputs["network"] in (UNKNOWN, OutputRef("train-vpc", "id"))
