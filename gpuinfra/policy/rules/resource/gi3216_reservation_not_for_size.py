"""A capacity reservation of a size that has none.

What: Nodes are bought from a reservation, or a reservation is made, for a size that Azure reserves no capacity of.
Severity: warning where the sources disagree about the size
Why: ND sizes and NCads H100 v5 are not covered; the reservation is refused. Where sources disagree the size's own capability decides.
Fix: Buy the nodes on demand, or as spot.
References: Azure docs, on-demand capacity reservation (2026-02)
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import infiniband, purchase_option
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...azure_graph import CAPACITY, AzureGraph, size_of
from ...azure_pools import capacity_group_of_pool
from ...azure_reservations import reservations_of, reserved
from ...linked_graph import Links
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3216", "reservation-not-for-size", Severity.ERROR, __doc__, ("AZ CRG-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set, machine, pool and reservation. Of our own nodes the plan has spoken."""
    azure = ctx.azure
    for r in azure.of_type(CAPACITY):
        if late(r.get("sku", "name")):
            yield Undecided(CODE.code, r.name, "the size is not known yet")
        yield from _check(r, f"{r.name}.sku.name", size_of(r.get("sku", "name")))
    for nodes in azure.nodes:
        if reserved(nodes) is None:
            yield Undecided(CODE.code, nodes.name, "whether the nodes are bought from a reservation is not known yet")
        elif (
            reserved(nodes)
            and not azure.ours(nodes.resource)
            and not _said(azure, azure.capacity_group(nodes), nodes.size)
        ):
            if late(nodes.resource.get("sku", "name")):
                yield Undecided(CODE.code, nodes.name, "the size is not known yet")
            yield from _check(nodes.resource, nodes.at("capacityReservation"), nodes.size)
    for pool in azure.pools:
        if pool.value("capacityReservationGroupID") is not None:
            if _said(azure, capacity_group_of_pool(azure, pool), pool.size):
                continue
            if late(pool.value("vmSize")):
                yield Undecided(CODE.code, pool.source.name, "the size is not known yet")
            yield from _check(pool.source, pool.at("capacityReservationGroupID"), pool.size)


def _said(azure: AzureGraph, groups: Links, size: str) -> bool:
    """Whether the program makes the reservation of that size itself: then it is said of the reservation."""
    made = (kept for g in groups.resources for kept in reservations_of(azure, g))
    return bool(size) and any(size_of(kept.get("sku", "name")) == size for kept in made)


def _check(r: Resource, where: str, size: str) -> Iterator[Diagnostic]:
    row = purchase_option(Provider.AZURE, size, CapacityType.RESERVATION) if size else None
    board = infiniband(size) if size else None
    if row is not None and not row.supported:
        yield CODE.at(
            where,
            f"{size}: {row.reason}",
            "leave the reservation out, and buy the nodes on demand or as spot",
            resource=r.name,
        )
    elif board is not None and "capacity_reservation" in board.weak:
        yield CODE.at(
            where,
            f"whether capacity of {size} can be reserved is not sure: the sources disagree",
            "read the size's capability CapacityReservationSupported before you deploy: az vm list-skus",
            resource=r.name,
            severity=Severity.WARNING,
        )


_T = """\
- type: azure-native.compute.CapacityReservation
  name: kept
  inputs: {{capacityReservationGroupName: acme, sku: {{name: {0}, capacity: 2}}, zones: ["2"]}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("Standard_NC4as_T4_v3"),),
        (
            _T.format("Standard_ND96isr_H200_v5"),
            _T.format("Standard_NC40ads_H100_v5"),
            _T.format("Standard_NC24ads_A100_v4"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
