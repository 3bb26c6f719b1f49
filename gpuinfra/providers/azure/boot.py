"""What nodes boot: the boot bundle as custom data."""

from __future__ import annotations

import base64

import pulumi

from ...diagnostics import GpuInfraError
from ...node import boot_bundle, needs_object
from ...plan.models import ClusterPlan, PoolPlan
from ..findings import IMAGE_WITHOUT_NAME
from ..mounts import late_values
from .identity import NodeIdentity
from .storage import SharedStorage

_CLIENT_ID = "identity.client_id"


class NodeBoot:
    """What the pools of a plan boot."""

    def __init__(self, plan: ClusterPlan, opts: pulumi.ResourceOptions | None = None) -> None:
        """`opts` is what every room's takes; nothing is registered here."""
        self._plan = plan

    def check(self, pool: PoolPlan) -> None:
        """Raises GpuInfraError where the pool's image has no name, or its bundle passes the 64 KiB that Azure hands to a
        node: no storage account is made for so little (AWS's limit is a quarter of it)."""
        if not pool.node_image.selector:
            raise GpuInfraError(
                [
                    IMAGE_WITHOUT_NAME.at(
                        "image.node",
                        f"pool '{pool.name}': the image that {pool.instance.name} boots is known, and its name is not",
                        "give image.node: the URN or the gallery id of an image of this size",
                    )
                ]
            )
        if needs_object(self._plan, pool) and (found := boot_bundle(self._plan, pool).size_findings("")):
            raise GpuInfraError(list(found))

    def custom_data(self, pool: PoolPlan, identity: NodeIdentity, storage: SharedStorage | None) -> pulumi.Output[str]:
        """The boot bundle of a pool, in base64, filled with the values that only the deployment knows."""
        bundle = boot_bundle(self._plan, pool)
        late = late_values(storage.mounts if storage else {}, bundle.late)
        if _CLIENT_ID in bundle.late:
            late[_CLIENT_ID] = identity.client_id
        return pulumi.Output.all(**late).apply(
            lambda values: base64.b64encode(bundle.carrier(values).user_data).decode()
        )
