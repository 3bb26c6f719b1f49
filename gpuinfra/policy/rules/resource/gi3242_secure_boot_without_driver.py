"""Secure boot on nodes whose driver is not signed for it.

What: secureBootEnabled is true on Linux nodes that take the GRID driver or a driver extension, or that boot an HPC image.
Severity: warning for an HPC image, whose own modules may be signed one day
Why: The kernel refuses modules that DKMS built on the node. The machine boots, and nvidia-smi finds no device.
Fix: Set uefiSettings: {secureBootEnabled: false, vTpmEnabled: true}.
References: Azure docs, NVads A10 v5 series; MicrosoftDocs/azure-docs#111536; MicrosoftDocs/azure-docs#112325
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import AzureGraph, AzureNodes
from ...azure_images import booted, is_gpu_driver
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3242", "secure-boot-without-driver", Severity.ERROR, __doc__, ("AZ SEC-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine of Linux nodes."""
    for nodes in ctx.azure.nodes:
        value = nodes.get("securityProfile", "uefiSettings", "secureBootEnabled")
        if value is None or not nodes.has_gpu or not nodes.linux:
            continue
        if late(value):
            yield Undecided(CODE.code, nodes.name, "secure boot is not known yet")
            continue
        why, certain = _unsigned(ctx.azure, nodes)
        image = booted(nodes)
        if truth(value) and not why and image is not None and image.unknown:
            yield Undecided(CODE.code, nodes.name, "the image is not known yet")
        if truth(value) and why:
            yield CODE.at(
                nodes.at("securityProfile.uefiSettings.secureBootEnabled"),
                f"secure boot is on, and {why}",
                "set secureBootEnabled: false",
                resource=nodes.name,
                severity=None if certain else Severity.WARNING,
            )


def _unsigned(azure: AzureGraph, nodes: AzureNodes) -> tuple[str, bool]:
    if nodes.board is not None and nodes.board.driver_kind == "grid":
        return f"the GRID driver of {nodes.size} does not load under it on Linux", True
    laid = next((e for e in azure.extensions(nodes) if is_gpu_driver(e)), None)
    if laid is not None:
        return f"{laid.kind} builds its module on the node, unsigned", True
    image = booted(nodes)
    return ("the modules of the HPC image are not known to be signed", False) if image and image.hpc else ("", True)


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: {0}}}
    virtualMachineProfile:
      securityProfile: {{securityType: TrustedLaunch, uefiSettings: {{vTpmEnabled: true, secureBootEnabled: {1}}}}}
      storageProfile: {{imageReference: {{publisher: {2}, version: 24.04.2026082601}}}}
"""
_A10, _A100 = "Standard_NV36ads_A10_v5", "Standard_NC24ads_A100_v4"
_PLAIN, _HPC = "Canonical, offer: ubuntu-24_04-lts, sku: server", 'microsoft-dsvm, offer: ubuntu-hpc, sku: "2404"'

RULE = ResourceRule(
    CODE,
    ("security", "image"),
    check,
    Examples(
        (_T.format(_A10, "false", _PLAIN),),
        (_T.format(_A10, "true", _PLAIN), _T.format(_A100, "true", _HPC)),
        (_T.format(_A10, "!unknown ", _PLAIN),),
    ),
    providers=(Provider.AZURE,),
)
