"""The GPU driver of a pool that boots a stock image: laid on by the boot bundle, by the cloud, or by a person."""

from __future__ import annotations

from dataclasses import dataclass

from .. import catalog
from ..catalog import Miss
from ..plan.models import ClusterPlan, PoolPlan
from ..vocabulary import KernelModule
from .clouds import CLOUDS

_BRANCH = "580"
"""For a stock image of which the catalog does not say what is laid on it: the branch of its other rows."""


@dataclass(frozen=True)
class StockDriver:
    """The driver that a stock image lacks."""

    kind: str
    """cuda or grid."""
    branch: str
    modules: str
    """Ubuntu's word for the modules, as server-open; empty where the bundle does not lay the driver."""
    by_cloud: bool = False
    """The cloud's own agent lays it, beside the boot."""


def stock_driver(plan: ClusterPlan, pool: PoolPlan) -> StockDriver | None:
    """What must be laid on the pool's image at boot; None without GPUs, or where the image carries its driver."""
    image = pool.node_image.image
    if image is None or not pool.gpus_per_node or pool.accelerator is None:
        return None
    stock = catalog.node_image(plan.provider, pool.node_image.selector)
    if isinstance(stock, Miss) or stock.driver_kind != "none":
        return None
    cloud = CLOUDS[plan.provider]
    branch = pool.node_image.driver.partition(".")[0] or _BRANCH
    if image.driver_kind != cloud.driver_by_boot:
        return StockDriver(image.driver_kind, branch, "", by_cloud=image.driver_kind == cloud.driver_by_cloud)
    # Volta and older have no firmware for the open module; Blackwell and Grace have no other (facts aws a5).
    closed = pool.accelerator.kernel_module is KernelModule.PROPRIETARY
    return StockDriver(image.driver_kind, branch, "server" if closed else "server-open")
