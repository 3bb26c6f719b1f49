"""What nodes boot: the image, pinned, and the boot bundle as metadata."""

from __future__ import annotations

from hashlib import sha512
from typing import Any

import pytest
import yaml

from gpuinfra.policy.resource_graph import OutputRef

from .clusters import BUCKET_MEMBER, HOME, LUSTRE, TEMPLATE, boot_facts, cluster, of_type, only, pool, recorded

GET_IMAGE = "gcp:compute/getImage:getImage"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPLTmbJfOmbS7lBVrbqPHlmhpPGRW8dGCJXhNxhMDWK ada"


def image_of(node: str) -> Any:
    graph = recorded(cluster(image={"node": node}))
    return only(graph, TEMPLATE).get("disks", 0, "sourceImage"), [a for t, a in graph.invokes if t == GET_IMAGE]


def test_a_family_is_read_once_and_its_image_pinned() -> None:
    graph = recorded(cluster(node_pools=[pool(), pool(name="other")]))
    asked = [a for t, a in graph.invokes if t == GET_IMAGE]
    assert len(asked) == 1
    assert asked[0]["project"] == "ubuntu-os-cloud"
    images = {str(t.get("disks", 0, "sourceImage")) for t in graph.of_type(TEMPLATE)}
    assert len(images) == 1
    assert "family" not in images.pop()


@pytest.mark.parametrize(
    ("node", "project", "family"),
    [
        ("projects/acme-lab/global/images/family/own", "acme-lab", "own"),
        ("https://www.googleapis.com/compute/v1/projects/acme-other/global/images/family/own", "acme-other", "own"),
        ("acme-other/family/own", "acme-other", "own"),
        ("family/own", "acme-lab", "own"),
        ("global/images/family/own", "acme-lab", "own"),
        ("own-images", "acme-lab", "own-images"),
    ],
)
def test_a_family_is_asked_of_its_own_project(node: str, project: str, family: str) -> None:
    _, asked = image_of(node)
    assert [(a["project"], a["family"]) for a in asked] == [(project, family)]


@pytest.mark.parametrize(
    ("node", "image"),
    [
        ("projects/acme-lab/global/images/own-v20261101", "projects/acme-lab/global/images/own-v20261101"),
        ("acme-other/own-v20261101", "projects/acme-other/global/images/own-v20261101"),
        ("global/images/own-v20261101", "projects/acme-lab/global/images/own-v20261101"),
        ("own-v20261101", "projects/acme-lab/global/images/own-v20261101"),
    ],
)
def test_an_image_is_taken_as_it_stands(node: str, image: str) -> None:
    assert image_of(node) == (image, [])


def test_the_boot_document_is_text_that_cloud_init_reads() -> None:
    data = only(recorded(of_type("a3-megagpu-8g", capacity={"type": "spot"})), TEMPLATE).get("metadata", "user-data")
    assert len(data.encode()) < 262144
    assert {"write_files", "runcmd"} <= set(yaml.safe_load(data))


@pytest.mark.parametrize("preview", [True, False])
def test_late_values_of_storage_reach_the_node(preview: bool) -> None:
    bucket = {"name": "out", "kind": "bucket", "mount": "/out"}
    graph = recorded(cluster(storage=[LUSTRE, HOME, bucket]), preview=preview)
    template = only(graph, TEMPLATE)
    if preview:
        assert not isinstance(template.inputs["metadata"]["user-data"], str)
        return
    facts = {s["name"]: s for s in boot_facts(template)["storage"]}
    assert facts["scratch"]["address"]
    assert facts["scratch"]["mount_name"]
    assert facts["home"]["address"]
    assert facts["home"]["export"].startswith("/")
    assert facts["out"]["bucket"]
    assert None not in [v for f in facts.values() for v in f.values()]


def test_keys_of_the_spec_let_their_owner_in() -> None:
    """OS Login ignores keys in metadata, so it is off where the spec brings its own."""
    metadata = only(recorded(cluster(network={"ssh_keys": [KEY]})), TEMPLATE).get("metadata")
    assert metadata["enable-oslogin"] == "FALSE"
    assert metadata["ssh-keys"] == f"gpuinfra:{KEY}"
    assert metadata["block-project-ssh-keys"] == "TRUE"


@pytest.mark.parametrize(
    ("node", "laid"),
    [
        ("auto", False),
        ("family/cos-stable", False),
        ("family/rocky-linux-9-optimized-gcp-nvidia-580", True),
        ("projects/acme-lab/global/images/own-v20261101", True),
    ],
)
def test_images_that_may_lack_cloud_init_get_it(node: str, laid: bool) -> None:
    spec = {**of_type("a3-ultragpu-8g", capacity={"type": "spot"}), "image": {"node": node}}
    script = only(recorded(spec), TEMPLATE).get("metadata", "startup-script")
    assert bool(script) is laid
    assert not laid or "dnf install -y cloud-init" in script


def test_a_bundle_that_metadata_cannot_hold_travels_by_a_bucket() -> None:
    words = ["".join(sha512(f"{n}-{k}".encode()).hexdigest() for k in range(30)) for n in range(90)]
    graph = recorded(cluster(job={"command": words}))
    bucket = graph.named("train-boot")
    assert (bucket.get("publicAccessPrevention"), bucket.get("uniformBucketLevelAccess")) == ("enforced", True)
    body = only(graph, "gcp:storage/bucketObject:BucketObject")
    assert body.inputs["bucket"] == OutputRef("train-boot", "name")
    text = only(graph, TEMPLATE).get("metadata", "user-data")
    assert len(text) <= 262144
    assert body.get("name") in text
    reads = [r for r in graph.of_type(BUCKET_MEMBER) if r.inputs["bucket"] == OutputRef("train-boot", "name")]
    assert [r.get("role") for r in reads] == ["roles/storage.objectViewer"]


def test_a_bundle_of_ordinary_size_needs_no_bucket() -> None:
    assert not recorded(cluster()).of_type("gcp:storage/bucket:Bucket")
