"""A marketplace image that is another one tomorrow.

What: The image's version is `latest`, or is not written.
Why: Nodes that are added later boot another release, with another driver than their neighbours; NCCL and fabric manager then disagree.
Fix: Write the version that latest means today: az vm image show --urn URN prints it.
References: hashicorp/terraform-provider-azurerm#13657; Azure/azhpc-images#86
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_images import PLACE, booted
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3238", "azure-image-drifts", Severity.WARNING, __doc__, ("AZ IMG-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine of GPU nodes; what our own component made is judged by the plan."""
    for nodes in ctx.azure.nodes:
        image = booted(nodes)
        if image is None or not nodes.has_gpu or ctx.azure.ours(nodes.resource):
            continue
        version = nodes.get("storageProfile", "imageReference", "version")
        if late(version) or (image.unknown and str(version).lower() in ("latest", "none")):
            yield Undecided(CODE.code, nodes.name, "the image or its version is not known yet")
        elif image.urn and image.urn.lower().endswith(":latest"):
            yield CODE.at(
                nodes.at(f"{PLACE}.version"),
                f"{image.urn} moves: nodes that are added later boot another release",
                f"put the version that latest means today in its place: az vm image show --urn {image.urn} prints it",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_ND96isr_H100_v5}}
    virtualMachineProfile:
      storageProfile: {{imageReference: {{publisher: microsoft-dsvm, offer: ubuntu-hpc, sku: "2404", version: {0}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples((_T.format("24.04.2026082601"),), (_T.format("latest"), _T.format("null")), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
