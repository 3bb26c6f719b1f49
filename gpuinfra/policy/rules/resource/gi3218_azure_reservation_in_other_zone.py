"""A capacity reservation in another zone than its nodes.

What: Nodes, their reservation and its group name different zones, or none for GPU nodes.
Why: A reservation is one size in one zone, and GPU sizes are reserved by zone only. Nodes of another zone are refused, or bought beside it while it bills.
Fix: Write the same one zone on the group, the reservation and the nodes.
References: Azure docs, on-demand capacity reservation (2026-02)
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import CAPACITY, AgentPool, AzureGraph, AzureNodes, zones_of
from ...azure_pools import capacity_group_of_pool, zones_of_pool
from ...azure_reservations import group_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3218", "azure-reservation-in-other-zone", Severity.ERROR, __doc__, ("AZ CRG-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each reservation, and for each set or machine that uses one."""
    for kept in ctx.azure.of_type(CAPACITY):
        yield from _reservation(ctx.azure, kept)
    for nodes in ctx.azure.nodes:
        for group in ctx.azure.capacity_group(nodes).resources:
            yield from _nodes(nodes.resource, f"{nodes.name}.zones", zones_of(nodes.resource), nodes, group)
    for pool in ctx.azure.pools:
        for group in capacity_group_of_pool(ctx.azure, pool).resources:
            yield from _nodes(pool.source, pool.at("availabilityZones"), zones_of_pool(pool), pool, group)


def _reservation(azure: AzureGraph, kept: Resource) -> Iterator[Diagnostic | Undecided]:
    zones = zones_of(kept)
    if zones is None:
        yield Undecided(CODE.code, kept.name, "its zone is not known yet")
        return
    if len(zones) > 1:
        yield CODE.at(
            f"{kept.name}.zones",
            f"one reservation over the zones {', '.join(zones)}",
            "make one reservation for each zone",
            resource=kept.name,
        )
        return
    group = group_of(azure, kept)
    named = zones_of(group) if group is not None else None
    if group is not None and named is not None and zones and not set(zones) <= set(named):
        theirs = f"the zones {', '.join(named)}" if named else "no zone"
        yield CODE.at(
            f"{kept.name}.zones",
            f"the reservation is in zone {zones[0]}, and its group '{group.name}' names {theirs}",
            f"name zone {zones[0]} on the group",
            resource=kept.name,
        )


def _nodes(
    owner: Resource, where: str, zones: tuple[str, ...] | None, nodes: AzureNodes | AgentPool, group: Resource
) -> Iterator[Diagnostic | Undecided]:
    named = zones_of(group)
    if zones is None or named is None:
        yield Undecided(CODE.code, owner.name, "the zones of the nodes or of their reservation are not known yet")
    elif (zones or named) and not (zones and set(zones) <= set(named)):
        own = f"stand in zone {', '.join(zones)}" if zones else "name no zone"
        theirs = f"stands in zone {', '.join(named)}" if named else "names none"
        yield CODE.at(
            where,
            f"the nodes {own}, and their reservation group '{group.name}' {theirs}",
            "write the same zone on both",
            resource=owner.name,
        )
    elif nodes.has_gpu and not zones:
        yield CODE.at(
            where,
            f"a reservation of {nodes.size} without a zone: GPU sizes are reserved by zone only",
            "name one zone on the group, the reservation and the nodes",
            resource=owner.name,
        )


_T = """\
- {{type: azure-native.compute.CapacityReservationGroup, name: held, inputs: {{capacityReservationGroupName: acme, zones: {0}}}}}
- type: azure-native.compute.CapacityReservation
  name: kept
  inputs: {{capacityReservationGroupName: !ref held.name , sku: {{name: Standard_NC4as_T4_v3, capacity: 2}}, zones: {1}}}
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_NC4as_T4_v3, capacity: 2}}
    zones: {2}
    virtualMachineProfile: {{capacityReservation: {{capacityReservationGroup: {{id: !ref held.id }}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format('["2"]', '["2"]', '["2"]'),),
        (
            _T.format('["1"]', '["1"]', '["2"]'),
            _T.format('["1"]', '["2"]', '["1"]'),
            _T.format("null", "null", "null"),
            _T.format('["1"]', '["1"]', "null"),
        ),
        (_T.format('["1"]', '["1"]', "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
