"""A machine image with the driver of another vendor's GPUs.

What: An AMD size boots an image with NVIDIA's driver, or an NVIDIA size one with ROCm.
Why: The driver finds no GPU, and every process ends at its start while the nodes bill.
Fix: Take the -rocm variant for MI300X, and the plain one for NVIDIA.
References: Azure/azhpc-images, README
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_images import PLACE, booted
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3234", "image-of-other-vendor", Severity.ERROR, __doc__, ("AZ IMG-02",))
_CALLED = {"rocm": "AMD's driver", "cuda": "NVIDIA's driver", "grid": "NVIDIA's driver"}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine."""
    for nodes in ctx.azure.nodes:
        image = booted(nodes)
        if nodes.board is None or not nodes.board.driver_kind or image is None or not nodes.has_gpu:
            continue
        if image.unknown:
            yield Undecided(CODE.code, nodes.name, "the image is not known yet")
            continue
        carried = "rocm" if "-rocm" in image.urn.lower() else image.driver_kind
        needed = nodes.board.driver_kind
        if carried in _CALLED and (carried == "rocm") != (needed == "rocm"):
            yield CODE.at(
                nodes.at(PLACE),
                f"{image.urn} carries {_CALLED[carried]}, and {nodes.size} needs {_CALLED.get(needed, needed)}",
                "take microsoft-dsvm:ubuntu-hpc:2404-rocm" if needed == "rocm" else "take the image without -rocm",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: {0}}}
    virtualMachineProfile:
      storageProfile: {{imageReference: {{publisher: microsoft-dsvm, offer: ubuntu-hpc, sku: {1}, version: 24.04.2026082601}}}}
"""
_MI300X, _H100 = "Standard_ND96isr_MI300X_v5", "Standard_ND96isr_H100_v5"

RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples(
        (_T.format(_MI300X, "2404-rocm"), _T.format(_H100, '"2404"')),
        (_T.format(_MI300X, '"2404"'), _T.format(_H100, "2404-rocm")),
        (_T.format(_MI300X, "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
