"""A machine image of the wrong processor architecture.

What: The image is known to be x86_64 and the size is arm64 (GB200, GB300), or the other way round.
Why: The machine does not boot. The x86_64 HPC images look right for the Grace sizes, and are not.
Fix: Take the image of the size's architecture.
References: Azure/azhpc-images, README
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_images import PLACE, Booted, booted
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3233", "azure-image-of-other-architecture", Severity.ERROR, __doc__, ("AZ IMG-01",))
_ARM = re.compile(r"(?i)arm64|aarch64")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine."""
    for nodes in ctx.azure.nodes:
        image = booted(nodes)
        if nodes.facts is None or not nodes.facts.arch or image is None:
            continue
        if image.unknown:
            yield Undecided(CODE.code, nodes.name, "the image is not known yet")
            continue
        arch = _arch(image)
        if arch and arch != nodes.facts.arch:
            yield CODE.at(
                nodes.at(PLACE),
                f"{image.urn} is {arch}, and {nodes.size} is {nodes.facts.arch}",
                f"take an image for {nodes.facts.arch}",
                resource=nodes.name,
            )


def _arch(image: Booted) -> str:
    if _ARM.search(image.urn):
        return "arm64"
    return image.row.arch if image.row else ""


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: {0}}}
    virtualMachineProfile:
      storageProfile: {{imageReference: {{publisher: Canonical, offer: ubuntu-24_04-lts, sku: {1}, version: "24.04.202609010"}}}}
"""
_GB200, _H100 = "Standard_ND128isr_NDR_GB200_v6", "Standard_ND96isr_H100_v5"

RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples(
        (_T.format(_GB200, "server-arm64"), _T.format(_H100, "server")),
        (_T.format(_GB200, "server"), _T.format(_H100, "server-arm64")),
        (_T.format(_H100, "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
