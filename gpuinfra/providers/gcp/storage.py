"""Shared storage: Managed Lustre, Filestore and Cloud Storage, new or existing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pulumi
from pulumi_gcp import filestore, lustre

from ...plan.arguments import check_name
from ...plan.models import ClusterPlan, StoragePlan
from ...spec.models import ClusterSpec
from ...vocabulary import StorageKind
from ..late_text import late_text
from ..mounts import Mount
from ..planning import planned
from .buckets import private_bucket
from .filestore import filestore_instance
from .lustre import lustre_instance
from .names import project_of
from .network import ClusterNetwork, ExistingNetwork, check_network, cluster_network


class SharedStorage(pulumi.ComponentResource):
    """A spec's storage, or one of it."""

    mounts: dict[str, Mount]
    """By storage name."""
    buckets: dict[str, pulumi.Output[str]]
    """Names of the buckets that were made here, by storage name."""
    ready: tuple[pulumi.Resource, ...]
    """What nodes must wait for before they mount, beside the addresses: nothing, since these are known when the file
    systems serve."""

    def __init__(
        self,
        name: str,
        spec: ClusterSpec | ClusterPlan,
        opts: pulumi.ResourceOptions | None = None,
        *,
        network: ClusterNetwork | ExistingNetwork | None = None,
        storage: str | None = None,
    ) -> None:
        """The storage of a spec. `storage`: this one alone. `network` is where it stands: the spec's where left out."""
        plan = planned(spec, name, opts)
        check_name("storage", "storage", storage, [s.name for s in plan.storage])
        check_network(network)
        super().__init__("gpuinfra:gcp:SharedStorage", name, None, opts)
        self._plan = plan
        self._child = pulumi.ResourceOptions(parent=self)
        self._given = network
        self._network: ClusterNetwork | None = None
        self._name = name
        self.mounts = {}
        self.buckets = {}
        self.ready = ()
        for one in plan.storage:
            if storage in (None, one.name):
                self.mounts[one.name] = self._make(one)
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

    def _place(self) -> ClusterNetwork:
        """The network, made when the first storage that stands in one asks for it: a bucket needs none."""
        if self._network is None:
            self._network = cluster_network(f"{self._name}-network", self._plan, self._given, self._child)
        return self._network

    def _new_lustre(self, one: StoragePlan) -> Mount:
        return _lustre_mount(lustre_instance(self._plan, one, self._place(), self._child))

    def _existing_lustre(self, one: StoragePlan) -> Mount:
        # Its address and the name that clients mount are read from the instance itself.
        return _lustre_mount(lustre.Instance.get(one.resource_name, self._path(one), opts=self._child))

    def _new_nfs(self, one: StoragePlan) -> Mount:
        return _nfs_mount(filestore_instance(self._plan, one, self._place(), self._child))

    def _existing_nfs(self, one: StoragePlan) -> Mount:
        return _nfs_mount(filestore.Instance.get(one.resource_name, self._path(one), opts=self._child))

    def _new_bucket(self, one: StoragePlan) -> Mount:
        bucket = private_bucket(one.resource_name, self._plan, self._child, kept=True)
        self.buckets[one.name] = bucket.name
        return Mount(bucket.name, pulumi.Output.from_input(""), {"bucket": bucket.name})

    def _existing_bucket(self, one: StoragePlan) -> Mount:
        bucket, _, prefix = one.existing.removeprefix("gs://").partition("/")
        return Mount(pulumi.Output.from_input(bucket), pulumi.Output.from_input(prefix.strip("/")), {})

    def _path(self, one: StoragePlan) -> str:
        """The whole name of an existing instance. A name alone is one of the cluster's project and of the storage's zone;
        what stands in another project, or in a region as regional Filestore does, is named whole."""
        if "/" in one.existing:
            return one.existing
        return f"projects/{project_of(self._plan)}/locations/{one.zone}/instances/{one.existing}"


def _lustre_mount(instance: lustre.Instance) -> Mount:
    address = instance.mount_point.apply(_before_network)
    late = {"address": address, "mount_name": instance.filesystem}
    return Mount(address, late_text("/", instance.filesystem), late)


def _before_network(mount_point: str | None) -> str:
    """The address in 10.0.0.2@tcp:/name."""
    # None under mocks that leave computed outputs out; the SDK's types do not know it.
    return mount_point.partition("@")[0] if mount_point is not None else mount_point  # pyright: ignore[reportReturnType]


def _nfs_mount(instance: filestore.Instance) -> Mount:
    # The address stands inside an input of ours, which a preview echoes without it: the id is unknown there, and makes
    # the whole unknown.
    address = pulumi.Output.all(instance.id, instance.networks.apply(_first_address)).apply(lambda both: both[1])
    export = late_text("/", instance.file_shares.apply(lambda share: share.name))
    return Mount(address, export, {"address": address, "export": export})


def _first_address(networks: Sequence[filestore.outputs.InstanceNetwork] | None) -> str | None:
    """The one address of an instance with one network; None under mocks that leave computed outputs out."""
    addresses = networks[0].ip_addresses if networks else None
    return addresses[0] if addresses else None
