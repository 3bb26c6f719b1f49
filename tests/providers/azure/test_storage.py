"""Shared storage: what is made, how it is kept, and how nodes are told of it."""

from __future__ import annotations

import json
import re
from typing import Any

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.azure import ClusterNetwork, ExistingNetwork, ResourceGroup, SharedStorage
from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.plan import resolve
from gpuinfra.plan.names import is_taken
from gpuinfra.policy.resource_graph import OutputRef, ResourceGraph
from gpuinfra.providers.azure.blob import account_name
from gpuinfra.spec.load import parse
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.testing import record
from gpuinfra.vocabulary import Provider

from .clusters import CONTAINER as CONTAINER_ID
from .clusters import NOW, SCALE_SET, SUBNET, SUBSCRIPTION, VNET, boot_document, cluster, location, only, recorded

LUSTRE = "azure-native:storagecache:AmlFilesystem"
NETAPP = "azure-native:netapp:Account"
CAPACITY = "azure-native:netapp:CapacityPool"
VOLUME = "azure-native:netapp:CapacityPoolVolume"
ACCOUNT = "azure-native:storage:StorageAccount"
CONTAINER = "azure-native:storage:BlobContainer"
ENDPOINT = "azure-native:network:PrivateEndpoint"
RECORD = "azure-native:network:PrivateDnsZoneGroup"
ZONE = "azure-native:privatedns:PrivateZone"
LINK = "azure-native:privatedns:VirtualNetworkLink"
TIB = 1024**4
OUT = {"name": "out", "kind": "bucket", "mount": "/out"}
HOME = {"name": "home", "kind": "nfs", "size_gib": 2048, "mount": "/shared"}
KEYS = cluster()["network"]["ssh_keys"]
IN_GROUP = f"{SUBSCRIPTION}/resourceGroups/data/providers"


def lustre(**changes: Any) -> dict[str, Any]:
    return {
        "name": "scratch",
        "kind": "lustre",
        "size_gib": 16384,
        "throughput_mbps_per_tib": 250,
        "mount": "/scratch",
        **changes,
    }


def with_storage(*storage: dict[str, Any], **changes: Any) -> ResourceGraph:
    return recorded(cluster(storage=list(storage), **changes))


def spec_of(*storage: dict[str, Any], **changes: Any) -> ClusterSpec:
    loaded = parse(cluster(storage=list(storage), **changes))
    assert loaded.spec, loaded.diagnostics
    return loaded.spec


def facts(graph: ResourceGraph) -> dict[str, dict[str, Any]]:
    """What the nodes are told, by storage name."""
    files = {f["path"]: f["content"] for f in boot_document(only(graph, SCALE_SET))["write_files"]}
    return {s["name"]: s for s in json.loads(files["/etc/gpuinfra/cluster.json"])["storage"]}


# Lustre.


def test_lustre_is_written_out() -> None:
    fs = only(with_storage(lustre()), LUSTRE)
    assert fs.get("sku") == {"name": "AMLFS-Durable-Premium-250"}
    assert fs.get("storageCapacityTiB") == 16
    assert fs.get("zones") == ["1"], "texts, and one alone"
    assert fs.inputs["filesystemSubnet"] == OutputRef("train-scratch-storage-subnet", "id"), "its own"
    assert fs.get("maintenanceWindow") == {"dayOfWeek": "Sunday", "timeOfDayUTC": "02:00"}
    assert "hsm" not in fs.inputs


def test_a_replaced_file_system_is_an_empty_one() -> None:
    options = only(with_storage(lustre()), LUSTRE).options
    assert options["protect"] is True
    assert options["deleteBeforeReplace"] is True
    # What ARM refuses on a file system that stands, and the provider takes for an update.
    assert {"hsm", "identity"} <= set(options["replaceOnChanges"])
    assert options["customTimeouts"]["create"] == "2h", "half an hour is usual"


