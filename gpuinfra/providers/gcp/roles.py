"""Custom roles: a few permissions each, where no role of Google's is as narrow."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_gcp import projects, serviceaccount

from ...plan.models import ClusterPlan, PoolPlan
from ..late_text import late_text
from .names import project_of, role_prefix

_EXACT = 10
"""Instance names that a condition lists. It takes 12 operators (IAM documentation, "Conditions: limits")."""
_INSTANCE = "compute.googleapis.com/Instance"


def custom_role(
    plan: ClusterPlan,
    name: str,
    title: str,
    permissions: Sequence[str],
    account: serviceaccount.Account,
    opts: pulumi.ResourceOptions,
) -> projects.IAMCustomRole:
    """A role for one account of the cluster."""
    return projects.IAMCustomRole(
        name,
        role_id=late_text(role_prefix(name), account.unique_id),
        title=title,
        description=f"{title}, for {plan.name}",
        permissions=list(permissions),
        stage="GA",
        project=project_of(plan),
        opts=opts,
    )


def member_of(account: serviceaccount.Account) -> pulumi.Output[str]:
    """The account as policies name it."""
    return late_text("serviceAccount:", account.email)


def own_instances(plan: ClusterPlan, pools: Sequence[PoolPlan]) -> str:
    """A condition that no instance but those of the pools meets. It holds for everything that is no instance: IAM knows
    no names of instance groups."""
    names = [p.cloud_name for p in pools]
    # A group adds a hyphen and four characters to its own name.
    beginnings = [f"{name}-" for name in names] if len(names) <= _EXACT else [_common(names)]
    # Where Google chooses the zone, the name alone is looked at.
    place = f"projects/{project_of(plan)}/zones/{plan.zone}/instances/" if plan.zone else ""
    subject = "resource.name" if place else "resource.name.extract('/instances/{name}')"
    allowed = " || ".join(f"{subject}.startsWith('{place}{beginning}')" for beginning in beginnings)
    return f"resource.type != '{_INSTANCE}' || {allowed}"


def _common(names: Sequence[str]) -> str:
    """How all names begin: with the cluster's own, which is a part of each."""
    first, last = min(names), max(names)
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:same]
