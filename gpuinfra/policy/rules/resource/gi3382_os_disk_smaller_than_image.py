"""A system disk smaller than the image on it.

What: diskSizeGB of the system disk is below the size of the disk that the image was made from.
Why: Azure enlarges the disk of an image and never makes it smaller: the node is refused (OperationNotAllowed). The HPC images are of 64 GiB, and driver, CUDA and containers want more.
Fix: Leave diskSizeGB out, or write the size of the image or more.
References: hitachienergy/epiphany#1049; Azure/azhpc-images, packer/source.pkr.hcl
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_images import booted
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3382", "os-disk-smaller-than-image", Severity.ERROR, __doc__)
_PATH = ("storageProfile", "osDisk", "diskSizeGB")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine."""
    for nodes in ctx.azure.nodes:
        value, image = nodes.get(*_PATH), booted(nodes)
        least = image.row.min_root_gib if image is not None and image.row is not None else None
        size = number(value)
        if value is None or image is None:
            continue
        if image.unknown or (least and late(value)):
            yield Undecided(CODE.code, nodes.name, "the image, or the size of the system disk, is not known yet")
        elif least and size is not None and size < least:
            yield CODE.at(
                nodes.at(".".join(_PATH)),
                f"{size:g} GB, and {image.urn} was made on a disk of {least}",
                f"leave it out, or write {least} or more",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_NC24ads_A100_v4}}
    virtualMachineProfile:
      storageProfile:
        imageReference: {{publisher: microsoft-dsvm, offer: ubuntu-hpc, sku: {0}, version: 22.04.2026072901}}
        osDisk: {{createOption: FromImage, diskSizeGB: {1}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage", "image"),
    check,
    Examples(
        (_T.format("'2204'", 128), _T.format("'2204'", "null")),
        (_T.format("'2204'", 32),),
        (_T.format("'2204'", "!unknown "), _T.format("!unknown ", 32)),
    ),
    providers=(Provider.AZURE,),
)
