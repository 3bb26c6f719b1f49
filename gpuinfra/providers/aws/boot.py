"""What nodes boot: the image, pinned at each `up`, and the boot bundle as user data."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import pulumi
import pulumi_aws as aws

from ...node import BootBundle, boot_bundle
from ...plan.models import ClusterPlan, PoolPlan
from .storage import SharedStorage

_PARAMETER = "parameter"


class NodeImages:
    """Image ids of a plan's pools. A parameter is read once, however many pools name it."""

    def __init__(self, plan: ClusterPlan, opts: pulumi.ResourceOptions) -> None:
        self._plan = plan
        self._parent = opts.parent
        self._read: dict[str, pulumi.Output[str]] = {}

    def image_id(self, pool: PoolPlan) -> pulumi.Input[str]:
        """The id: as given, or what the SSM parameter holds now. A template that held the parameter itself would boot
        whatever it points to at each scale-out, and mix images in one group."""
        image = pool.node_image
        if image.kind != _PARAMETER:
            return image.selector
        if image.selector not in self._read:
            found = aws.ssm.get_parameter_output(
                name=image.selector,
                region=self._plan.region,
                opts=pulumi.InvokeOutputOptions(parent=self._parent),
            )
            # `value` is marked secret even for public parameters, and would hide the image from every preview.
            self._read[image.selector] = found.insecure_value
        return self._read[image.selector]


def user_data(plan: ClusterPlan, pool: PoolPlan, storage: SharedStorage | None) -> pulumi.Input[str]:
    """The boot bundle of a pool, in base64, filled with the values that only the deployment knows."""
    bundle = boot_bundle(plan, pool)
    known = {"group.name": pool.cloud_name}
    late: dict[str, pulumi.Output[str]] = {}
    for name, mount in storage.mounts.items() if storage else ():
        late |= {f"storage.{name}.{key}": value for key, value in mount.late.items()}
    late = {key: value for key, value in late.items() if key in bundle.late}
    if not late:
        return _encoded(bundle, known)
    return pulumi.Output.all(**late).apply(lambda values: _encoded(bundle, {**known, **values}))


def _encoded(bundle: BootBundle, late: Mapping[str, str]) -> str:
    return base64.b64encode(bundle.user_data(late)).decode()
