from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.aws import SharedStorage
from gpuinfra.policy.resource_graph import OutputRef, ResourceGraph
from gpuinfra.spec.load import parse
from gpuinfra.testing import record

from .clusters import EGRESS, GROUP, INGRESS, LAUNCH_TEMPLATE, boot_facts, cluster, only, recorded

FSX = "aws:fsx/lustreFileSystem:LustreFileSystem"
DRA = "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"
EFS = "aws:efs/fileSystem:FileSystem"
BUCKET = "aws:s3/bucket:Bucket"


def lustre(**changes: Any) -> dict[str, Any]:
    return {
        "name": "scratch",
        "kind": "lustre",
        "size_gib": 4800,
        "throughput_mbps_per_tib": 250,
        "mount": "/scratch",
        **changes,
    }


def with_storage(*storage: dict[str, Any], **changes: Any) -> ResourceGraph:
    return recorded(cluster(storage=list(storage), **changes))


def test_lustre_is_written_out() -> None:
    """AWS-C08: persistent, in the nodes' own subnet, behind its rules."""
    graph = with_storage(lustre(import_from="s3://acme-data/imagenet"))
    fs = only(graph, FSX)
    assert fs.get("deploymentType") == "PERSISTENT_2"
    assert fs.get("storageType") == "SSD"
    assert (fs.get("storageCapacity"), fs.get("perUnitStorageThroughput")) == (4800, 250)
    assert fs.get("fileSystemTypeVersion") == "2.15"
    assert fs.get("metadataConfiguration", "mode") == "AUTOMATIC"
    assert fs.get("dataCompressionType") == "LZ4"
    assert fs.inputs["subnetIds"] == OutputRef("train-nodes-subnet", "id"), "one text, not a list"
    assert fs.inputs["securityGroupIds"] == [OutputRef("train-lustre-sg", "id")]
    assert fs.options["protect"] is True
    assert not {"importPath", "exportPath", "autoImportPolicy", "importedFileChunkSize"} & set(fs.inputs)


def test_lustre_waits_for_every_rule_and_not_just_for_the_group() -> None:
    graph = with_storage(lustre())
    ports = {r.urn for t in (INGRESS, EGRESS) for r in graph.of_type(t) if r.get("fromPort") in (988, 1018)}
    assert len(ports) == 12
    assert ports <= set(only(graph, FSX).dependencies)


def test_imported_objects_show_in_a_folder() -> None:
    graph = with_storage(lustre(import_from="s3://acme-data/imagenet"))
    dra = only(graph, DRA)
    assert dra.inputs["fileSystemId"] == OutputRef("train-scratch-storage", "id")
    assert dra.get("dataRepositoryPath") == "s3://acme-data/imagenet"
    assert dra.get("fileSystemPath") == "/imagenet"
    assert dra.get("deleteDataInFilesystem") is False
    assert dra.get("s3", "autoImportPolicy", "events") == ["NEW", "CHANGED", "DELETED"]
    assert not with_storage(lustre()).of_type(DRA)


def test_a_file_system_of_its_own_data_keeps_a_last_backup() -> None:
    assert only(with_storage(lustre()), FSX).get("skipFinalBackup") is False
    assert only(with_storage(lustre(import_from="s3://acme-data/x")), FSX).get("skipFinalBackup") is True


def test_nfs_is_encrypted_protected_and_mounted_in_the_nodes_subnet() -> None:
    graph = with_storage({"name": "home", "kind": "nfs", "mount": "/shared"})
    fs, target = only(graph, EFS), only(graph, "aws:efs/mountTarget:MountTarget")
    assert fs.get("encrypted") is True
    assert fs.options["protect"] is True
    assert target.inputs["subnetId"] == OutputRef("train-nodes-subnet", "id")
    assert target.inputs["securityGroups"] == [OutputRef("train-nfs-sg", "id")]
    (rule,) = [r for r in graph.of_type(INGRESS) if r.get("fromPort") == 2049]
    assert rule.inputs["referencedSecurityGroupId"] == OutputRef("train-nodes-sg", "id")
    assert target.urn in only(graph, GROUP).dependencies, "a name resolves only once its target is there"


