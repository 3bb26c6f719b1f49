"""A driver extension on an image that has the driver.

What: Nodes boot an HPC image and have the extension NvidiaGpuDriverLinux, AmdGpuDriverLinux or InfiniBandDriverLinux.
Why: The image brings driver and fabric, matched to each other. The extension lays another one on top, fights over the package lock at boot, and leaves nodes without GPUs.
Fix: Remove the extension.
References: Azure/azure-linux-extensions#1754; MicrosoftDocs/azure-docs#111614
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_images import booted, is_fabric_driver, is_gpu_driver
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3236", "driver-extension-on-hpc-image", Severity.WARNING, __doc__, ("AZ IMG-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each extension."""
    for nodes in ctx.azure.nodes:
        image = booted(nodes)
        drivers = [e for e in ctx.azure.extensions(nodes) if is_gpu_driver(e) or is_fabric_driver(e)]
        named = [plain(e.block.get(k)) for e in ctx.azure.extensions(nodes) for k in ("publisher", "type")]
        if image is not None and image.hpc and not drivers and any(map(late, named)):
            yield Undecided(CODE.code, nodes.name, "which extensions it has is not known yet")
        if image is None or not drivers:
            continue
        if image.unknown:
            yield Undecided(CODE.code, nodes.name, "the image is not known yet")
            continue
        for e in drivers if image.hpc else ():
            yield CODE.at(
                e.path, f"{e.kind} on {image.urn}, which brings its own", "remove the extension", resource=e.source.name
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_ND96isr_H100_v5}}
    virtualMachineProfile:
      storageProfile: {{imageReference: {{publisher: {0}, sku: "2404", version: 24.04.2026082601}}}}
      extensionProfile: {{extensions: [{{name: gpu, publisher: Microsoft.HpcCompute, type: NvidiaGpuDriverLinux}}]}}
"""

RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples(
        (_T.format("Canonical, offer: ubuntu-24_04-lts"),),
        (_T.format("microsoft-dsvm, offer: ubuntu-hpc"),),
        (_T.format("microsoft-dsvm, offer: !unknown "),),
    ),
    providers=(Provider.AZURE,),
)
