"""A generation 1 image on a size that boots generation 2 only.

What: The image's sku is the generation 1 variant, and the size boots generation 2 alone, as every ND and NC H100 size.
Why: The machine is refused. The skus differ by a suffix: 22_04-lts is generation 1, 22_04-lts-gen2 is generation 2.
Fix: Take the -gen2 variant of the image.
References: Azure docs, support for generation 2 machines
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_images import PLACE, booted
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3240", "image-of-old-generation", Severity.ERROR, __doc__, ("AZ IMG-08",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine."""
    for nodes in ctx.azure.nodes:
        image = booted(nodes)
        if nodes.board is None or not nodes.board.generations or 1 in nodes.board.generations or image is None:
            continue
        if image.unknown:
            yield Undecided(CODE.code, nodes.name, "the image is not known yet")
        elif image.generation == 1:
            sku = image.urn.split(":")[2]
            yield CODE.at(
                nodes.at(f"{PLACE}.sku"),
                f"{image.urn} is a generation 1 image, and {nodes.size} boots generation 2 only",
                f"take {sku}-gen2, or an HPC image",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: {0}}}
    virtualMachineProfile:
      storageProfile: {{imageReference: {{publisher: Canonical, offer: 0001-com-ubuntu-server-jammy, sku: {1}, version: 22.04.202609010}}}}
"""
_H100 = "Standard_ND96isr_H100_v5"

RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples(
        (_T.format(_H100, "22_04-lts-gen2"), _T.format("Standard_NC4as_T4_v3", "22_04-lts")),
        (_T.format(_H100, "22_04-lts"),),
        (_T.format(_H100, "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
