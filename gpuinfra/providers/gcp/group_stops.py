"""What everything that scales groups to zero shares: a service account, and a role with leave for that and no more."""

from __future__ import annotations

import pulumi
from pulumi_gcp import projects, serviceaccount

from ...plan.models import ClusterPlan
from ..late_text import late_text
from .names import account_id, project_of, role_prefix

# What the resize method asks for (Compute Engine API, instanceGroupManagers.resize), and leave to look.
_PERMISSIONS = ("compute.instanceGroupManagers.get", "compute.instanceGroupManagers.update")


class GroupStops:
    """The account that scales a cluster's groups. IAM grants on groups only by project, so that the account could scale
    every group of the project: what it does is written in the schedules and the workflow that use it."""

    email: pulumi.Output[str]
    allowed: pulumi.Resource
    """What must exist before the account may do anything."""

    def __init__(self, plan: ClusterPlan, opts: pulumi.ResourceOptions) -> None:
        name, project = f"{plan.name}-stop", project_of(plan)
        account = serviceaccount.Account(
            f"{name}-account",
            account_id=account_id(name),
            display_name=f"Scales the groups of {plan.name} to zero"[:100],
            project=project,
            opts=opts,
        )
        role = projects.IAMCustomRole(
            f"{name}-role",
            # Made up by Pulumi it would have hyphens, which Google refuses.
            role_id=late_text(role_prefix(name), account.unique_id),
            title=f"Scale the groups of {plan.name}"[:100],
            description="Changes the size of managed instance groups",
            permissions=list(_PERMISSIONS),
            stage="GA",
            project=project,
            opts=opts,
        )
        self.email = account.email
        self.allowed = projects.IAMMember(
            f"{name}-leave",
            project=project,
            role=role.name,
            member=late_text("serviceAccount:", account.email),
            opts=opts,
        )
