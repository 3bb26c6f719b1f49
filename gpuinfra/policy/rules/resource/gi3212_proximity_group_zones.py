"""A proximity placement group that does not fit its zones.

What: A group or its nodes name several zones, the two name different ones, or the group names sizes without a zone.
Why: The group is one building. Nodes of another zone are refused, and intended sizes are taken only together with a zone.
Fix: Name the same one zone on the group and on its nodes.
References: Azure docs, proximity placement groups; hashicorp/terraform-provider-azurerm#20056; MicrosoftDocs/azure-docs#76894
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import PROXIMITY_GROUP, AzureGraph, AzureNodes, zones_of
from ...azure_pools import proximity_group_of_pool, zones_of_pool
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late

CODE = described("GI3212", "proximity-group-zones", Severity.ERROR, __doc__, ("AZ PLC-02", "AZ PLC-04"))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group, and for each set or machine in one."""
    for group in ctx.azure.of_type(PROXIMITY_GROUP):
        zones, sizes = zones_of(group), group.get("intent", "vmSizes")
        if zones is None or late(sizes):
            yield Undecided(CODE.code, group.name, "the zones or the intended sizes are not known yet")
        elif len(zones) > 1:
            yield CODE.at(
                f"{group.name}.zones",
                f"the group names the zones {', '.join(zones)}, and it is one place",
                "name one zone",
                resource=group.name,
            )
        elif items(sizes) and not zones:
            yield CODE.at(
                f"{group.name}.intent.vmSizes",
                "sizes are intended and no zone is named, which Azure refuses",
                "name the zone in zones, or leave intent out",
                resource=group.name,
            )
    for nodes in ctx.azure.nodes:
        yield from _nodes(ctx.azure, nodes)
    for pool in ctx.azure.pools:
        zones = zones_of_pool(pool) or ()
        links = proximity_group_of_pool(ctx.azure, pool)
        if pool.value("proximityPlacementGroupID") is not None and zones_of_pool(pool) is None:
            yield Undecided(CODE.code, pool.source.name, "the zones are not known yet")
        elif pool.value("proximityPlacementGroupID") is not None and len(zones) > 1:
            yield CODE.at(
                pool.at("availabilityZones"),
                f"a proximity placement group and {len(zones)} zones",
                "name one zone",
                resource=pool.source.name,
            )
        elif zones and (group := _elsewhere(links.resources, zones)) is not None:
            yield CODE.at(
                pool.at("availabilityZones"),
                f"the nodes stand in zone {zones[0]}, and their group '{group.name}' in "
                f"{', '.join(zones_of(group) or ())}",
                "name the same zone on both",
                resource=pool.source.name,
            )


def _nodes(azure: AzureGraph, nodes: AzureNodes) -> Iterator[Diagnostic | Undecided]:
    links = azure.proximity_group(nodes)
    if not links.count and not links.unknown:
        return
    zones = zones_of(nodes.resource)
    if zones is None:
        yield Undecided(CODE.code, nodes.name, "the zones are not known yet")
    elif len(zones) > 1:
        yield CODE.at(
            f"{nodes.name}.zones",
            f"a proximity placement group and the zones {', '.join(zones)}",
            "name one zone",
            resource=nodes.name,
        )
    elif zones and (group := _elsewhere(links.resources, zones)) is not None:
        theirs = ", ".join(zones_of(group) or ())
        yield CODE.at(
            f"{nodes.name}.zones",
            f"the nodes stand in zone {zones[0]}, and their group '{group.name}' in {theirs}",
            "name the same zone on both",
            resource=nodes.name,
        )


def _elsewhere(groups: tuple[Resource, ...], zones: tuple[str, ...]) -> Resource | None:
    return next((g for g in groups if (named := zones_of(g)) and len(named) == 1 and named != zones), None)


_T = """\
- {{type: azure-native.compute.ProximityPlacementGroup, name: near, inputs: {{zones: {0}, intent: {1}}}}}
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{zones: {2}, proximityPlacementGroup: {{id: !ref near.id }}}}
"""
_POOL = """\
- type: azure-native.containerservice.AgentPool
  name: pool
  inputs: {{vmSize: Standard_NC24ads_A100_v4, proximityPlacementGroupID: /subscriptions/s/p, availabilityZones: {0}}}
"""
_SIZES = "{vmSizes: [Standard_NC24ads_A100_v4]}"

RULE = ResourceRule(
    CODE,
    ("placement",),
    check,
    Examples(
        (_T.format('["1"]', _SIZES, '["1"]'), _T.format("null", "null", "null"), _POOL.format('["1"]')),
        (
            _T.format('["1"]', "null", '["2"]'),
            _T.format("null", _SIZES, "null"),
            _T.format("null", "null", '["1", "2"]'),
            _POOL.format('["1", "2"]'),
        ),
        (_T.format("!unknown ", "null", "null"), _POOL.format("!unknown ")),
    ),
    providers=(Provider.AZURE,),
)
