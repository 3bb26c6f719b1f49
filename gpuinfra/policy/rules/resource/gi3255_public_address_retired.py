"""A public address of a kind that is retired.

What: A public address is not of sku Standard, or is not Static. Left out, the API makes it Basic and Dynamic.
Why: Basic addresses were retired on 2025-09-30 and are refused; Standard ones take Static only. NAT gateways and Bastion take no other.
Fix: Set sku: {name: Standard} and publicIPAllocationMethod: Static.
References: Azure docs, public IP addresses: Basic retirement; fortinet/azure-templates#43
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import PUBLIC_IP
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3255", "public-address-retired", Severity.ERROR, __doc__, ("AZ NET-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each address."""
    for r in ctx.azure.of_type(PUBLIC_IP):
        sku, way = r.get("sku", "name"), r.get("publicIPAllocationMethod")
        if late(sku) or late(way):
            yield Undecided(CODE.code, r.name, "the kind of the address is not known yet")
        elif not str(sku).lower().startswith("standard"):
            said = f"is {sku}" if sku is not None else "is not written, which means Basic"
            yield CODE.at(f"{r.name}.sku.name", f"the sku {said}", "set sku: {name: Standard}", resource=r.name)
        elif str(way).lower() != "static":
            said = f"is {way}" if way is not None else "is not written, which means Dynamic"
            yield CODE.at(
                f"{r.name}.publicIPAllocationMethod",
                f"the allocation {said}, and a {sku} address is Static",
                "set publicIPAllocationMethod: Static",
                resource=r.name,
            )


_T = """\
- {{type: azure-native.network.PublicIPAddress, name: ip, inputs: {{sku: {{name: {0}}}, publicIPAllocationMethod: {1}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format("Standard", "Static"),),
        (_T.format("Basic", "Static"), _T.format("Standard", "Dynamic"), _T.format("null", "null")),
        (_T.format("!unknown ", "Static"),),
    ),
    providers=(Provider.AZURE,),
)
