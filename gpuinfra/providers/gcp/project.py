"""What only Google knows of the cluster's project, and where its API finds a pool's group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import pulumi
from pulumi_gcp import organizations

from ...diagnostics import GpuInfraError
from ...plan.models import ClusterPlan, PoolPlan
from ..findings import NO_BILLING_ACCOUNT
from .names import project_of

_COMPUTE = "https://compute.googleapis.com/compute/v1/"


@dataclass(frozen=True)
class Billing:
    """What a budget must know of the project."""

    project_number: pulumi.Output[str]
    account: pulumi.Output[str]
    """As 0A1B2C-3D4E5F-6A7B8C."""


def billing_of(plan: ClusterPlan, parent: pulumi.Resource | None) -> Billing:
    """The project's number and billing account, asked of Google by whoever deploys: nobody knows them by heart.

    Raises GpuInfraError during the deployment where the project has no account that the deployer may see.
    """
    project = project_of(plan)
    found = organizations.get_project_output(project_id=project, opts=pulumi.InvokeOutputOptions(parent=parent))

    def seen(account: str | None) -> str | None:
        # Google answers with an empty text; mocks that leave outputs out with none.
        if account == "":
            message = f"project {project} shows no billing account, and a budget belongs to one"
            raise GpuInfraError([NO_BILLING_ACCOUNT.at("location.project", message)])
        return account

    account = cast("pulumi.Output[str]", found.billing_account.apply(seen))
    return Billing(found.number, account)


def group_url(plan: ClusterPlan, pool: PoolPlan) -> str:
    """The API's address of a pool's group. It is known beforehand, so that whatever stops the group need not wait for it."""
    place = f"zones/{pool.zone}" if pool.zone else f"regions/{plan.region}"
    return f"{_COMPUTE}projects/{project_of(plan)}/{place}/instanceGroupManagers/{pool.cloud_name}"
