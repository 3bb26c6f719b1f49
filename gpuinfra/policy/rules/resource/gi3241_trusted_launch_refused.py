"""Trusted Launch on a size that has none.

What: securityType is TrustedLaunch on an ND A100 v4 size.
Why: The size does not support it, and the machine is refused.
Fix: Leave securityProfile.securityType out.
References: Azure docs, Trusted Launch: virtual machine sizes
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3241", "trusted-launch-refused", Severity.ERROR, __doc__, ("AZ SEC-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine."""
    for nodes in ctx.azure.nodes:
        value = nodes.get("securityProfile", "securityType")
        if nodes.board is None or nodes.board.trusted_launch is not False or value is None:
            continue
        if late(value):
            yield Undecided(CODE.code, nodes.name, "the security type is not known yet")
        elif str(value).lower() == "trustedlaunch":
            yield CODE.at(
                nodes.at("securityProfile.securityType"),
                f"{nodes.size} has no Trusted Launch",
                "leave securityType out",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{sku: {{name: {0}}}, virtualMachineProfile: {{securityProfile: {{securityType: {1}}}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("security",),
    check,
    Examples(
        (_T.format("Standard_NC24ads_A100_v4", "TrustedLaunch"), _T.format("Standard_ND96asr_v4", "null")),
        (_T.format("Standard_ND96asr_v4", "TrustedLaunch"),),
        (_T.format("Standard_ND96asr_v4", "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