@pytest.mark.parametrize(
    ("size", "speed", "sku"),
    [(49152, 40, "40"), (32768, 125, "125"), (8192, 250, "250"), (4096, 500, "500")],
)
def test_every_tier_has_its_own_words(size: int, speed: int, sku: str) -> None:
    fs = only(with_storage(lustre(size_gib=size, throughput_mbps_per_tib=speed)), LUSTRE)
    assert (fs.get("sku", "name"), fs.get("storageCapacityTiB")) == (f"AMLFS-Durable-Premium-{sku}", size / 1024)


def test_where_the_cloud_chooses_the_zone_none_is_asked_for() -> None:
    fs = only(with_storage(lustre(), location=location(zone=None)), LUSTRE)
    assert "zones" not in fs.inputs


def test_an_import_that_cannot_be_shown_is_refused() -> None:
    with pytest.raises(GpuInfraError, match="GI2306"):
        with_storage(lustre(import_from="https://acme.blob.core.windows.net/data/tokens"))


# NFS.


def test_nfs_is_a_volume_that_fills_its_own_capacity() -> None:
    graph = with_storage(HOME)
    capacity, volume = only(graph, CAPACITY), only(graph, VOLUME)
    assert capacity.get("size") == volume.get("usageThreshold") == 2 * TIB, "bytes"
    assert capacity.get("serviceLevel") == volume.get("serviceLevel") == "Premium"
    assert volume.inputs["subnetId"] == OutputRef("train-home-storage-subnet", "id")
    (delegation,) = graph.named("train-home-storage-subnet").get("delegations")
    assert delegation["serviceName"] == "Microsoft.NetApp/volumes"
    assert (volume.get("networkFeatures"), volume.get("zones")) == ("Standard", ["1"])
    assert capacity.urn in volume.dependencies


def test_names_are_written_out_since_arm_gives_back_the_whole_path() -> None:
    """`account/capacity` as the name of a capacity pool makes an address that is nowhere."""
    graph = with_storage(HOME)
    assert only(graph, CAPACITY).get("poolName") == "train-home"
    assert (only(graph, VOLUME).get("poolName"), only(graph, VOLUME).get("volumeName")) == ("train-home", "train-home")
    for type_ in (CAPACITY, VOLUME):
        assert only(graph, type_).inputs["accountName"] == OutputRef("train-netapp", "name")


def test_a_volume_is_kept_and_never_changed_where_arm_would_refuse() -> None:
    graph = with_storage(HOME)
    for type_ in (CAPACITY, VOLUME):
        assert only(graph, type_).options["protect"] is True
    assert {"creationToken", "subnetId", "zones"} <= set(only(graph, VOLUME).options["replaceOnChanges"])


def test_only_the_cluster_mounts_it() -> None:
    volume = only(with_storage(HOME, network={"cidr": "10.60.0.0/16", "ssh_keys": KEYS}), VOLUME)
    assert volume.get("protocolTypes") == ["NFSv3"]
    (rule,) = volume.get("exportPolicy", "rules")
    assert (rule["allowedClients"], rule["nfsv3"], rule["nfsv41"]) == ("10.60.0.0/16", True, False)
    assert (rule["hasRootAccess"], rule["unixReadWrite"], rule["cifs"]) == (True, True, False)


def test_in_a_network_whose_range_is_not_known_private_addresses_mount_it() -> None:
    place = ExistingNetwork(VNET, f"{VNET}/subnets/nodes", {"home": f"{VNET}/subnets/files"})
    graph = record(lambda: SharedStorage("files", spec_of(HOME), network=place))
    (rule,) = only(graph, VOLUME).get("exportPolicy", "rules")
    assert rule["allowedClients"] == "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10"
    assert only(graph, VOLUME).get("subnetId") == f"{VNET}/subnets/files"


def test_a_second_nfs_storage_finds_no_subnet() -> None:
    with pytest.raises(GpuInfraError, match="GI2309"):
        with_storage(HOME, {**HOME, "name": "more", "mount": "/more"})


# Buckets.


