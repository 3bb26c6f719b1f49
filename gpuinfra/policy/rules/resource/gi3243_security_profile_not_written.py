"""Nodes whose kind of start is left to a default that changes.

What: Nodes boot a generation 2 image and securityProfile.securityType is not written.
Why: Where "Trusted Launch by default" is on, Azure makes such nodes TrustedLaunch with secure boot, and drivers that are not signed no longer load. It cannot be changed on a set that exists.
Fix: Write securityType: TrustedLaunch with secureBootEnabled: false, where the size has it.
References: Azure docs, Trusted Launch as default
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_images import booted
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3243", "security-profile-not-written", Severity.WARNING, __doc__, ("AZ SEC-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine of GPU nodes; our own component leaves it out where the size has none."""
    for nodes in ctx.azure.nodes:
        image = booted(nodes)
        no_such = nodes.board is not None and nodes.board.trusted_launch is False
        if not nodes.has_gpu or image is None or no_such or ctx.azure.ours(nodes.resource):
            continue
        if late(nodes.get("securityProfile")) or image.unknown:
            yield Undecided(CODE.code, nodes.name, "the image or the security profile is not known yet")
        elif image.generation == 2 and nodes.get("securityProfile", "securityType") is None:
            yield CODE.at(
                nodes.at("securityProfile.securityType"),
                f"{image.urn} is of generation 2, and whether secure boot is on is left to the subscription's default",
                "write securityType: TrustedLaunch and uefiSettings: {vTpmEnabled: true, secureBootEnabled: false}",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: {0}}}
    virtualMachineProfile:
      securityProfile: {1}
      storageProfile: {{imageReference: {{publisher: microsoft-dsvm, offer: ubuntu-hpc, sku: "2404", version: 24.04.2026082601}}}}
"""
_A100 = "Standard_NC24ads_A100_v4"

RULE = ResourceRule(
    CODE,
    ("security",),
    check,
    Examples(
        (_T.format(_A100, "{securityType: TrustedLaunch}"), _T.format("Standard_ND96asr_v4", "null")),
        (_T.format(_A100, "null"),),
        (_T.format(_A100, "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
