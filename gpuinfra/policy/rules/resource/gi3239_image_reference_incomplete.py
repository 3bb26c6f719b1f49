"""An image reference that Azure refuses.

What: An image of a publisher with a purchase plan and no `plan` on the machine; a URN with a part missing; an id that is no ARM id; or an id beside a URN.
Why: The first machine is refused (MarketplacePurchaseEligibilityFailed, or InvalidParameter), after network and storage were made.
Fix: Write plan: {name, publisher, product} as the image has them, and all of publisher, offer and sku.
References: Azure/azurehpc, pyazhpc/arm.py; Azure docs, find and use marketplace purchase plans
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....plan.node_image_naming import has_terms
from ....vocabulary import Provider
from ...azure_graph import AzureNodes
from ...azure_images import PLACE, booted
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3239", "image-reference-incomplete", Severity.ERROR, __doc__, ("AZ IMG-07",))
_URN = ("publisher", "offer", "sku")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine."""
    for nodes in ctx.azure.nodes:
        image = booted(nodes)
        if image is None:
            continue
        if image.unknown:
            yield Undecided(CODE.code, nodes.name, "the image is not known yet")
            continue
        fault, hint = _form(nodes)
        if not fault and image.urn and has_terms(image.urn) and nodes.resource.get("plan") is None:
            publisher, offer, sku, _ = image.urn.split(":")
            fault = f"images of '{publisher}' are sold with a purchase plan, and the nodes have none"
            hint = f"write plan: {{name: {sku}, publisher: {publisher}, product: {offer}}}, and accept its terms once"
        if fault:
            yield CODE.at(nodes.at(PLACE), fault, hint, resource=nodes.name)


def _form(nodes: AzureNodes) -> tuple[str, str]:
    value = nodes.get("storageProfile", "imageReference")
    block: Mapping[str, Any] = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
    named = {k for k in _URN if plain(block.get(k))}
    identity = plain(block.get("id"))
    if identity and named:
        return "an id and a publisher exclude each other", "keep one of them"
    if isinstance(identity, str) and not late(identity) and not identity.lower().startswith("/subscriptions/"):
        return (
            f"'{identity[:60]}' is no id of an image",
            "write /subscriptions/…/images/NAME, or a gallery version's id",
        )
    if named and named != set(_URN):
        return (
            f"the image has no {' and no '.join(k for k in _URN if k not in named)}",
            "write all of publisher, offer, sku",
        )
    return "", ""


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    plan: {1}
    virtualMachineProfile: {{storageProfile: {{imageReference: {{{0}}}}}}}
"""
_ALMA = "publisher: almalinux, offer: almalinux-hpc, sku: 9-hpc-gen2, version: 9.8.2026082601"

RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples(
        (_T.format(_ALMA, "{name: 9-hpc-gen2, publisher: almalinux, product: almalinux-hpc}"),),
        (
            _T.format(_ALMA, "null"),
            _T.format("publisher: Canonical, sku: server", "null"),
            _T.format("id: my-image", "null"),
            _T.format(f"id: /subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/i, {_ALMA}", "null"),
        ),
        (_T.format("publisher: !unknown , offer: a, sku: b", "null"),),
    ),
    providers=(Provider.AZURE,),
)
