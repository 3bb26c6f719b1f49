"""cloud-init itself, for images of Google's that come without it."""

from __future__ import annotations

from ..plan.models import PoolPlan
from .rendering import render

_CARRY_IT = ("ubuntu-os-cloud", "ubuntu-os-accelerator-images", "cos-cloud")
"""Publishers whose images are set up by cloud-init (Ubuntu on Google Cloud; Container-Optimized OS, "Creating and configuring
instances"). Google's own builds of Rocky Linux come without it."""


def cloud_init_installer(pool: PoolPlan) -> str:
    """A start-up script that lays cloud-init on where an image lacks it; empty where it is known to be there."""
    image = pool.node_image.image
    return "" if image is not None and image.publisher in _CARRY_IT else render("gcp/cloud_init.sh.j2")
