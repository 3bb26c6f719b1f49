"""A capacity reservation together with something that excludes it.

What: Nodes of a capacity reservation are spot, stand in a proximity placement group, a single placement group, an availability set or several fault domains, or have ultra disks; or do not wait for the reservation.
Severity: warning for nodes that do not wait for the reservation
Why: Azure refuses each of these beside a reservation. Nodes made before the reservation are bought outside it.
Fix: Leave out what is named, and write singlePlacementGroup: false.
References: Azure docs, on-demand capacity reservation (2026-02); hashicorp/terraform-provider-azurerm#33199
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import AzureGraph, AzureNodes, zones_of
from ...azure_reservations import reservations_of, reserved
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3217", "reservation-with-excluded", Severity.ERROR, __doc__, ("AZ CRG-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each thing that excludes the reservation."""
    for nodes in ctx.azure.nodes:
        if reserved(nodes) is None:
            yield Undecided(CODE.code, nodes.name, "whether the nodes are bought from a reservation is not known yet")
        if not reserved(nodes):
            continue
        if nodes.spot is None or late(nodes.resource.get("singlePlacementGroup")):
            yield Undecided(CODE.code, nodes.name, "the priority or the placement group is not known yet")
        for path, text, hint in _excluded(nodes):
            yield CODE.at(f"{nodes.name}.{path}", f"a capacity reservation, and {text}", hint, resource=nodes.name)
        yield from _waits(ctx.azure, nodes)
    yield from _of_pools(ctx.azure)


def _of_pools(azure: AzureGraph) -> Iterator[Diagnostic | Undecided]:
    for pool in azure.pools:
        if pool.value("capacityReservationGroupID") is None:
            continue
        priority = pool.value("scaleSetPriority")
        if late(priority):
            yield Undecided(CODE.code, pool.source.name, "the priority is not known yet")
        found = (
            [("scaleSetPriority", "the nodes are spot", "buy them as Regular")]
            if str(priority).lower() == "spot"
            else []
        )
        if pool.value("proximityPlacementGroupID") is not None:
            found.append(("proximityPlacementGroupID", "a proximity placement group", "leave the group out"))
        for key, text, hint in found:
            yield CODE.at(pool.at(key), f"a capacity reservation, and {text}", hint, resource=pool.source.name)


def _excluded(nodes: AzureNodes) -> Iterator[tuple[str, str, str]]:
    r = nodes.resource
    root = f"{nodes.root}." if nodes.root else ""
    if nodes.spot:
        yield f"{root}priority", "the nodes are spot", "buy them as Regular"
    if r.get("proximityPlacementGroup") is not None:
        yield "proximityPlacementGroup", "a proximity placement group", "leave the group out"
    if r.get("availabilitySet") is not None:
        yield "availabilitySet", "an availability set", "leave the set out"
    single = r.get("singlePlacementGroup")
    # Left out, a Uniform set has a single placement group.
    if nodes.is_set and (nodes.single_group or (single is None and nodes.flexible is False)):
        said = "a single placement group" + ("" if single is not None else ", which is what leaving it out means")
        yield "singlePlacementGroup", said, "set singlePlacementGroup: false"
    domains = number(r.get("platformFaultDomainCount"))
    # A Flexible set in a zone has one fault domain, reserved or not: that is another rule's.
    refused = bool(nodes.flexible) and bool(zones_of(r))
    if nodes.has_gpu and domains is not None and domains > 1 and not refused:
        yield "platformFaultDomainCount", f"{domains:g} fault domains of GPU nodes", "write 1, or leave it out"
    if truth(r.get("additionalCapabilities", "ultraSSDEnabled")):
        yield "additionalCapabilities.ultraSSDEnabled", "ultra disks", "leave them out"


def _waits(azure: AzureGraph, nodes: AzureNodes) -> Iterator[Diagnostic]:
    for group in azure.capacity_group(nodes).resources:
        kept = [r for r in reservations_of(azure, group) if r.urn not in nodes.resource.dependencies]
        if kept:
            yield CODE.at(
                f"{nodes.name}.options.dependsOn",
                f"the nodes do not wait for the reservation '{kept[0].name}'",
                "add it to dependsOn",
                resource=nodes.name,
                severity=Severity.WARNING,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_NC4as_T4_v3, capacity: 2}}
    singlePlacementGroup: {0}
    virtualMachineProfile:
      priority: {1}
      capacityReservation: {{capacityReservationGroup: {{id: /subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/c}}}}
"""
_POOL = """\
- type: azure-native.containerservice.AgentPool
  name: pool
  inputs: {{vmSize: Standard_NC4as_T4_v3, scaleSetPriority: {0}, capacityReservationGroupID: /subscriptions/s/c}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "placement"),
    check,
    Examples(
        (_T.format("false", "Regular"), _POOL.format("Regular")),
        (_T.format("false", "Spot"), _T.format("true", "Regular"), _T.format("null", "Regular"), _POOL.format("Spot")),
        (_T.format("false", "!unknown "), _POOL.format("!unknown ")),
    ),
    providers=(Provider.AZURE,),
)
