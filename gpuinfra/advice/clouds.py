"""What a word of the spec means on one cloud, where it means something else on another."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..vocabulary import Provider


@dataclass(frozen=True)
class Meanings:
    """One cloud."""

    location_fields: dict[str, str]
    """Fields of the location that no other cloud has, and what falls away with them."""
    budget: str
    """What the cloud's budget counts."""
    stop: str
    """What stops the nodes when the budget is reached."""
    deny: str
    spot_notice: str
    keys_needed: str
    """Why nodes are not made without an SSH key; empty where they are."""
    registry: re.Pattern[str]
    """Registries whose images the cloud's nodes may pull by their own identity, and others' nodes may not."""
    registry_name: str
    regional_image: re.Pattern[str]
    """Node images that are known in one region only."""
    source: str


CLOUDS: dict[Provider, Meanings] = {
    Provider.AWS: Meanings(
        {
            "deployer_roles": "the roles that are denied new nodes at the limit are roles of AWS",
            "activate_cost_tag": "the tag that the budget counts by is AWS's to activate",
        },
        "counts what carries the cluster's tag, once the payer account has activated the tag",
        "a function sets the groups to zero, and the deployer roles that are named are denied new nodes",
        "the deployer roles that are named are denied new nodes",
        "two minutes",
        "",
        re.compile(r"\d{12}\.dkr\.ecr[.-].*"),
        "Amazon ECR",
        re.compile(r"ami-[0-9a-f]+"),
        "facts aws a8, a9: Budgets User Guide; EC2 User Guide, Spot interruption notices",
    ),
    Provider.GCP: Meanings(
        {"project": "projects are Google's"},
        "counts what carries the cluster's label, in the currency of the billing account",
        "a workflow sets the groups to zero; nothing denies new nodes",
        "nothing denies new nodes: as with stop, a workflow sets the groups to zero",
        "30 seconds",
        "",
        re.compile(r"[a-z0-9-]+-docker\.pkg\.dev|(?:[a-z]+\.)?gcr\.io"),
        "Artifact Registry",
        re.compile(r"(?!)"),
        "facts gcp a9; Cloud Billing, budgets; Compute Engine, Spot VMs",
    ),
    Provider.AZURE: Meanings(
        {
            "resource_group": "resource groups are Azure's",
            "existing_resource_group": "resource groups are Azure's",
        },
        "counts the cluster's resource group, in the currency of the subscription",
        "a workflow sets the scale sets to zero; nothing denies new nodes",
        "nothing denies new nodes: as with stop, a workflow sets the scale sets to zero",
        "30 seconds",
        "a Linux scale set is not made without a public key: add yours in network.ssh_keys, or nobody can log in",
        re.compile(r"[a-z0-9]+\.azurecr\.io"),
        "Azure Container Registry",
        re.compile(r"(?!)"),
        "facts azure a14, a7; Cost Management, budgets; Azure docs, Scheduled Events",
    ),
}


def owner_of(registry: str) -> Provider | None:
    """The cloud whose own registry a host name is; None for a registry that everybody reaches alike."""
    return next((p for p, cloud in CLOUDS.items() if cloud.registry.fullmatch(registry)), None)
