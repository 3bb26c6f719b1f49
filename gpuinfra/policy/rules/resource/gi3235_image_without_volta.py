"""A V100 size on an image that dropped V100.

What: Nodes with V100 GPUs boot an HPC image that is not a -v100 variant.
Why: The default images carry the open kernel module, which does not drive V100: the driver does not load and the GPUs are missing.
Fix: Take the -v100 variant, as microsoft-dsvm:ubuntu-hpc:2204-v100.
References: Azure/azhpc-images, README
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import Accelerator, accelerator
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import KernelModule, Provider
from ...azure_images import PLACE, booted
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3235", "image-without-volta", Severity.ERROR, __doc__, ("AZ IMG-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine. The module that a GPU needs comes from the table of GPUs."""
    for nodes in ctx.azure.nodes:
        image = booted(nodes)
        card = accelerator(nodes.facts.gpu_model) if nodes.facts is not None and nodes.facts.gpu_model else None
        if image is None or not isinstance(card, Accelerator) or card.kernel_module is not KernelModule.PROPRIETARY:
            continue
        if image.unknown:
            yield Undecided(CODE.code, nodes.name, "the image is not known yet")
        elif image.row is not None and image.row.kernel_module is KernelModule.OPEN:
            yield CODE.at(
                nodes.at(PLACE),
                f"{image.urn} has the open kernel module, which does not drive the {card.model} of {nodes.size}",
                "take the -v100 variant, as microsoft-dsvm:ubuntu-hpc:2204-v100",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_ND40rs_v2}}
    virtualMachineProfile:
      storageProfile: {{imageReference: {{publisher: microsoft-dsvm, offer: ubuntu-hpc, sku: {0}, version: 22.04.2026082601}}}}
"""

RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples((_T.format("2204-v100"),), (_T.format('"2204"'), _T.format('"2404"')), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
