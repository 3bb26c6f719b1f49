"""A block of capacity that Azure does not sell.

What: A block reservation holds a number of machines that is no power of two up to 64, or runs for a time that is not 1 to 14 days or 3 to 26 weeks, or starts more than 56 days ahead.
Why: Azure refuses it when everything around it is there; and a block cannot be changed once it is bought.
Fix: Take 1, 2, 4, 8, 16, 32 or 64 machines, for 1 to 14 days or 3 to 26 whole weeks, beginning within 56 days.
References: Azure docs, capacity reservation overview and block reservations
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import CAPACITY, AzureGraph
from ...azure_moments import moment_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3281", "block-reservation-refused", Severity.ERROR, __doc__, ("AZ CRG-05",))
_GENERIC = "azure-native:resources:Resource"
_COUNTS = (1, 2, 4, 8, 16, 32, 64)
_DAYS, _WEEKS, _AHEAD = (1, 14), (3, 26), timedelta(days=56)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each fault of a block. A start in the past, or without a clock, is not judged."""
    for r in ctx.azure.of_type(CAPACITY):
        if late(r.get("reservationType")):
            yield Undecided(CODE.code, r.name, "whether it is a block is not known yet")
    for r, root in _blocks(ctx.azure):
        count = r.get("sku", "capacity")
        begins, ends = (r.get(*root, "scheduleProfile", k) for k in ("start", "end"))
        if any(map(late, (count, begins, ends))):
            yield Undecided(CODE.code, r.name, "the size or the time of the block is not known yet")
        known, where = number(count), ".".join((r.name, *root, "scheduleProfile"))
        if known is not None and known not in _COUNTS:
            yield CODE.at(
                f"{r.name}.sku.capacity", f"{known:g} machines, and a block has {_shown(_COUNTS)}", resource=r.name
            )
        first, after = moment_of(begins), moment_of(ends)
        if first is None or after is None:
            continue
        fault = _time(first, after, ctx.now)
        if fault:
            yield CODE.at(where, fault, resource=r.name)


def _blocks(azure: AzureGraph) -> Iterator[tuple[Resource, tuple[str, ...]]]:
    for r in azure.of_type(CAPACITY):
        if r.get("reservationType") == "Block":
            yield r, ()
    for r in azure.of_type(_GENERIC):
        kind = r.get("resourceType")
        ours = isinstance(kind, str) and kind.lower().endswith("capacityreservations")
        if ours and r.get("properties", "reservationType") == "Block":
            yield r, ("properties",)


def _time(first: datetime, after: datetime, now: datetime | None) -> str:
    days = (after - first) / timedelta(days=1)
    weeks = days / 7
    short = _DAYS[0] <= days <= _DAYS[1] and days == int(days)
    long = _WEEKS[0] <= weeks <= _WEEKS[1] and weeks == int(weeks)
    if not short and not long:
        return f"{days:g} days, and a block runs for {_DAYS[0]} to {_DAYS[1]} days or {_WEEKS[0]} to {_WEEKS[1]} weeks"
    if now is not None and first - now > _AHEAD:
        return f"it begins in {(first - now).days} days, and a block begins within {_AHEAD.days}"
    return ""


def _shown(counts: tuple[Any, ...]) -> str:
    return f"{', '.join(map(str, counts[:-1]))} or {counts[-1]}"


_T = """\
- type: azure-native.compute.CapacityReservation
  name: block
  inputs:
    reservationType: Block
    sku: {{name: Standard_ND96isr_H100_v5, capacity: {0}}}
    scheduleProfile: {{start: "2026-12-10T00:00:00Z", end: "{1}"}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format(8, "2026-12-17T00:00:00Z"), _T.format(64, "2026-12-31T00:00:00Z")),
        (_T.format(12, "2026-12-17T00:00:00Z"), _T.format(8, "2026-12-26T00:00:00Z")),
        (_T.format("!unknown ", "2026-12-17T00:00:00Z"),),
    ),
    providers=(Provider.AZURE,),
)