def test_a_bucket_has_no_key_and_no_door_to_the_internet() -> None:
    graph = with_storage(OUT)
    account, container = only(graph, ACCOUNT), only(graph, CONTAINER)
    closed = (
        "allowBlobPublicAccess",
        "allowSharedKeyAccess",
        "allowCrossTenantReplication",
        "isLocalUserEnabled",
        "isSftpEnabled",
        "enableNfsV3",
    )
    assert [account.get(name) for name in closed] == [False] * len(closed)
    assert account.get("publicNetworkAccess") == "Disabled"
    assert account.get("networkRuleSet", "defaultAction") == "Deny"
    assert (account.get("minimumTlsVersion"), account.get("enableHttpsTrafficOnly")) == ("TLS1_2", True)
    assert (account.get("kind"), account.get("isHnsEnabled"), account.get("sku", "name")) == (
        "StorageV2",
        True,
        "Standard_LRS",
    )
    assert container.get("publicAccess") == "None"
    assert container.get("containerName") == "train-out"
    assert account.options["protect"] is container.options["protect"] is True
    assert "kind" in account.options["replaceOnChanges"]


def test_nodes_reach_it_inside_their_network_under_both_of_its_names() -> None:
    graph = with_storage(OUT, {**OUT, "name": "more", "mount": "/more"})
    zones = {r.get("privateZoneName") for r in graph.of_type(ZONE)}
    assert zones == {"privatelink.blob.core.windows.net", "privatelink.dfs.core.windows.net"}, "once a cluster"
    for link in graph.of_type(LINK):
        assert link.inputs["virtualNetwork"] == {"id": OutputRef("train-vnet", "id")}
        assert link.get("registrationEnabled") is False
        # Other accounts have names in a zone of that name too, and would lose them.
        assert link.get("resolutionPolicy") == "NxDomainRedirect"
    assert {r.name for r in graph.of_type(ENDPOINT)} == {
        f"train-{s}-storage-{service}" for s in ("out", "more") for service in ("blob", "dfs")
    }
    endpoint = graph.named("train-out-storage-dfs")
    (connection,) = endpoint.inputs["privateLinkServiceConnections"]
    assert connection["groupIds"] == ["dfs"]
    assert connection["privateLinkServiceId"] == OutputRef("train-out-storage-account", "id")
    assert endpoint.inputs["subnet"]["id"] == OutputRef("train-nodes-subnet", "id")
    found = graph.named("train-out-storage-dfs-record")
    assert found.type == RECORD
    assert found.inputs["privateDnsZoneConfigs"][0]["privateDnsZoneId"] == OutputRef("train-dfs-zone", "id")


def test_nodes_wait_until_they_can_find_it() -> None:
    graph = with_storage(OUT)
    waits = set(only(graph, SCALE_SET).dependencies)
    wanted = [only(graph, CONTAINER), *graph.of_type(RECORD), *graph.of_type(LINK)]
    assert {r.urn for r in wanted} <= waits


def test_endpoints_have_room_beside_the_nodes() -> None:
    """Azure keeps five addresses of a subnet: eleven nodes fill a /28, and two endpoints more do not fit."""
    small = {
        "node_pools": [{"name": "gpu", "instance_type": "Standard_NC4as_T4_v3", "count": 11}],
        "network": {"cidr": "10.60.0.0/28", "ssh_keys": KEYS},
    }
    assert recorded(cluster(**small)).named("train-nodes-subnet").get("addressPrefix") == "10.60.0.0/28"
    with pytest.raises(GpuInfraError, match="nodes 13"):
        recorded(cluster(storage=[OUT], **small))


ACCOUNT_NAME = re.compile(r"[a-z0-9]{3,24}")


@given(
    cluster_name=st.from_regex(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True),
    storage=st.from_regex(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True),
)
def test_an_accounts_name_is_one_whatever_the_spec_calls_it(cluster_name: str, storage: str) -> None:
    """3 to 24 lower-case letters and digits, unique in the world; the provider's own digits would come after a hyphen."""
    plan = resolve(spec_of({**OUT, "name": storage}), NOW, name=cluster_name).plan
    assert plan
    name = account_name(plan.storage[0], f"{SUBSCRIPTION}/resourceGroups/rg-a")
    assert ACCOUNT_NAME.fullmatch(name)
    assert name == account_name(plan.storage[0], f"{SUBSCRIPTION}/resourcegroups/RG-A"), "ARM tells no case apart"
    assert name != account_name(plan.storage[0], f"{SUBSCRIPTION}/resourceGroups/rg-b")


