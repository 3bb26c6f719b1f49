"""Which catalog images a machine boots, best first."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from ..catalog import Accelerator, InstanceType, NodeImage
from .node_rules import node_steps
from .toolkits import Facts
from .verdict import Holds, Step, node_facts
from .versions import newest_first

# Images for the nodes of a managed service, which starts and updates them in its own way.
_OF_A_SERVICE = re.compile(r"/(?:ecs|eks|pcs|bottlerocket)/|slurm|(?:^|[-_])aks-|fips", re.IGNORECASE)
_OS_ORDER = ("ubuntu24.04", "ubuntu22.04", "al2023")

# Machines that an image's publisher says cannot boot it: publisher, family of the machine, source.
_CANNOT_BOOT = {("deeplearning-platform-release", "g2"): "Google Cloud: GPU machine types (2026-04-14)"}


def serves(image: NodeImage, instance: InstanceType) -> bool | None:
    """Whether an image's own list of machines has this one; None where it has no list."""
    tokens = [t.strip() for t in image.machine_types.split(";") if t.strip()]
    return any(_is_machine(t, instance) for t in tokens) if tokens else None


def ranked_images(
    instance: InstanceType, accelerator: Accelerator | None, kind: str, facts: Facts
) -> tuple[NodeImage, ...]:
    """The images that fit a machine, best first: sold under a name, made for it, certain, plain Ubuntu, newest."""
    key = (instance.name, accelerator.model if accelerator else "", kind)
    found = facts.rankings.get(key)
    if found is None:
        found = facts.rankings[key] = _rank_images(instance, accelerator, kind, facts)
    return found


def _rank_images(
    instance: InstanceType, accelerator: Accelerator | None, kind: str, facts: Facts
) -> tuple[NodeImage, ...]:
    fitting = [(i, image_steps(i, instance, accelerator, kind)) for i in _bootable(instance, accelerator, kind, facts)]
    fitting = [(i, s) for i, s in fitting if not any(step.holds is Holds.NO for step in s)]
    return tuple(i for i, _ in sorted(fitting, key=lambda f: _rank(f[0], f[1], instance)))


def _bootable(instance: InstanceType, accelerator: Accelerator | None, kind: str, facts: Facts) -> list[NodeImage]:
    if accelerator is None:
        return [i for i in facts.node_images if i.driver_kind == "none" and i.selector]
    made = [i for i in facts.node_images if i.driver_kind == kind and serves(i, instance) is not False]
    made = [i for i in made if not _OF_A_SERVICE.search(f"{i.selector} {i.name} {i.publisher}") and i.os[:3] != "aks"]
    made = [i for i in made if "<" not in i.selector and "recipe" not in i.name and "blueprint" not in i.name]
    made = [i for i in made if refused_by_publisher(i, instance) is None]
    return [laid_on(i, facts) for i in made] or (_plain_under_driver(kind, facts) if _lays_drivers(kind, facts) else [])


def laid_on(image: NodeImage, facts: Facts) -> NodeImage:
    """An image that is a stock image with a driver laid on it at boot takes the stock image's selector."""
    if image.selector:
        return image
    stock = next(
        (i for i in facts.node_images if i.driver_kind == "none" and i.selector and same_stock(i, image)), None
    )
    return image._replace(selector=stock.selector) if stock else image


def same_stock(stock: NodeImage, image: NodeImage) -> bool:
    """Whether two rows are the same system, with a driver laid on it or without."""
    return (stock.publisher, stock.os, stock.arch) == (image.publisher, image.os, image.arch)


def _lays_drivers(kind: str, facts: Facts) -> bool:
    """Whether the cloud is known to lay this kind of driver on stock images."""
    return any(i.driver_kind == kind and not i.selector and laid_on(i, facts).selector for i in facts.node_images)


def _plain_under_driver(kind: str, facts: Facts) -> list[NodeImage]:
    """Stock images that carry the driver once it is laid on; its version is not known."""
    return [i._replace(driver_kind=kind) for i in facts.node_images if i.driver_kind == "none" and i.selector]


def _is_machine(token: str, instance: InstanceType) -> bool:
    """Whether a token such as `A3 High (8 GPUs)`, `P6-B200`, `NVads A10 v5` or `NC*_xl_X_v6` means the machine."""
    text, _, limit = token.partition("(")
    gpus = re.match(r"(\d+) GPU", limit)
    if gpus and instance.gpu_count != int(gpus[1]):
        return False
    if "*" in text:
        return fnmatchcase(instance.name.lower().removeprefix("standard_"), text.strip().lower())
    words = [w for w in re.split(r"[ _-]+", text.strip().lower()) if w]
    parts = [p for p in re.split(r"[_-]+", instance.family.lower()) if p]
    if "".join(words) == "".join(parts) or (len(words) == 1 and words[0] in parts):
        return True
    return bool(words) and len(words) <= len(parts) and all(map(_same_word, words, parts, range(len(words))))


def _same_word(word: str, part: str, at: int) -> bool:
    # Later words may be cut short (Ultra for ultragpu). The first names the family: A4 is not A4X, though NVads is NV.
    if at:
        return part.startswith(word)
    return word == part or (len(word) - len(part) > 2 and word.startswith(part))


def refused_by_publisher(image: NodeImage, instance: InstanceType) -> str | None:
    """The source that says that a machine cannot boot an image; None where none does."""
    return _CANNOT_BOOT.get((image.publisher, instance.family.lower()))


def image_steps(
    image: NodeImage, instance: InstanceType, accelerator: Accelerator | None, kind: str
) -> tuple[Step, ...]:
    """The proof that a machine can boot an image and find its GPUs there."""
    return node_steps(instance, accelerator, node_facts(image, image.selector or image.name), kind)


def _rank(image: NodeImage, steps: tuple[Step, ...], instance: InstanceType) -> tuple[object, ...]:
    unknown = sum(1 for s in steps if s.holds is Holds.UNKNOWN)
    os = next((n for n, name in enumerate(_OS_ORDER) if image.os == name), len(_OS_ORDER))
    moving = bool(re.search(r"stable|latest(?!/)", image.selector)) and not numbers_in(image.selector)
    return (
        not image.selector,
        serves(image, instance) is None,
        unknown,
        not image.driver,
        os,
        moving,
        newest_first(image.driver),
        tuple(-n for n in numbers_in(image.selector)),
        image.selector,
    )


def numbers_in(text: str) -> tuple[int, ...]:
    """The numbers in a name, in order."""
    return tuple(int(n) for n in re.findall(r"\d{1,9}", text))
