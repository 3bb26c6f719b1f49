"""What nodes boot: the image, pinned at each `up`, and the boot bundle as user data."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import cast

import pulumi
import pulumi_aws as aws

from ...node import BootBundle, Carrier, boot_bundle, needs_object
from ...plan.models import ClusterPlan, PoolPlan
from ..mounts import late_values
from .auto_names import name_prefix
from .buckets import keep_private
from .storage import SharedStorage
from .tags import tags

_PARAMETER = "parameter"


class NodeBoot:
    """What the pools of a plan boot. A parameter is read once, and a bucket made once, however many pools use them."""

    folder: aws.s3.Bucket | None
    """Holds the bundles that EC2's 16 KiB of user data cannot; made only where one is so large."""

    def __init__(self, plan: ClusterPlan, opts: pulumi.ResourceOptions) -> None:
        self._plan = plan
        self._opts = opts
        self._parameters: dict[str, pulumi.Output[str]] = {}
        self._devices: dict[str, pulumi.Output[str]] = {}
        self._by_object = {p.name for p in plan.pools if needs_object(plan, p)}
        self.folder = _folder(plan, opts) if self._by_object else None

    def image_id(self, pool: PoolPlan) -> pulumi.Input[str]:
        """The id: as given, or what the SSM parameter holds now. A template that held the parameter itself would boot
        whatever it points to at each scale-out, and mix images in one group."""
        image = pool.node_image
        if image.kind != _PARAMETER:
            return image.selector
        if image.selector not in self._parameters:
            found = aws.ssm.get_parameter_output(name=image.selector, region=self._plan.region, opts=self._asks())
            # `value` is marked secret even for public parameters, and would hide the image from every preview.
            self._parameters[image.selector] = found.insecure_value
        return self._parameters[image.selector]

    def root_device(self, pool: PoolPlan) -> pulumi.Input[str]:
        """The name of the image's own root disk. For an image that the catalog does not know, EC2 is asked: another
        name adds a second disk and leaves the root small and unencrypted (runs-on/runs-on#207)."""
        image = pool.node_image
        if image.root_device:
            return image.root_device
        if image.selector not in self._devices:
            found = aws.ec2.get_ami_output(
                filters=[aws.ec2.GetAmiFilterArgs(name="image-id", values=cast("list[str]", [self.image_id(pool)]))],
                region=self._plan.region,
                opts=self._asks(),
            )
            self._devices[image.selector] = found.root_device_name
        return self._devices[image.selector]

    def user_data(self, pool: PoolPlan, storage: SharedStorage | None) -> pulumi.Input[str]:
        """The boot bundle of a pool, in base64, filled with the values that only the deployment knows."""
        bundle = boot_bundle(self._plan, pool)
        known = {"group.name": pool.cloud_name}
        late = late_values(storage.mounts if storage else {}, bundle.late)
        if self.folder is not None and pool.name in self._by_object:
            return self._through(self.folder, pool, bundle, known, late)
        if not late:
            return _encoded(bundle.carrier(known))
        return pulumi.Output.all(**late).apply(lambda values: _encoded(bundle.carrier({**known, **values})))

    def _through(
        self,
        folder: aws.s3.Bucket,
        pool: PoolPlan,
        bundle: BootBundle,
        known: Mapping[str, str],
        late: Mapping[str, pulumi.Output[str]],
    ) -> pulumi.Output[str]:
        """A short document that fetches the bundle from the bucket, checks its digest, and runs it."""

        def carried(values: dict[str, str]) -> Carrier:
            bucket = values.pop(_BUCKET)
            return bundle.carrier({**known, **values}, f"s3://{bucket}")

        carrier = pulumi.Output.all(**{_BUCKET: folder.bucket, **late}).apply(carried)
        body = aws.s3.BucketObject(
            f"{pool.resource_name}-boot",
            bucket=folder.bucket,
            # The name holds the digest: nodes that run keep reading what they were made with.
            key=carrier.apply(lambda c: c.object_name),
            content=carrier.apply(lambda c: c.object_body.decode()),
            content_type="application/json",
            region=self._plan.region,
            opts=self._opts,
        )
        return pulumi.Output.all(carrier, body.id).apply(lambda both: _encoded(both[0]))

    def _asks(self) -> pulumi.InvokeOutputOptions:
        return pulumi.InvokeOutputOptions(parent=self._opts.parent)


_BUCKET = "boot-bucket"


def _folder(plan: ClusterPlan, opts: pulumi.ResourceOptions) -> aws.s3.Bucket:
    name = f"{plan.name}-boot"
    bucket = aws.s3.Bucket(
        name,
        bucket_prefix=name_prefix(name, "bucket"),
        force_destroy=True,
        region=plan.region,
        tags=tags(plan, name),
        opts=opts,
    )
    keep_private(name, bucket, plan.region, opts)
    return bucket


def _encoded(carrier: Carrier) -> str:
    return base64.b64encode(carrier.user_data).decode()
