"""What is said of a node image for its name alone: a form of another cloud, a moving name, terms, an old generation."""

from __future__ import annotations

import re

from .. import catalog
from ..catalog import InstanceType
from ..diagnostics import Diagnostic
from ..vocabulary import Provider
from . import image_findings as findings
from .node_image_names import FAMILY, URN, ImageName, examples, owner_of

# Publishers in a marketplace whose images have a purchase plan (Azure/azurehpc:pyazhpc/arm.py; facts azure a7).
_WITH_TERMS = ("almalinux",)

# Generation 1 images of the marketplace: the sku says so, or is older than the habit of saying it.
_GENERATION_1 = re.compile(r"(?i)[^:]+:[^:]+:(?:\d\d_\d\d-lts|\d\d\.\d\d-lts|.*gen1|\d+-lvm|[78]_\d+|[78]\.\d+):[^:]+")
_CALLED = {"parameter": "a parameter", FAMILY: "an image family", URN: "the latest version of a URN", "id": "an image"}
_HOW_TO_PIN = {
    "parameter": "name the image that the parameter means today by its id",
    FAMILY: "name a dated image of the family, as projects/PROJECT/global/images/FAMILY-v20261101",
    URN: "put the version that latest means today in its place, as publisher:offer:sku:1.2.3",
    "id": "name a version of the image",
}


def malformed(provider: Provider, wish: str, path: str) -> Diagnostic:
    """A name that is no form of this cloud."""
    shown = wish if len(wish) <= 120 else f"{wish[:117]}…"
    owner = owner_of(wish)
    whose = f"it is a form of {owner}" if owner else "it has none of its forms"
    text = f"'{shown}' names no node image of {provider}: {whose}"
    return findings.BAD_NODE_IMAGE.at(path, text, f"write auto; {examples(provider)}")


def unpinned(name: ImageName, title: str, path: str) -> tuple[Diagnostic, ...]:
    """A name that can mean another image tomorrow."""
    if name.pinned:
        return ()
    of = f" of {title}" if title != name.selector else ""
    text = f"{name.selector} is {_CALLED[name.kind]}, which moves: nodes added later boot another release{of}"
    return (findings.UNPINNED_NODE_IMAGE.at(path, text, _HOW_TO_PIN[name.kind]),)


def terms(name: ImageName, path: str) -> tuple[Diagnostic, ...]:
    """An image whose terms must be accepted before the first machine."""
    publisher = name.selector.partition(":")[0].lower()
    if name.kind != URN or publisher not in _WITH_TERMS:
        return ()
    text = f"{name.selector} is an image of '{publisher}', which may have a purchase plan: its terms are accepted once a subscription"
    hint = f"run once: az vm image terms accept --urn {name.selector}; or write auto: that image has no plan"
    return (findings.MARKETPLACE_TERMS.at(path, text, hint),)


def generation(instance: InstanceType, name: ImageName, path: str) -> tuple[Diagnostic, ...]:
    """A generation 1 image for a size that boots generation 2 only."""
    row = catalog.infiniband(instance.name)
    # A size of unknown generations is not refused: several boot both.
    if name.kind != URN or row is None or not row.generations or 1 in row.generations:
        return ()
    if not _GENERATION_1.fullmatch(name.selector):
        return ()
    text = f"{name.selector} is a generation 1 image, and {instance.name} boots generation 2 only"
    return (findings.OLD_GENERATION.at(path, text),)
