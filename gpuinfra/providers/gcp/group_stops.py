"""What everything that scales groups to zero shares: a service account, and a role with leave for that and no more."""

from __future__ import annotations

import pulumi
from pulumi_gcp import projects, serviceaccount

from ...plan.models import ClusterPlan
from .names import account_id, project_of
from .roles import custom_role, member_of

# What the API asks for to resize a group and to cancel what it waits for, and leave to look (Compute Engine API,
# instanceGroupManagers.resize and instanceGroupManagerResizeRequests.cancel).
_PERMISSIONS = ("compute.instanceGroupManagers.get", "compute.instanceGroupManagers.update")


class GroupStops:
    """The account that scales a cluster's groups. IAM grants on groups only by project, so that the account could scale
    every group of the project: what it does is written in the jobs and the workflow that use it."""

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
        role = custom_role(plan, f"{name}-role", "Scale groups to zero", _PERMISSIONS, account, opts)
        self.email = account.email
        self.allowed = projects.IAMMember(
            f"{name}-leave", project=project, role=role.name, member=member_of(account), opts=opts
        )
