"""The resource group that holds a cluster: a new one, or one that is there and stays."""

from __future__ import annotations

from typing import cast

import pulumi
from pulumi_azure_native import resources

from ...plan.arguments import check_type
from ...plan.models import ClusterPlan
from ...spec.locations import AzureLocation
from ...spec.models import ClusterSpec
from ..late_text import late_text
from ..planning import planned
from .names import fixed_name
from .tags import tags


class ResourceGroup(pulumi.ComponentResource):
    """Where the parts of a cluster stand. Every part takes one, so that they share it."""

    name: pulumi.Output[str]
    """Name of the group in Azure."""
    id: pulumi.Output[str]
    """ARM id of the group."""
    is_new: bool
    """The group was made here, and goes with the stack."""
    location: str
    """Region of what stands in the group; the group itself may be in another."""

    def __init__(self, name: str, spec: ClusterSpec | ClusterPlan, opts: pulumi.ResourceOptions | None = None) -> None:
        """The resource group of a spec: new, or looked up where `location.existing_resource_group` says that it is
        there."""
        plan = planned(spec, name, opts)
        super().__init__("gpuinfra:azure:ResourceGroup", name, None, opts)
        # The spec's room for what only Azure understands.
        location = cast(AzureLocation, plan.spec.location)
        self.location = plan.region
        self.is_new = not location.existing_resource_group
        if location.existing_resource_group and location.resource_group:
            found = resources.get_resource_group_output(
                resource_group_name=location.resource_group, opts=pulumi.InvokeOutputOptions(parent=self)
            )
            self.name = pulumi.Output.from_input(location.resource_group)
            self.id = found.id
        else:
            logical = f"{plan.name}-rg"
            named = location.resource_group or fixed_name(logical, "resource_group")
            made = resources.ResourceGroup(
                logical,
                resource_group_name=named,
                location=plan.region,
                tags=tags(plan),
                opts=pulumi.ResourceOptions(
                    parent=self,
                    # A name is one group's: in another region it is made once the old one, and all that is in it, is gone.
                    delete_before_replace=True if named else None,
                    # Whatever stands in a group goes with it, and ARM does not ask about the stores.
                    protect=_holds_data(plan) or None,
                ),
            )
            self.name = made.name
            self.id = made.id
        self.register_outputs({"name": self.name, "id": self.id})

    def inside(self, kind: str, name: str) -> pulumi.Output[str]:
        """The id of a thing of that kind in the group, as Microsoft.Compute/virtualMachineScaleSets."""
        return late_text("", self.id, f"/providers/{kind}/{name}")


def _holds_data(plan: ClusterPlan) -> bool:
    return any(not storage.existing for storage in plan.storage)


def resource_group(
    name: str, plan: ClusterPlan, group: ResourceGroup | None, opts: pulumi.ResourceOptions
) -> ResourceGroup:
    """The group that was given, or the plan's own."""
    check_group(group)
    return group if group is not None else ResourceGroup(name, plan, opts)


def check_group(group: object) -> None:
    """Raises TypeError unless the value is None or a resource group."""
    check_type("group", group, ResourceGroup, "a gpuinfra.azure.ResourceGroup")
