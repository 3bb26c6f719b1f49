"""The image of a node as a scale set takes it, and the purchase plan that some publishers want with it."""

from __future__ import annotations

from pulumi_azure_native import compute

from ... import catalog
from ...catalog import Miss
from ...plan.models import NodeImagePlan
from ...plan.node_image_naming import has_terms
from ...vocabulary import Provider

_COMMUNITY, _SHARED = "/communitygalleries/", "/sharedgalleries/"


def image_reference(image: NodeImagePlan) -> compute.ImageReferenceArgs:
    """A URN in its four parts, or an image of a gallery by its id."""
    selector = image.selector
    parts = selector.split(":")
    if not selector.startswith("/") and len(parts) == 4:
        publisher, offer, sku, version = parts
        return compute.ImageReferenceArgs(publisher=publisher, offer=offer, sku=sku, version=version)
    if selector.lower().startswith(_COMMUNITY):
        return compute.ImageReferenceArgs(community_gallery_image_id=selector)
    if selector.lower().startswith(_SHARED):
        return compute.ImageReferenceArgs(shared_gallery_image_id=selector)
    return compute.ImageReferenceArgs(id=selector)


def purchase_plan(image: NodeImagePlan) -> compute.PlanArgs | None:
    """The plan of a publisher whose images have one: without it ARM refuses them, and its terms are accepted once a
    subscription."""
    if not has_terms(image.selector):
        return None
    publisher, offer, sku, _ = image.selector.split(":")
    return compute.PlanArgs(name=sku, product=offer, publisher=publisher)


def is_trusted_launch_capable(image: NodeImagePlan) -> bool:
    """Whether the image is known to boot with Trusted Launch; ARM refuses one that does not."""
    # By its name: what the plan holds of a stock image is what is laid on it.
    known = catalog.node_image(Provider.AZURE, image.selector)
    return not isinstance(known, Miss) and known.trusted_launch is True
