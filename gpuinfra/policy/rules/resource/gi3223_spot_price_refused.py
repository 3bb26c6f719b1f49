"""A highest price for spot nodes that Azure refuses.

What: maxPrice is neither -1 nor above zero with at most five decimals.
Why: The set is refused. -1 means that nodes are never taken back for their price, only for want of capacity.
Fix: Write -1, or a price with at most five decimals.
References: Azure docs, spot in scale sets: pricing
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3223", "spot-price-refused", Severity.ERROR, __doc__, ("AZ SPOT-02",))
_DECIMALS = 5


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set, machine and pool."""
    prices = [
        (n.resource, n.at("billingProfile.maxPrice"), n.get("billingProfile", "maxPrice")) for n in ctx.azure.nodes
    ]
    prices += [(p.source, p.at("spotMaxPrice"), p.value("spotMaxPrice")) for p in ctx.azure.pools]
    for owner, where, value in prices:
        if value is None:
            continue
        if late(value):
            yield Undecided(CODE.code, owner.name, "the highest price is not known yet")
            continue
        price = number(value)
        if price is None or not (price == -1 or (price > 0 and _decimals(price) <= _DECIMALS)):
            near = f" or {price:.{_DECIMALS}f}" if price is not None and round(price, _DECIMALS) > 0 else ""
            yield CODE.at(
                where,
                f"{value} is neither -1 nor a price above zero of at most {_DECIMALS} decimals",
                f"write -1{near}",
                resource=owner.name,
            )


def _decimals(price: float) -> int:
    exponent = Decimal(repr(price)).normalize().as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{virtualMachineProfile: {{priority: Spot, evictionPolicy: Delete, billingProfile: {{maxPrice: {0}}}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "cost"),
    check,
    Examples(
        (_T.format("-1"), _T.format("3.12346"), _T.format('"-1"')),
        (_T.format("3.1234567"), _T.format("0"), _T.format("-2")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
