"""The forms in which each cloud names a node image, told apart by shape."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..vocabulary import Provider

ID, PARAMETER, FAMILY, URN = "id", "parameter", "family", "urn"


@dataclass(frozen=True)
class Form:
    """One form: its kind, its shape, and an example for the finding that refuses another."""

    kind: str
    shape: re.Pattern[str]
    example: str
    pinned: re.Pattern[str] | None
    """Which names of this form always mean the same image. None: no name does."""
    bare: bool = False
    """The form is so loose that another cloud's names have its shape: theirs go first."""


@dataclass(frozen=True)
class ImageName:
    """A node image as it was named: its form, the text that the cloud takes, and whether it can mean another image later."""

    kind: str
    selector: str
    pinned: bool


_ANY = re.compile(r".+", re.DOTALL)
_PROJECT = r"[a-z][a-z0-9.:-]{4,60}[a-z0-9]"
_NAME = r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?"
_URN_PART = r"[A-Za-z0-9._-]+"

FORMS: Mapping[Provider, tuple[Form, ...]] = {
    Provider.AWS: (
        Form(ID, re.compile(r"ami-(?:[0-9a-f]{8}|[0-9a-f]{17})"), "ami-0123456789abcdef0", _ANY),
        Form(
            PARAMETER,
            re.compile(r"(?:resolve:ssm:)?/[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*(?::\d+)?"),
            "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id",
            re.compile(r"(?!.*/aws/service/).*:\d+"),
        ),
    ),
    Provider.GCP: (
        Form(
            FAMILY,
            re.compile(
                rf"(?:(?:https://[a-z.]+/compute/[a-z0-9]+/)?projects/{_PROJECT}/global/images/|global/images/|{_PROJECT}/)?"
                rf"family/{_NAME}"
            ),
            "projects/ubuntu-os-accelerator-images/global/images/family/ubuntu-accelerator-2404-amd64-with-nvidia-580",
            None,
        ),
        Form(
            ID,
            re.compile(
                rf"(?:(?:https://[a-z.]+/compute/[a-z0-9]+/)?projects/{_PROJECT}/global/images/|global/images/|{_PROJECT}/){_NAME}"
            ),
            "projects/my-project/global/images/my-image-v20261101",
            _ANY,
        ),
        # A bare name is an image or a family of the cluster's own project; the dated form of public images tells them apart.
        Form(ID, re.compile(r"[a-z][a-z0-9-]*-v\d{8}[a-z]?"), "my-image-v20261101", _ANY, bare=True),
        Form(FAMILY, re.compile(_NAME), "family/my-family", None, bare=True),
    ),
    Provider.AZURE: (
        Form(
            URN,
            re.compile(rf"{_URN_PART}:{_URN_PART}:{_URN_PART}(?::{_URN_PART})?"),
            "publisher:offer:sku:1.2.3",
            re.compile(r"[^:]+:[^:]+:[^:]+:(?!latest$)[^:]+"),
        ),
        Form(
            ID,
            re.compile(
                r"/subscriptions/[^/\s]+/resourceGroups/[^/\s]+/providers/Microsoft\.Compute/(?:images|galleries)/[^\s]+"
                r"|/(?:communityGalleries|sharedGalleries)/[^\s]+",
                re.IGNORECASE,
            ),
            "/subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.Compute/galleries/GALLERY/images/IMAGE"
            "/versions/1.0.0",
            re.compile(r"(?i)(?!.*/versions/latest$)(?:.*/versions/[^/]+|(?!.*galleries/).*)"),
        ),
    ),
}


def read_image_name(provider: Provider, text: str) -> ImageName | None:
    """The image that `text` names in a cloud's own forms; None where it is none of them."""
    for form in FORMS[provider]:
        if form.shape.fullmatch(text) and not (form.bare and owner_of(text)):
            selector = text.removeprefix("resolve:ssm:")
            if form.kind == URN and selector.count(":") == 2:
                selector += ":latest"
            return ImageName(form.kind, selector, bool(form.pinned and form.pinned.fullmatch(selector)))
    return None


def examples(provider: Provider, own: ImageName | None = None) -> str:
    """What a cloud takes, for a hint: `own`, an image that fits the machine, stands for its form."""
    told = {f.kind: f.example for f in _named_once(provider) if f.kind in (ID, URN)}
    if own is not None:
        told[own.kind] = own.selector
    return "; ".join(f"{'an' if kind == ID else 'a'} {kind}, as {example}" for kind, example in told.items())


def example_of_id(provider: Provider) -> str:
    """An image of one's own, as a cloud names it."""
    return next(f.example for f in FORMS[provider] if f.kind == ID)


def owner_of(text: str) -> Provider | None:
    """The cloud whose own form `text` has, where exactly one has it. Bare names are nobody's own."""
    found = [p for p, forms in FORMS.items() if any(f.shape.fullmatch(text) and not f.bare for f in forms)]
    return found[0] if len(found) == 1 else None


def _named_once(provider: Provider) -> tuple[Form, ...]:
    seen: dict[str, Form] = {}
    for form in FORMS[provider]:
        seen.setdefault(form.kind, form)
    return tuple(seen.values())