def test_a_bucket_is_private_encrypted_and_kept() -> None:
    graph = with_storage({"name": "out", "kind": "bucket", "mount": "/out"})
    bucket = only(graph, BUCKET)
    assert bucket.options["protect"] is True
    assert bucket.get("forceDestroy") is False
    assert bucket.get("bucketPrefix") == "train-out-"
    block = only(graph, "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock")
    flags = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
    assert [block.get(flag) for flag in flags] == [True] * 4
    encryption = graph.named("train-out-storage-encryption")
    rule = encryption.get("rules", 0, "applyServerSideEncryptionByDefault", "sseAlgorithm")
    assert rule == "AES256"


def test_a_long_bucket_name_keeps_within_the_prefix_limit() -> None:
    name = "a-very-long-name-for-a-bucket-that-nobody-would-ever-choose-x"
    bucket = only(with_storage({"name": name, "kind": "bucket", "mount": "/out"}), BUCKET)
    assert len(bucket.get("bucketPrefix")) <= 37


def test_existing_storage_is_read_and_not_managed() -> None:
    graph = with_storage(
        {"name": "fs", "kind": "lustre", "existing": "fs-0123456789abcdef0", "mount": "/fs"},
        {"name": "home", "kind": "nfs", "existing": "fs-0123456789abcdef1", "mount": "/home2"},
        {"name": "data", "kind": "bucket", "existing": "s3://acme-data/x", "mount": "/data"},
    )
    assert not graph.of_type(FSX, EFS, BUCKET)
    assert [r.type for r in graph.reads] == [FSX]
    facts = {s["name"]: s for s in boot_facts(only(graph, LAUNCH_TEMPLATE))["storage"]}
    assert facts["home"]["address"] == "fs-0123456789abcdef1.efs.us-east-2.amazonaws.com"
    assert facts["fs"]["address"] == "${train-fs-storage.dnsName}"
    assert facts["fs"]["mount_name"] == "${train-fs-storage.mountName}"


def test_nodes_are_told_addresses_as_data() -> None:
    graph = with_storage(
        lustre(),
        {"name": "home", "kind": "nfs", "mount": "/shared"},
        {"name": "out", "kind": "bucket", "mount": "/out"},
    )
    facts = {s["name"]: s for s in boot_facts(only(graph, LAUNCH_TEMPLATE))["storage"]}
    assert facts["scratch"]["address"] == "${train-scratch-storage.dnsName}"
    assert facts["scratch"]["mount_name"] == "${train-scratch-storage.mountName}"
    assert (facts["home"]["address"], facts["home"]["export"]) == ("${train-home-storage.dnsName}", "/")
    assert facts["out"]["bucket"] == "${train-out-storage.bucket}"


@pytest.mark.parametrize(("storage", "types"), [("home", {EFS}), ("out", {BUCKET}), (None, {EFS, BUCKET})])
def test_alone_it_makes_what_is_chosen_and_a_network_only_where_one_is_needed(
    storage: str | None, types: set[str]
) -> None:
    spec = parse(
        cluster(
            storage=[
                {"name": "home", "kind": "nfs", "mount": "/shared"},
                {"name": "out", "kind": "bucket", "mount": "/out"},
            ]
        )
    ).spec
    assert spec
    graph = record(lambda: SharedStorage("files", spec, storage=storage))
    assert {r.type for r in graph if r.type in (EFS, BUCKET)} == types
    assert bool(graph.of_type("aws:ec2/vpc:Vpc")) == (EFS in types)
    assert all(r.name.startswith("files") for r in graph if r.type != "pulumi:pulumi:Stack")


def test_nodes_of_another_zone_mount_by_address_and_wait_for_the_door() -> None:
    """The name of an EFS resolves to a mount target of the asker's own zone."""
    store = {"name": "home", "kind": "nfs", "mount": "/shared", "zone": "use2-az2"}
    graph = with_storage(store)
    facts = boot_facts(only(graph, LAUNCH_TEMPLATE))
    assert "home-storage-target.ipAddress" in str(facts["storage"])
    near = boot_facts(only(with_storage({**store, "zone": "use2-az1"}), LAUNCH_TEMPLATE))
    assert "home-storage.dnsName" in str(near["storage"])
    door = graph.named("train-nfs-from-nodes").urn
    assert door in only(graph, GROUP).dependencies
