"""Shared storage: Managed Lustre, NetApp Files and Blob, new or existing."""

from __future__ import annotations

import re
from collections.abc import Callable

import pulumi
from pulumi_azure_native import netapp, storagecache

from ...node.clouds import CLOUDS
from ...node.cluster_facts import bucket_parts
from ...plan.arguments import check_name
from ...plan.models import ClusterPlan, StoragePlan
from ...spec.models import ClusterSpec
from ...vocabulary import Provider, StorageKind
from ..mounts import Mount
from ..planning import planned
from . import lustre
from . import netapp as volumes
from .blob import blob_container, storage_account
from .network import ClusterNetwork, ExistingNetwork, check_network, cluster_network
from .private_link import PrivateLink
from .resource_group import ResourceGroup, check_group, resource_group

_SHARE = re.compile(r"(?i).*/storageAccounts/(?P<account>[^/]+)/fileServices/default/shares/(?P<share>[^/]+)")


class SharedStorage(pulumi.ComponentResource):
    """A spec's storage, or one of it."""

    mounts: dict[str, Mount]
    """By storage name."""
    buckets: dict[str, pulumi.Output[str]]
    """ARM ids of the containers that were made here, by storage name."""
    ready: tuple[pulumi.Resource, ...]
    """What nodes must wait for before they mount."""

    def __init__(
        self,
        name: str,
        spec: ClusterSpec | ClusterPlan,
        opts: pulumi.ResourceOptions | None = None,
        *,
        group: ResourceGroup | None = None,
        network: ClusterNetwork | ExistingNetwork | None = None,
        storage: str | None = None,
    ) -> None:
        """The storage of a spec. `storage`: this one alone. `network` is where it stands, and `group` the resource group
        that holds it: the spec's where left out."""
        plan = planned(spec, name, opts)
        check_group(group)
        check_name("storage", "storage", storage, [s.name for s in plan.storage])
        check_network(network)
        super().__init__("gpuinfra:azure:SharedStorage", name, None, opts)
        self._plan = plan
        self._child = pulumi.ResourceOptions(parent=self)
        self._given_group = group
        self._given = network
        self._made_group: ResourceGroup | None = None
        self._network: ClusterNetwork | None = None
        self._netapp: netapp.Account | None = None
        self._link: PrivateLink | None = None
        self._name = name
        self.mounts = {}
        self.buckets = {}
        self._ready: list[pulumi.Resource] = []
        for one in plan.storage:
            if storage in (None, one.name):
                self.mounts[one.name] = self._make(one)
        self.ready = tuple(self._ready)
        self.register_outputs({"addresses": {key: mount.address for key, mount in self.mounts.items()}})

    def _make(self, one: StoragePlan) -> Mount:
        makers: dict[tuple[StorageKind, bool], Callable[[StoragePlan], Mount]] = {
            (StorageKind.LUSTRE, False): self._new_lustre,
            (StorageKind.LUSTRE, True): self._existing_lustre,
            (StorageKind.NFS, False): self._new_nfs,
            (StorageKind.NFS, True): self._existing_nfs,
            (StorageKind.BUCKET, False): self._new_bucket,
            (StorageKind.BUCKET, True): self._existing_bucket,
        }
        return makers[one.kind, bool(one.existing)](one)

    def _group(self) -> ResourceGroup:
        """The resource group, made when the first new storage asks for it."""
        if self._made_group is None:
            self._made_group = resource_group(f"{self._name}-group", self._plan, self._given_group, self._child)
        return self._made_group

    def _place(self) -> ClusterNetwork:
        """The network, made when the first storage that stands in one asks for it."""
        if self._network is None:
            self._network = cluster_network(
                f"{self._name}-network", self._plan, self._given, self._child, self._group()
            )
        return self._network

    def _new_lustre(self, one: StoragePlan) -> Mount:
        subnet = self._place().storage_subnet_id(one)
        return _lustre_mount(lustre.lustre_file_system(self._plan, one, self._group(), subnet, self._child))

    def _existing_lustre(self, one: StoragePlan) -> Mount:
        return _lustre_mount(storagecache.AmlFilesystem.get(one.resource_name, one.existing, opts=self._child))

    def _new_nfs(self, one: StoragePlan) -> Mount:
        place, group = self._place(), self._group()
        if self._netapp is None:
            self._netapp = volumes.netapp_account(self._plan, group, self._child)
        subnet = place.storage_subnet_id(one)
        volume = volumes.netapp_volume(self._plan, one, self._netapp, group, subnet, place.cidr, self._child)
        return _volume_mount(volume)

    def _existing_nfs(self, one: StoragePlan) -> Mount:
        share = _SHARE.fullmatch(one.existing)
        if share is None:
            return _volume_mount(netapp.CapacityPoolVolume.get(one.resource_name, one.existing, opts=self._child))
        host = pulumi.Output.from_input(f"{share['account']}.file.core.windows.net")
        return _nfs_mount(host, pulumi.Output.from_input(f"/{share['account']}/{share['share']}"))

    def _new_bucket(self, one: StoragePlan) -> Mount:
        group = self._group()
        if self._link is None:
            self._link = PrivateLink(self._plan, self._place(), group, self._child)
        account = storage_account(self._plan, one, group, self._child)
        container = blob_container(one, account, group, self._child)
        self._ready += [container, *self._link.connect(one, account)]
        self.buckets[one.name] = container.id
        bucket = pulumi.Output.all(account.name, container.name).apply(_joined)
        return Mount(bucket, pulumi.Output.from_input(""), {"bucket": bucket})

    def _existing_bucket(self, one: StoragePlan) -> Mount:
        # The boot bundle refuses an address that it cannot read.
        bucket, prefix = bucket_parts(CLOUDS[Provider.AZURE], one.existing) or (one.existing, "")
        return Mount(pulumi.Output.from_input(bucket), pulumi.Output.from_input(prefix), {})


def _joined(names: list[str | None]) -> str:
    account, container = names
    # None under mocks that leave computed outputs out.
    return f"{account}/{container}" if account and container else None  # pyright: ignore[reportReturnType]


def _lustre_mount(system: storagecache.AmlFilesystem) -> Mount:
    address, name = lustre.address(system), pulumi.Output.from_input(lustre.MOUNT_NAME)
    return Mount(address, pulumi.Output.from_input(f"/{lustre.MOUNT_NAME}"), {"address": address, "mount_name": name})


def _volume_mount(volume: netapp.CapacityPoolVolume) -> Mount:
    # The token is the path; None under mocks that leave computed outputs out.
    export = volume.creation_token.apply(lambda token: f"/{token}" if token else None)
    return _nfs_mount(volumes.address(volume), export)  # pyright: ignore[reportArgumentType]


def _nfs_mount(address: pulumi.Output[str], export: pulumi.Output[str]) -> Mount:
    return Mount(address, export, {"address": address, "export": export})
