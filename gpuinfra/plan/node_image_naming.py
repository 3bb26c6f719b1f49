"""What is said of a node image for its name alone: a form of another cloud, a moving name, terms, an old generation."""

from __future__ import annotations

import re

from .. import catalog
from ..catalog import InstanceType
from ..diagnostics import Diagnostic, Severity
from ..vocabulary import Provider
from . import image_findings as findings
from .node_image_names import FAMILY, URN, ImageName, examples, owner_of

# Publishers in a marketplace whose images have a purchase plan (Azure/azurehpc:pyazhpc/arm.py; facts azure a7).
_WITH_TERMS = ("almalinux",)

# Generation 1 images of the marketplace: the sku says so, or is older than the habit of saying it.
_GENERATION_1 = re.compile(r"(?i)[^:]+:[^:]+:(?:\d\d_\d\d-lts|\d\d\.\d\d-lts|.*gen1|\d+-lvm|[78]_\d+|[78]\.\d+):[^:]+")
_CALLED = {"parameter": "a parameter", FAMILY: "an image family", URN: "the latest version of a URN", "id": "an image"}
_PROJECT = re.compile(r"projects/([^/]+)/")
_HOW_TO_PIN = {
    "parameter": "name the image that it means today by its id: aws ssm get-parameter --name {selector} prints it",
    FAMILY: "name the image that it means today: gcloud compute images describe-from-family {name} --project {project}"
    " prints it, to write as projects/{project}/global/images/NAME",
    URN: "put the version that latest means today in its place: az vm image show --urn {selector} prints it",
    "id": "name a version of the image, as …/versions/1.0.0",
}


def is_generation_1(urn: str) -> bool:
    """Whether a marketplace URN (publisher:offer:sku:version) names a generation 1 image."""
    return _GENERATION_1.fullmatch(urn) is not None


def malformed(provider: Provider, wish: str, path: str, instead: str, own: ImageName | None) -> Diagnostic:
    """A name that is no form of this cloud. `instead` and `own` name an image that fits the machine, where one is known."""
    shown = wish if len(wish) <= 120 else f"{wish[:117]}…"
    owner = owner_of(wish)
    whose = f"it is a form of {owner}" if owner else "it has none of its forms"
    text = f"'{shown}' names no node image of {provider}: {whose}"
    hint = f"{instead}; or name one: {examples(provider, own)}" if instead else f"name {examples(provider)}"
    return findings.BAD_NODE_IMAGE.at(path, text, hint)


def unpinned(name: ImageName, title: str, path: str, severity: Severity = Severity.WARNING) -> tuple[Diagnostic, ...]:
    """A name that can mean another image tomorrow."""
    if name.pinned:
        return ()
    of = f" of {title}" if title != name.selector else ""
    text = f"{name.selector} is {_CALLED[name.kind]}, which moves: nodes added later boot another release{of}"
    project = _PROJECT.search(name.selector)
    hint = _HOW_TO_PIN[name.kind].format(
        selector=name.selector,
        name=name.selector.rpartition("/")[2],
        project=project[1] if project else "PROJECT",
    )
    return (findings.UNPINNED_NODE_IMAGE.at(path, text, hint, severity=severity),)


def terms(name: ImageName, path: str, auto: bool = True) -> tuple[Diagnostic, ...]:
    """An image whose terms must be accepted before the first machine."""
    publisher = name.selector.partition(":")[0].lower()
    if name.kind != URN or not has_terms(name.selector):
        return ()
    text = f"{name.selector} is an image of '{publisher}', which may have a purchase plan: its terms are accepted once a subscription"
    hint = f"run once: az vm image terms accept --urn {name.selector}"
    hint += "; or write auto: that image has no plan" if auto else ""
    return (findings.MARKETPLACE_TERMS.at(path, text, hint),)


def has_terms(selector: str) -> bool:
    """Whether a URN names an image of a publisher whose images have a purchase plan."""
    return selector.partition(":")[0].lower() in _WITH_TERMS and selector.count(":") == 3


def generation(instance: InstanceType, name: ImageName, path: str, instead: str = "") -> tuple[Diagnostic, ...]:
    """A generation 1 image for a size that boots generation 2 only."""
    row = catalog.infiniband(instance.name)
    # A size of unknown generations is not refused: several boot both.
    if name.kind != URN or row is None or not row.generations or 1 in row.generations:
        return ()
    if not is_generation_1(name.selector):
        return ()
    text = f"{name.selector} is a generation 1 image, and {instance.name} boots generation 2 only"
    hint = f"take the generation 2 variant of the image, or {instead}" if instead else ""
    return (findings.OLD_GENERATION.at(path, text, hint),)
