"""Who the nodes are to Azure: one managed identity, and the few roles that a node needs, each at its own scope."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

import pulumi
from pulumi_azure_native import compute, managedidentity

from ...diagnostics import Diagnostic
from ...plan.arguments import check_covers, check_names, check_type
from ...plan.models import ClusterPlan, PoolPlan, StoragePlan
from ...spec.locations import AzureLocation
from ...spec.models import ClusterSpec
from ...vocabulary import StorageKind
from ..findings import GRANT_BY_HAND
from ..planning import planned, warn
from .names import fixed_name
from .resource_group import ResourceGroup, check_group, resource_group
from .roles import BLOB_CONTRIBUTOR, LEAVE_SET, PULL_IMAGES, USE_BLOBS, assign, built_in, group_of, own_role
from .tags import tags

_REGISTRY = re.compile(r"(?P<name>[a-z0-9]{5,50})\.azurecr\.(io|cn|us)/", re.IGNORECASE)


class NodeIdentity(pulumi.ComponentResource):
    """The nodes' managed identity."""

    identity_id: pulumi.Output[str]
    """ARM id, as a scale set takes it."""
    principal_id: pulumi.Output[str]
    """What roles are assigned to."""
    client_id: pulumi.Output[str]
    """What a node asks for tokens by."""
    group: ResourceGroup
    ready: tuple[pulumi.Resource, ...]
    """What nodes must wait for, so that their first boot may do what the roles allow."""

    def __init__(
        self,
        name: str,
        spec: ClusterSpec | ClusterPlan,
        opts: pulumi.ResourceOptions | None = None,
        *,
        group: ResourceGroup | None = None,
        pools: Sequence[str] | None = None,
        buckets: Mapping[str, pulumi.Input[str]] | None = None,
    ) -> None:
        """The identity of a spec's nodes. `pools`: of these pools alone. `buckets`: ARM ids of containers made for the
        spec, by storage name; those that exist are known from the spec, where it names them by their ARM id."""
        plan = planned(spec, name, opts)
        check_group(group)
        check_names("pools", "pool", pools, [p.name for p in plan.pools])
        check_type(
            "buckets", buckets, Mapping, "a mapping from the names of storages to the ARM ids of their containers"
        )
        check_names("buckets", "bucket storage", list(buckets or ()), _bucket_storages(plan))
        super().__init__("gpuinfra:azure:NodeIdentity", name, None, opts)
        self._plan = plan
        self._child = pulumi.ResourceOptions(parent=self)
        self.group = resource_group(f"{name}-group", plan, group, self._child)
        self._chosen = [p for p in plan.pools if pools is None or p.name in pools]
        logical = f"{plan.name}-nodes"
        made = managedidentity.UserAssignedIdentity(
            logical,
            resource_group_name=self.group.name,
            resource_name_=fixed_name(logical, "identity"),
            location=plan.region,
            tags=tags(plan),
            opts=self._child,
        )
        self.identity_id = made.id
        self.principal_id = made.principal_id
        self.client_id = made.client_id
        self._leave = self._leave_role()
        self.ready = (*self._bucket_roles(buckets or {}), *self._registry_roles())
        self.register_outputs({"identityId": self.identity_id, "principalId": self.principal_id})

    def check_covers(self, pool: PoolPlan) -> None:
        """Raises ValueError where nodes of the pool could not leave their own set: the idle timer would fail."""
        check_covers("identity", "NodeIdentity", pool, [p.cloud_name for p in self._chosen])

    def let_leave(
        self, pool: PoolPlan, scale_set: compute.VirtualMachineScaleSet, opts: pulumi.ResourceOptions
    ) -> None:
        """Lets the nodes leave the scale set of a pool. The role is assigned at the set, so the set comes first; the idle
        timer asks for it long after."""
        if self._leave is None or not pool.gpus_per_node:
            return
        assign(
            f"{pool.resource_name}-leave",
            principal_id=self.principal_id,
            role_id=self._leave,
            scope=scale_set.id,
            description=f"Idle nodes of pool {pool.name} of {self._plan.name} leave their scale set",
            opts=opts,
        )

    def _leave_role(self) -> pulumi.Output[str] | None:
        if self._plan.idle_after is None or not any(p.gpus_per_node for p in self._chosen):
            return None
        return own_role(f"{self._plan.name}-leave-role", LEAVE_SET, self.group.id, self._child)

    def _bucket_roles(self, made: Mapping[str, pulumi.Input[str]]) -> list[pulumi.Resource]:
        """The spec's containers and no other. Blobs may be deleted only in one that was made for the cluster."""
        found: list[pulumi.Resource] = []
        roles: dict[str, pulumi.Output[str]] = {}
        for one in self._plan.storage:
            if one.kind is not StorageKind.BUCKET:
                continue
            if one.name in made:
                scope, role = made[one.name], built_in(BLOB_CONTRIBUTOR, made[one.name])
            elif one.existing and group_of(one.existing):
                scope, role = one.existing, self._blob_role(group_of(one.existing), roles)
            else:
                self._say_unknown(one)
                continue
            found.append(
                assign(
                    f"{one.resource_name}-use",
                    principal_id=self.principal_id,
                    role_id=role,
                    scope=scope,
                    description=f"Nodes of {self._plan.name} use the blobs of {one.name}",
                    opts=self._child,
                )
            )
        return found

    def _blob_role(self, group: str, roles: dict[str, pulumi.Output[str]]) -> pulumi.Output[str]:
        """One role for each resource group that holds containers: it can be assigned there alone."""
        key = group.lower()
        if key not in roles:
            logical = f"{self._plan.name}-blobs-role-{len(roles)}" if roles else f"{self._plan.name}-blobs-role"
            roles[key] = own_role(logical, USE_BLOBS, group, self._child)
        return roles[key]

    def _say_unknown(self, one: StoragePlan) -> None:
        # A container that is made elsewhere, and not given here, is no finding: it is known when it is.
        if one.existing:
            self._by_hand(f"{one.path}.existing", one.existing, "Storage Blob Data Contributor", "the container")

    def _registry_roles(self) -> list[pulumi.Resource]:
        """Leave to pull containers from the registry that the location names."""
        known = cast(AzureLocation, self._plan.spec.location).container_registry or ""
        named = known.rpartition("/")[2].lower()
        for host in sorted({m["name"].lower() for m in self._registries() if m["name"].lower() != named}):
            self._by_hand(
                "image.container", f"{host}.azurecr.io", "AcrPull", "the registry, in location.container_registry"
            )
        if not known:
            return []
        return [
            assign(
                f"{self._plan.name}-pull",
                principal_id=self.principal_id,
                role_id=built_in(PULL_IMAGES, known),
                scope=known,
                description=f"Nodes of {self._plan.name} pull their containers",
                opts=self._child,
            )
        ]

    def _registries(self) -> list[re.Match[str]]:
        containers = [p.container.reference for p in self._chosen if p.container]
        return [m for reference in containers if (m := _REGISTRY.match(reference))]

    def _by_hand(self, path: str, what: str, role: str, thing: str) -> None:
        finding: Diagnostic = GRANT_BY_HAND.at(
            path,
            f"the nodes get no role on '{what}': an address does not say where it stands",
            f"name {thing} by its ARM id; or run once: az role assignment create --assignee-object-id PRINCIPAL "
            f"--assignee-principal-type ServicePrincipal --role '{role}' --scope ID, with the principal of the identity "
            f"{self._plan.name}-nodes",
        )
        warn((finding,))


def _bucket_storages(plan: ClusterPlan) -> list[str]:
    return [s.name for s in plan.storage if s.kind is StorageKind.BUCKET]
