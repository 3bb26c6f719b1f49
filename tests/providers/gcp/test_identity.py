from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.gcp import NodeIdentity
from gpuinfra.policy.resource_graph import OutputRef, ResourceGraph
from gpuinfra.testing import record

from .clusters import ACCOUNT, BUCKET_MEMBER, MEMBER, ROLE, cluster, only, pool, recorded, spec_of

BUCKETS = [
    {"name": "data", "kind": "bucket", "existing": "gs://acme-data/imagenet/", "mount": "/data"},
    {"name": "out", "kind": "bucket", "mount": "/out"},
]
REPOSITORY = "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember"
SELF = "serviceAccount:${train-nodes-account.email}"


def identity(**changes: Any) -> ResourceGraph:
    return record(lambda: NodeIdentity("train", spec_of(**changes)))


def granted(graph: ResourceGraph) -> dict[str, Any]:
    """Role by name of the grant, on the project."""
    return {r.name: r.inputs["role"] for r in graph.of_type(MEMBER)}


def leave(graph: ResourceGraph) -> str:
    return graph.named("train-nodes-leave-member").get("condition", "expression")


def test_a_node_reports_and_finds_its_peers_and_no_more() -> None:
    graph = identity(shutdown={"lease": "72h"})
    assert granted(graph) == {
        "train-nodes-logs": "roles/logging.logWriter",
        "train-nodes-metrics": "roles/monitoring.metricWriter",
        "train-nodes-peers-member": OutputRef("train-nodes-peers", "name"),
    }
    assert only(graph, ROLE).get("permissions") == ["compute.instanceGroupManagers.get", "compute.instances.get"]
    assert {r.get("member") for r in graph.of_type(MEMBER)} == {SELF}
    assert not graph.of_type(BUCKET_MEMBER, REPOSITORY)


@pytest.mark.parametrize(
    "broad", ["roles/editor", "roles/owner", "roles/compute.admin", "roles/compute.instanceAdmin.v1"]
)
def test_no_broad_role_is_given(broad: str) -> None:
    """GCP-IAM-01."""
    graph = recorded(cluster(storage=BUCKETS))
    roles = {r.get("role") for r in graph.of_type(MEMBER, BUCKET_MEMBER)}
    assert broad not in roles


def test_a_node_may_delete_nodes_of_its_own_groups_alone() -> None:
    graph = identity(node_pools=[pool(), pool(name="other")])
    assert graph.named("train-nodes-leave").get("permissions") == [
        "compute.instanceGroupManagers.update",
        "compute.instances.delete",
    ]
    place = "projects/acme-lab/zones/us-central1-a/instances/"
    assert leave(graph) == (
        "resource.type != 'compute.googleapis.com/Instance' "
        f"|| resource.name.startsWith('{place}train-gpu-') || resource.name.startsWith('{place}train-other-')"
    )


def test_an_identity_of_some_pools_covers_these_alone() -> None:
    spec = spec_of(node_pools=[pool(), pool(name="other")])
    graph = record(lambda: NodeIdentity("train", spec, pools=["other"]))
    assert "train-other-" in leave(graph)
    assert "train-gpu-" not in leave(graph)


def test_a_condition_stays_within_what_google_takes() -> None:
    """A condition holds at most twelve operators."""
    graph = identity(node_pools=[pool(name=f"p{n}", count=1) for n in range(40)])
    assert leave(graph).count("||") <= 12
    assert leave(graph).endswith("/instances/train-p')")


def test_without_an_idle_timer_no_node_may_end_another() -> None:
    assert "train-nodes-leave" not in {r.name for r in identity(shutdown={"lease": "72h"})}


def test_a_role_gets_an_id_that_was_never_used() -> None:
    """Google keeps a deleted role's id for weeks; a new account has a new number."""
    role = identity(shutdown={"lease": "72h"}).named("train-nodes-peers")
    assert role.get("roleId") == "gpuinfra_train_nodes_peers_${train-nodes-account.uniqueId}"


