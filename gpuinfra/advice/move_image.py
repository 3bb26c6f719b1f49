"""Node and container images in another place."""

from __future__ import annotations

from ..plan.oci_reference import Reference, parse_reference
from ..spec.models import Image
from ..vocabulary import Provider
from .change import Change
from .clouds import CLOUDS, owner_of


def move_image(image: Image, source: Provider, target: Provider, region_left: bool, changes: list[Change]) -> Image:
    """The images there. A node image belongs to its cloud, some to one region; a container is pulled from anywhere that
    lets the nodes in."""
    foreign = source is not target or (region_left and CLOUDS[source].regional_image.fullmatch(image.node) is not None)
    if image.node != "auto" and foreign:
        what = "another cloud" if source is not target else "another region"
        changes.append(
            Change(
                "image.node",
                image.node,
                "auto",
                f"an image of {what}: the one that fits is taken; copy what yours adds",
            )
        )
        image = image.model_copy(update={"node": "auto"})
    parsed = parse_reference(image.container) if image.container else None
    owner = owner_of(parsed.registry) if isinstance(parsed, Reference) else None
    if owner is source and owner is not target and image.container:
        theirs, ours = CLOUDS[source].registry_name, CLOUDS[target].registry_name
        changes.append(
            Change(
                "image.container",
                image.container,
                image.container,
                f"in {theirs}, where nodes of {target} have no login: copy it to {ours}, and name that",
            )
        )
    return image
