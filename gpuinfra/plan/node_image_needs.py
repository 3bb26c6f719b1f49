"""What image a machine needs, and how to come by one: the hints of findings about node images."""

from __future__ import annotations

from ..catalog import Accelerator, InstanceType
from ..vocabulary import KernelModule
from .node_image_names import example_of_id
from .node_image_ranking import ranked_images
from .node_rules import KIND_NAMES, needed_driver
from .toolkits import Facts

# Of these the maker's compute stack is for the Instinct line; the visualisation GPUs take its graphics driver.
_GRAPHICS = "RADEON-PRO"
_CONFIDENTIAL = "confidential VM"


def needed_image(instance: InstanceType, accelerator: Accelerator | None, kind: str) -> str:
    """The image that a machine needs, in words."""
    cpu = instance.arch or "its CPU"
    if accelerator is None:
        return f"a Linux image for {cpu}"
    what = "confidential-VM image" if instance.notes.startswith(_CONFIDENTIAL) else "Linux image"
    driver = KIND_NAMES.get(kind, "a GPU driver")
    if kind == "rocm" and accelerator.model.startswith(_GRAPHICS):
        driver = "AMD's driver (amdgpu)"
    wanted = f"a {what} for {cpu} with {driver} for {accelerator.model}"
    branch = needed_driver(instance, accelerator)[0]
    wanted += f", {branch} or newer" if branch else ""
    if accelerator.kernel_module in (KernelModule.OPEN, KernelModule.PROPRIETARY):
        wanted += f", with the {accelerator.kernel_module} kernel module"
    return wanted


def name_your_own(instance: InstanceType) -> str:
    """How to name an image that the catalog does not have."""
    return f"name an image of your own by its id, as image.node: {example_of_id(instance.provider)}"


def take_instead(instance: InstanceType, accelerator: Accelerator | None, kind: str, facts: Facts) -> str:
    """The image that `auto` takes; empty where the catalog has none under a name."""
    best = next((i for i in ranked_images(instance, accelerator, kind, facts)[:1] if i.selector), None)
    if best is None:
        return ""
    what = f"driver {best.driver}" if best.driver else best.name
    return f"write auto, which takes {best.selector}" + (f" ({what})" if what != best.selector else "")