@pytest.mark.parametrize("word", ["microsoft", "windows-render", "login-lab", "my-windows"])
def test_an_accounts_name_holds_no_word_that_azure_keeps(word: str) -> None:
    """An account has an address on the internet, and Azure refuses trademarks in such names."""
    plan = resolve(spec_of(OUT), NOW, name=word).plan
    assert plan
    name = account_name(plan.storage[0], f"{SUBSCRIPTION}/resourceGroups/rg-a")
    assert ACCOUNT_NAME.fullmatch(name)
    assert is_taken(Provider.AZURE, "endpoint", name)
    assert name != account_name(plan.storage[0], f"{SUBSCRIPTION}/resourceGroups/rg-b")


def test_accounts_that_begin_alike_have_names_of_their_own() -> None:
    graph = with_storage(
        {**OUT, "name": "a-very-long-name-one", "mount": "/a"}, {**OUT, "name": "a-very-long-name-two", "mount": "/b"}
    )
    names = {r.get("accountName") for r in graph.of_type(ACCOUNT)}
    assert len(names) == 2


def test_many_labels_do_not_hinder_a_zone() -> None:
    """A private DNS zone takes fifteen tags, and other resources fifty."""
    graph = with_storage(OUT, labels={f"label-{n}": "x" for n in range(20)})
    for type_ in (ZONE, LINK):
        for one in graph.of_type(type_):
            assert one.get("tags") == {"gpuinfra-cluster": "train"}
    assert len(only(graph, ACCOUNT).get("tags")) == 21


# What is there already.


def test_existing_storage_is_read_and_not_managed() -> None:
    graph = with_storage(
        {
            "name": "fs",
            "kind": "lustre",
            "existing": f"{IN_GROUP}/Microsoft.StorageCache/amlFilesystems/x",
            "mount": "/fs",
        },
        {
            "name": "home",
            "kind": "nfs",
            "existing": f"{IN_GROUP}/Microsoft.NetApp/netAppAccounts/a/capacityPools/p/volumes/v",
            "mount": "/home2",
        },
        {
            "name": "files",
            "kind": "nfs",
            "existing": f"{IN_GROUP}/Microsoft.Storage/storageAccounts/acme/fileServices/default/shares/work",
            "mount": "/files",
        },
        {"name": "data", "kind": "bucket", "existing": "https://acme.blob.core.windows.net/data/x", "mount": "/data"},
        {"name": "by-id", "kind": "bucket", "existing": CONTAINER_ID, "mount": "/by-id"},
    )
    assert not graph.of_type(LUSTRE, NETAPP, CAPACITY, VOLUME, ACCOUNT, CONTAINER, ENDPOINT, ZONE)
    assert sorted(r.type for r in graph.reads) == sorted([LUSTRE, VOLUME])
    found = facts(graph)
    assert found["fs"]["address"] == "${train-fs-storage.clientInfo.mgsAddress}"
    assert found["home"]["export"] == "/${train-home-storage.creationToken}"
    assert (found["files"]["address"], found["files"]["export"]) == ("acme.file.core.windows.net", "/acme/work")
    assert (found["data"]["bucket"], found["data"]["prefix"]) == ("acme/data", "x/")
    assert (found["by-id"]["bucket"], found["by-id"]["prefix"]) == ("acme/tokens", "")


