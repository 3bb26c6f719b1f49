"""Reserved capacity that no node uses.

What: A capacity reservation holds more machines than the nodes that are bought from it, or none of the program's nodes use it.
Why: A reservation bills for every machine from the day it is made, used or not.
Fix: Reserve as many machines as there are nodes, and name the group in the nodes' capacityReservation.
References: Azure docs, on-demand capacity reservation: pricing and billing
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import CAPACITY, AzureGraph, size_of
from ...azure_pools import capacity_group_of_pool, most_of_pool
from ...azure_reservations import group_of
from ...azure_scaling import most_nodes
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3219", "reservation-larger-than-its-nodes", Severity.WARNING, __doc__, ("AZ CRG-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each reservation whose group is of this program too."""
    for kept in ctx.azure.of_type(CAPACITY):
        group = group_of(ctx.azure, kept)
        value = kept.get("sku", "capacity")
        if group is None or late(kept.get("sku", "name")):
            continue
        used = _used(ctx.azure, group, size_of(kept.get("sku", "name")))
        if late(value) or used is None:
            yield Undecided(CODE.code, kept.name, "the number of machines or of nodes is not known yet")
            continue
        held = number(value) or 0
        if held > used:
            most = f"its nodes are at most {used:g}" if used else "no node of the program is bought from it"
            yield CODE.at(
                f"{kept.name}.sku.capacity",
                f"{held:g} machines are reserved and billed, and {most}",
                f"reserve {used:g}" if used else "name its group in the nodes' capacityReservation",
                resource=kept.name,
            )


def _used(azure: AzureGraph, group: Resource, size: str) -> float | None:
    total = 0.0
    for nodes in azure.nodes:
        links = azure.capacity_group(nodes)
        if links.unknown and not links.resources:
            return None
        if not any(g.urn == group.urn for g in links.resources):
            continue
        if late(nodes.resource.get("sku", "name") if nodes.is_set else nodes.get("hardwareProfile", "vmSize")):
            return None
        if nodes.size != size:
            continue
        most = most_nodes(azure, nodes) if nodes.is_set else 1
        if most is None:
            return None
        total += most
    for pool in azure.pools:
        links = capacity_group_of_pool(azure, pool)
        if links.unknown and not links.resources:
            return None
        if not any(g.urn == group.urn for g in links.resources):
            continue
        most = most_of_pool(pool)
        if late(pool.value("vmSize")) or most is None:
            return None
        total += most if pool.size == size else 0
    return total


_T = """\
- {{type: azure-native.compute.CapacityReservationGroup, name: held, inputs: {{zones: ["2"]}}}}
- type: azure-native.compute.CapacityReservation
  name: kept
  inputs: {{capacityReservationGroupName: !ref held.name , sku: {{name: Standard_NC4as_T4_v3, capacity: {0}}}, zones: ["2"]}}
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_NC4as_T4_v3, capacity: 2}}
    virtualMachineProfile: {{capacityReservation: {{capacityReservationGroup: {{id: !ref held.id }}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "cost"),
    check,
    Examples((_T.format(2),), (_T.format(4),), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
