"""A range of a managed cluster that its nodes' subnet has.

What: The range for services of an AKS cluster, which is 10.0.0.0/16 where none is written, or its range for pods overlaps the subnet of a pool.
Why: AKS refuses it (ServiceCidrOverlapExistingSubnetsCidr) after the network and the identities are made.
Fix: Write networkProfile.serviceCidr and dnsServiceIP in a range that no network of yours has, as 172.20.0.0/16 and 172.20.0.10.
References: Azure docs, AKS IP address planning; Azure docs, configure Azure CNI networking in AKS
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import CLUSTER, AzureGraph
from ...azure_network import range_of, subnet_block
from ...azure_pools import cluster_of_pool, subnets_of_pool
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3354", "cluster-range-over-subnet", Severity.ERROR, __doc__)
# Azure docs, az aks create: what is taken where none is written.
_DEFAULT = "10.0.0.0/16"
_RANGES = ("serviceCidr", "podCidr")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each range of a cluster whose pools name a subnet of this program."""
    for cluster in ctx.azure.of_type(CLUSTER):
        subnets = _subnets(ctx.azure, cluster)
        if not subnets:
            continue
        for key in _RANGES:
            value = cluster.get("networkProfile", key)
            own = range_of(_DEFAULT if value is None and key == "serviceCidr" else value)
            written = [subnet_block(s).value(k) for s in subnets for k in ("addressPrefix", "addressPrefixes")]
            if late(value) or (own is not None and any(map(late, written))):
                yield Undecided(CODE.code, cluster.name, f"{key}, or the range of the nodes' subnet, is not known yet")
                continue
            clash = next(((s, r) for s in subnets for r in subnet_block(s).ranges if own and r.overlaps(own)), None)
            if clash is not None:
                said = "" if value is not None else ", which is taken where none is written,"
                yield CODE.at(
                    f"{cluster.name}.networkProfile.{key}",
                    f"{own}{said} overlaps {clash[1]} of '{clash[0].name}', where nodes stand",
                    resource=cluster.name,
                )


def _subnets(azure: AzureGraph, cluster: Resource) -> tuple[Resource, ...]:
    found: dict[str, Resource] = {}
    for pool in azure.pools:
        own = cluster_of_pool(azure, pool)
        if own is not None and own.urn == cluster.urn:
            found.update({s.urn: s for s in subnets_of_pool(azure, pool).resources})
    return tuple(found.values())


_T = """\
- {{type: azure-native.network.Subnet, name: nodes, inputs: {{addressPrefix: {1}}}}}
- type: azure-native.containerservice.ManagedCluster
  name: plane
  inputs:
    networkProfile: {0}
    agentPoolProfiles: [{{name: sys, mode: System, count: 1, vmSize: Standard_D4s_v5, vnetSubnetID: !ref nodes.id }}]
"""

RULE = ResourceRule(
    CODE,
    ("kubernetes", "network"),
    check,
    Examples(
        (
            _T.format("{serviceCidr: 172.20.0.0/16}", "10.0.1.0/24"),
            _T.format("{podCidr: 10.244.0.0/16}", "10.20.0.0/24"),
            _T.format("null", "10.1.0.0/24"),
        ),
        (
            _T.format("null", "10.0.1.0/24"),
            _T.format("{networkPlugin: azure}", "10.0.1.0/24"),
            _T.format("{serviceCidr: 10.8.0.0/16}", "10.8.4.0/22"),
            _T.format("{podCidr: 10.20.0.0/16}", "10.20.0.0/20"),
        ),
        (_T.format("{serviceCidr: !unknown }", "10.1.0.0/24"), _T.format("null", "!unknown ")),
    ),
    providers=(Provider.AZURE,),
)
