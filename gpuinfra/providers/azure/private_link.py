"""The private way from the cluster's network to its storage accounts: endpoints in the nodes' subnet, and the zones in
which nodes find them under the accounts' public names."""

from __future__ import annotations

import pulumi
from pulumi_azure_native import network, privatedns
from pulumi_azure_native import storage as blobs

from ...plan.models import ClusterPlan, StoragePlan
from .names import fixed_name
from .network import ClusterNetwork
from .resource_group import ResourceGroup
from .tags import cluster_tag, tags

_SERVICES = ("blob", "dfs")
"""An account with folders answers under two names, and sends some requests from one to the other (Azure Storage, Use
private endpoints)."""
_ZONE = "privatelink.{0}.core.windows.net"
_MOST_TAGS = 15
"""Tags of what belongs to a private DNS zone (Azure, Tag resources: limitations)."""


class PrivateLink:
    """The zones, which all accounts of a cluster share, and each account's endpoints."""

    def __init__(
        self, plan: ClusterPlan, place: ClusterNetwork, group: ResourceGroup, opts: pulumi.ResourceOptions
    ) -> None:
        self._plan = plan
        self._place = place
        self._group = group
        self._opts = opts
        self._zones = {service: self._zone(service) for service in _SERVICES}

    def connect(self, storage: StoragePlan, account: blobs.StorageAccount) -> list[pulumi.Resource]:
        """Registers an account's endpoints. Returns what nodes must wait for before they find them."""
        found: list[pulumi.Resource] = []
        for service, (zone, link) in self._zones.items():
            logical = f"{storage.resource_name}-{service}"
            endpoint = network.PrivateEndpoint(
                logical,
                private_endpoint_name=fixed_name(logical, "private_endpoint"),
                resource_group_name=self._group.name,
                location=self._plan.region,
                # The SDK would write Disabled, and the subnet itself says Enabled.
                subnet=network.SubnetArgs(id=self._place.subnet_id, private_endpoint_network_policies="Enabled"),
                private_link_service_connections=[
                    network.PrivateLinkServiceConnectionArgs(
                        name=service, private_link_service_id=account.id, group_ids=[service]
                    )
                ],
                tags=tags(self._plan),
                opts=pulumi.ResourceOptions.merge(
                    self._opts,
                    pulumi.ResourceOptions(
                        # The subnet is not deleted while an endpoint stands in it.
                        delete_before_replace=True,
                        replace_with=list(self._place.ready),
                        replace_on_changes=["subnet", "privateLinkServiceConnections"],
                    ),
                ),
            )
            record = network.PrivateDnsZoneGroup(
                f"{logical}-record",
                # An endpoint has one.
                private_dns_zone_group_name="default",
                private_endpoint_name=endpoint.name,
                resource_group_name=self._group.name,
                private_dns_zone_configs=[network.PrivateDnsZoneConfigArgs(name=service, private_dns_zone_id=zone.id)],
                opts=pulumi.ResourceOptions.merge(self._opts, pulumi.ResourceOptions(delete_before_replace=True)),
            )
            found += [record, link]
        return found

    def _zone(self, service: str) -> tuple[privatedns.PrivateZone, pulumi.Resource]:
        logical = f"{self._plan.name}-{service}-zone"
        zone = privatedns.PrivateZone(
            logical,
            private_zone_name=_ZONE.format(service),
            resource_group_name=self._group.name,
            location="Global",
            tags=self._tags(),
            opts=pulumi.ResourceOptions.merge(self._opts, pulumi.ResourceOptions(delete_before_replace=True)),
        )
        link = privatedns.VirtualNetworkLink(
            f"{logical}-link",
            virtual_network_link_name=fixed_name(f"{logical}-link", "private_zone_link"),
            private_zone_name=zone.name,
            resource_group_name=self._group.name,
            location="Global",
            virtual_network=privatedns.SubResourceArgs(id=self._place.network_id),
            registration_enabled=False,
            # Other accounts with private endpoints of their own are not in this zone, and would have no name any more.
            resolution_policy=privatedns.ResolutionPolicy.NX_DOMAIN_REDIRECT,
            tags=self._tags(),
            opts=pulumi.ResourceOptions.merge(
                self._opts, pulumi.ResourceOptions(replace_on_changes=["virtualNetwork"], delete_before_replace=True)
            ),
        )
        return zone, link

    def _tags(self) -> dict[str, str]:
        wanted = tags(self._plan)
        return wanted if len(wanted) <= _MOST_TAGS else dict([cluster_tag(self._plan)])
