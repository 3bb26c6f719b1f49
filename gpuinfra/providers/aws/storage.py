"""Shared storage: FSx for Lustre, EFS and S3, new or existing."""

from __future__ import annotations

from collections.abc import Callable

import pulumi
import pulumi_aws as aws

from ...plan.arguments import check_name
from ...plan.models import ClusterPlan, StoragePlan
from ...spec.models import ClusterSpec
from ...vocabulary import StorageKind
from ..late_text import late_text
from ..mounts import Mount
from ..planning import planned
from .buckets import keep_private
from .identity import bucket_and_prefix
from .lustre import lustre_file_system
from .network import ClusterNetwork, ExistingNetwork, check_network, cluster_network
from .partitions import host
from .tags import tags

_BUCKET_PREFIX = 36
"""S3 allows 37 characters before the digits that make a bucket's name its own in the world."""


class SharedStorage(pulumi.ComponentResource):
    """A spec's storage, or one of it."""

    mounts: dict[str, Mount]
    """By storage name."""
    bucket_arns: dict[str, pulumi.Output[str]]
    """ARNs of the buckets that were made here, by storage name."""
    ready: tuple[pulumi.Resource, ...]
    """What nodes must wait for before they mount."""

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
        super().__init__("gpuinfra:aws:SharedStorage", name, None, opts)
        self._plan = plan
        self._child = pulumi.ResourceOptions(parent=self)
        self._given = network
        self._network: ClusterNetwork | None = None
        self._name = name
        self.mounts = {}
        self.bucket_arns = {}
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

    def _place(self) -> ClusterNetwork:
        """The network, made when the first storage that stands in one asks for it: a bucket needs none."""
        if self._network is None:
            self._network = cluster_network(f"{self._name}-network", self._plan, self._given, self._child)
        return self._network

    def _new_lustre(self, one: StoragePlan) -> Mount:
        return _lustre_mount(lustre_file_system(self._plan, one, self._place(), self._child))

    def _existing_lustre(self, one: StoragePlan) -> Mount:
        # The mount name is made up by FSx, so it is read from the file system itself.
        return _lustre_mount(
            aws.fsx.LustreFileSystem.get(one.resource_name, one.existing, opts=self._child, region=self._plan.region)
        )

    def _new_nfs(self, one: StoragePlan) -> Mount:
        place, region = self._place(), self._plan.region
        system = aws.efs.FileSystem(
            one.resource_name,
            encrypted=True,
            performance_mode="generalPurpose",
            throughput_mode="elastic",
            region=region,
            tags=tags(self._plan, one.cloud_name),
            opts=pulumi.ResourceOptions.merge(self._child, pulumi.ResourceOptions(protect=True)),
        )
        group = place.nfs_security_group_id
        target = aws.efs.MountTarget(
            f"{one.resource_name}-target",
            file_system_id=system.id,
            subnet_id=place.subnet_in(one.zone),
            security_groups=[group] if group else None,
            region=region,
            opts=self._child,
        )
        self._ready += [target, *place.nfs_rules]
        # The DNS name resolves to a mount target of the asker's own zone alone (EFS User Guide, "Mounting on EC2 with a
        # DNS name"), and none stands there.
        return _nfs_mount(target.ip_address if one.zone_differs else system.dns_name)

    def _existing_nfs(self, one: StoragePlan) -> Mount:
        return _nfs_mount(pulumi.Output.from_input(host(self._plan.region, "efs", one.existing)))

    def _new_bucket(self, one: StoragePlan) -> Mount:
        region = self._plan.region
        # What guards a bucket is kept with it: a bucket that may not go would else stand without its guards, when the
        # storage is renamed and the engine refuses the bucket alone.
        kept = pulumi.ResourceOptions.merge(self._child, pulumi.ResourceOptions(protect=True))
        bucket = aws.s3.Bucket(
            one.resource_name,
            bucket_prefix=f"{one.cloud_name[:_BUCKET_PREFIX]}-",
            force_destroy=False,
            region=region,
            tags=tags(self._plan, one.cloud_name),
            opts=kept,
        )
        keep_private(one.resource_name, bucket, region, kept)
        default = aws.s3.BucketServerSideEncryptionConfigurationRuleApplyServerSideEncryptionByDefaultArgs(
            sse_algorithm="AES256"
        )
        aws.s3.BucketServerSideEncryptionConfiguration(
            f"{one.resource_name}-encryption",
            bucket=bucket.id,
            rules=[
                aws.s3.BucketServerSideEncryptionConfigurationRuleArgs(apply_server_side_encryption_by_default=default)
            ],
            region=region,
            opts=kept,
        )
        aws.s3.BucketVersioning(
            f"{one.resource_name}-versioning",
            bucket=bucket.id,
            # Checkpoints are overwritten by the terabyte, and every old version would bill.
            versioning_configuration=aws.s3.BucketVersioningVersioningConfigurationArgs(status="Disabled"),
            region=region,
            opts=kept,
        )
        self.bucket_arns[one.name] = bucket.arn
        return Mount(bucket.bucket, pulumi.Output.from_input(""), {"bucket": bucket.bucket})

    def _existing_bucket(self, one: StoragePlan) -> Mount:
        bucket, prefix = bucket_and_prefix(one.existing)
        return Mount(pulumi.Output.from_input(bucket), pulumi.Output.from_input(prefix), {})


def _lustre_mount(system: aws.fsx.LustreFileSystem) -> Mount:
    late = {"address": system.dns_name, "mount_name": system.mount_name}
    return Mount(system.dns_name, late_text("/", system.mount_name), late)


def _nfs_mount(address: pulumi.Output[str]) -> Mount:
    root = pulumi.Output.from_input("/")
    return Mount(address, root, {"address": address, "export": root})
