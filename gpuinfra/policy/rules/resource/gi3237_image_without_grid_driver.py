"""An A10 or RTX PRO 6000 size without the GRID driver.

What: A size that takes the GRID driver boots an image with the CUDA driver; or a plain one, and neither an extension nor the boot script lays GRID on it.
Why: These sizes are parts of a virtualised GPU. The data-centre driver does not load on them, and nvidia-smi finds no device.
Fix: Boot a plain image with the extension NvidiaGpuDriverLinux, which lays GRID on these sizes, or an image with GRID.
References: skypilot-org/skypilot#3651; Azure docs, NVads A10 v5 series; Azure docs, install NVIDIA GPU drivers on N-series
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_boot import boot_text
from ...azure_images import PLACE, booted, lays_gpu_driver
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3237", "image-without-grid-driver", Severity.ERROR, __doc__, ("AZ IMG-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine."""
    for nodes in ctx.azure.nodes:
        image = booted(nodes)
        grid = nodes.board is not None and nodes.board.driver_kind == "grid"
        nvidia = nodes.facts is not None and nodes.facts.gpu_manufacturer.upper() == "NVIDIA"
        if image is None or not grid or not nvidia:
            continue
        if image.unknown:
            yield Undecided(CODE.code, nodes.name, "the image is not known yet")
        elif image.driver_kind == "cuda":
            yield CODE.at(
                nodes.at(PLACE),
                f"{image.urn} carries the data-centre driver, which does not load on {nodes.size}",
                "boot plain Ubuntu with the extension NvidiaGpuDriverLinux, or an image with GRID",
                resource=nodes.name,
            )
        elif image.driver_kind == "none" and not (laid := lays_gpu_driver(ctx.azure.extensions(nodes))):
            text = boot_text(ctx.azure, nodes)
            if laid is None:
                yield Undecided(CODE.code, nodes.name, "what an extension lays is not known yet")
            elif text is None:
                yield Undecided(CODE.code, nodes.name, "the boot script is not known yet")
            elif "grid" not in text.lower():
                yield CODE.at(
                    nodes.at(PLACE),
                    f"nothing lays the GRID driver on {image.urn}, and {nodes.size} needs it",
                    "add the extension NvidiaGpuDriverLinux (publisher Microsoft.HpcCompute)",
                    resource=nodes.name,
                )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_NV36ads_A10_v5}}
    virtualMachineProfile:
      storageProfile: {{imageReference: {{publisher: {0}, version: 24.04.2026082601}}}}
      extensionProfile: {1}
"""
_PLAIN = "Canonical, offer: ubuntu-24_04-lts, sku: server"
_DRIVER = "{extensions: [{name: gpu, publisher: Microsoft.HpcCompute, type: NvidiaGpuDriverLinux}]}"
_COMMAND = """\
- type: azure-native.compute.VirtualMachine
  name: box
  inputs:
    vmName: box
    hardwareProfile: {{vmSize: Standard_NV36ads_A10_v5}}
    storageProfile: {{imageReference: {{publisher: Canonical, offer: ubuntu-24_04-lts, sku: server, version: 24.04.202609010}}}}
- type: azure-native.compute.VirtualMachineRunCommandByVirtualMachine
  name: driver
  inputs: {{vmName: {0}, source: {1}}}
"""

RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples(
        (
            _T.format(_PLAIN, _DRIVER),
            _COMMAND.format("!ref box.name ", "{script: sh NVIDIA-Linux-x86_64-580-grid-azure.run -s}"),
        ),
        (
            _T.format("microsoft-dsvm, offer: ubuntu-hpc, sku: '2404'", "null"),
            _T.format(_PLAIN, "null"),
            _COMMAND.format("box", "{script: mount -a}"),
            _COMMAND.format("other", "{script: sh NVIDIA-Linux-x86_64-580-grid-azure.run -s}"),
        ),
        (
            _T.format("Canonical, offer: !unknown , sku: server", "null"),
            _COMMAND.format("box", "{scriptUri: 'https://acme.example/grid.sh'}"),
        ),
    ),
    providers=(Provider.AZURE,),
)