@pytest.mark.parametrize(
    "existing",
    [
        f"{IN_GROUP}/Microsoft.NetApp/netAppAccounts/a",
        f"{IN_GROUP}/Microsoft.Storage/storageAccounts/acme",
        f"{IN_GROUP}/Microsoft.Storage/storageAccounts/acme/blobServices/default/containers/c",
    ],
)
def test_an_id_that_is_no_volume_and_no_share_is_a_finding(existing: str) -> None:
    with pytest.raises(GpuInfraError, match="the ARM id of a NetApp volume"):
        with_storage({"name": "home", "kind": "nfs", "existing": existing, "mount": "/home2"})


# What nodes are told.


def test_nodes_are_told_addresses_as_data() -> None:
    found = facts(with_storage(lustre(), HOME, OUT))
    assert found["scratch"]["address"] == "${train-scratch-storage.clientInfo.mgsAddress}"
    assert found["scratch"]["mount_name"] == "lustrefs"
    assert found["home"]["address"] == "${train-home-storage.mountTargets[0].ipAddress}"
    assert found["home"]["export"] == "/train-home"
    account = only(with_storage(OUT), ACCOUNT).get("accountName")
    assert found["out"]["bucket"] in (
        f"{account}/train-out",
        "${train-out-storage-account.name}/${train-out-storage.name}",
    )


@pytest.mark.parametrize("preview", [True, False])
def test_every_kind_is_recorded_in_preview_and_in_update(preview: bool) -> None:
    graph = recorded(cluster(storage=[lustre(), HOME, OUT]), preview=preview)
    assert len(graph.of_type(LUSTRE, VOLUME, CONTAINER)) == 3
    assert "None" not in str([r.inputs for r in graph if r.type in (LUSTRE, VOLUME)])


# Alone.


@pytest.mark.parametrize(("storage", "types"), [("home", {VOLUME}), ("out", {CONTAINER}), (None, {VOLUME, CONTAINER})])
def test_alone_it_makes_what_is_chosen(storage: str | None, types: set[str]) -> None:
    graph = record(lambda: SharedStorage("files", spec_of(HOME, OUT), storage=storage))
    assert {r.type for r in graph if r.type in (VOLUME, CONTAINER)} == types
    assert bool(graph.of_type(ZONE)) == (CONTAINER in types)
    assert all(r.name.startswith("files") for r in graph if r.type != "pulumi:pulumi:Stack")


def test_what_is_there_already_needs_neither_a_group_nor_a_network() -> None:
    data = {"name": "data", "kind": "bucket", "existing": "https://acme.blob.core.windows.net/data", "mount": "/data"}
    graph = record(lambda: SharedStorage("files", spec_of(data)))
    assert [r.type for r in graph if not r.type.startswith(("pulumi:", "gpuinfra:"))] == []


def test_a_network_and_a_group_that_are_given_are_used() -> None:
    def program() -> None:
        spec = spec_of(lustre(), OUT)
        group = ResourceGroup("shared", spec)
        SharedStorage("files", spec, group=group, network=ClusterNetwork("shared", spec, group=group))

    graph = record(program)
    assert len(graph.of_type("azure-native:resources:ResourceGroup", "azure-native:network:VirtualNetwork")) == 2
    assert only(graph, LUSTRE).inputs["resourceGroupName"] == OutputRef("shared-rg", "name")
    assert {r.name for r in graph.of_type(SUBNET)} >= {"shared-nodes-subnet", "shared-scratch-storage-subnet"}


def test_the_made_buckets_are_known_by_their_ids() -> None:
    def program() -> None:
        made = SharedStorage("files", spec_of(OUT))
        pulumi.export("ids", made.buckets)
        pulumi.export("names", {name: mount.address for name, mount in made.mounts.items()})

    graph = record(program)
    assert graph.outputs["ids"] == {"out": OutputRef("files-out-storage", "id")}


@pytest.mark.parametrize("kept", [True, False])
def test_a_group_that_holds_stores_is_protected_as_they_are(kept: bool) -> None:
    """ARM deletes a group with all that stands in it, and asks for no store."""
    graph = recorded(cluster(storage=[{"name": "out", "kind": "bucket", "mount": "/out"}] if kept else []))
    (group,) = graph.of_type("azure-native:resources:ResourceGroup")
    assert group.options.get("protect", False) is kept
