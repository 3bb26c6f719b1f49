"""cloud-init itself, for images of Google's that come without it."""

from __future__ import annotations

from ..plan.models import PoolPlan
from .rendering import render

_CARRY_IT = ("ubuntu", "cos")


def cloud_init_installer(pool: PoolPlan) -> str:
    """A start-up script that lays cloud-init on the pool's image; empty where the image has it, or is not known: who
    names an image of their own is told what it needs (`image.node`)."""
    image = pool.node_image.image
    return "" if image is None or image.os.startswith(_CARRY_IT) else render("gcp/cloud_init.sh.j2")