def test_exactly_the_buckets_of_the_spec_and_deletion_only_in_our_own() -> None:
    graph = recorded(cluster(storage=BUCKETS))
    found = {(r.get("bucket"), r.get("role")) for r in graph.of_type(BUCKET_MEMBER)}
    ours = next(r.inputs["bucket"] for r in graph.of_type(BUCKET_MEMBER) if r.name == "train-out-storage-use")
    assert isinstance(ours, OutputRef)
    assert ours.resource == "train-out-storage"
    assert ("acme-data", "roles/storage.objectViewer") in found
    assert ("acme-data", "roles/storage.objectCreator") in found
    assert {role for bucket, role in found if bucket != "acme-data"} == {"roles/storage.objectUser"}
    assert len(found) == 3


def test_old_checkpoints_give_way_where_the_job_keeps_them() -> None:
    job = {"command": ["python", "train.py"], "checkpoint": {"path": "/data/run/ckpt", "every": "30m"}}
    graph = recorded(cluster(storage=BUCKETS[:1], job=job))
    assert {r.get("role") for r in graph.of_type(BUCKET_MEMBER)} == {"roles/storage.objectUser"}
    elsewhere = {"command": ["python", "train.py"], "checkpoint": {"path": "/database/ckpt", "every": "30m"}}
    other = {"name": "base", "kind": "bucket", "existing": "gs://acme-base", "mount": "/database"}
    graph = recorded(cluster(storage=[BUCKETS[0], other], job=elsewhere))
    users = {r.get("bucket") for r in graph.of_type(BUCKET_MEMBER) if r.get("role") == "roles/storage.objectUser"}
    assert users == {"acme-base"}


@pytest.mark.parametrize(
    ("image", "place"),
    [
        ("us-central1-docker.pkg.dev/acme-lab/images/train:1", ("us-central1", "images")),
        ("gcr.io/acme-lab/train:1", ("us", "gcr.io")),
        ("eu.gcr.io/acme-lab/train:1", ("europe", "eu.gcr.io")),
        ("us-docker.pkg.dev/deeplearning-platform-release/gcr.io/pytorch:1", None),
        ("gcr.io/other/train:1", None),
        ("nvcr.io/nvidia/pytorch:25.08-py3", None),
    ],
)
def test_a_repository_of_the_own_project_may_be_read(image: str, place: tuple[str, str] | None) -> None:
    graph = identity(image={"container": image}, node_pools=[pool(), pool(name="b")])
    found = [(r.get("location"), r.get("repository"), r.get("role")) for r in graph.of_type(REPOSITORY)]
    assert found == ([(*place, "roles/artifactregistry.reader")] if place else [])


def test_the_account_is_the_stacks_own() -> None:
    spec = spec_of()
    ids = {
        record(lambda: NodeIdentity("train", spec), stack=stack).of_type(ACCOUNT)[0].get("accountId")
        for stack in ("dev", "prod")
    }
    assert len(ids) == 2, "two stacks of one program in one project"
    assert all(i.startswith("train-nodes-") for i in ids)


def test_two_mounts_of_one_bucket_share_its_grants() -> None:
    """Of two grants that say the same, the end of either would take both away."""
    stores = [
        {"name": "tokens", "kind": "bucket", "existing": "gs://acme-data/tokens", "mount": "/tokens"},
        {"name": "eval", "kind": "bucket", "existing": "gs://acme-data/eval", "mount": "/eval"},
    ]
    for kept in (stores, stores[:1], stores[1:]):
        members = recorded(cluster(storage=kept)).of_type(BUCKET_MEMBER)
        assert {(m.name, m.get("bucket"), m.get("role")) for m in members} == {
            ("train-nodes-acme-data-read", "acme-data", "roles/storage.objectViewer"),
            ("train-nodes-acme-data-add", "acme-data", "roles/storage.objectCreator"),
        }
        assert len(members) == 2
