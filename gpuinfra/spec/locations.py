"""Where a cluster stands: the one place of the spec whose shape depends on the cloud."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, cast

from pydantic import Discriminator, Field, StrictBool, Tag, model_validator

from .base import SpecModel, bad
from .cloud_names import ProjectId, RegistryId, ResourceGroup, RoleName


class AwsLocation(SpecModel):
    """Amazon Web Services."""

    provider: Literal["aws"] = Field(default="aws", description="The cloud.")
    region: str = Field(min_length=1, description="Region.", examples=["us-east-2"])
    zone: str | None = Field(
        default=None,
        min_length=1,
        description=(
            "Zone id. Not the letter: us-east-2a is another building in each account. "
            "Left out: the first zone that the tables list for every instance type of the spec; with "
            "`network.existing`, the zone of that subnet."
        ),
        examples=["use2-az1"],
    )
    deployer_roles: tuple[RoleName, ...] = Field(
        default=(),
        description=(
            "Names of the IAM roles that people and pipelines deploy with; names, not ARNs. With `budget.on_limit: stop` "
            "or `deny` they are forbidden to start instances once the monthly budget is spent."
        ),
        examples=[["ml-deployer"]],
    )
    activate_cost_tag: StrictBool = Field(
        default=False,
        description=(
            "Activate the cluster's tag for cost allocation, without which the budget counts nothing. Only the "
            "organisation's payer account may do this, and only after the tag has been in use for a day."
        ),
    )


class GcpLocation(SpecModel):
    """Google Cloud."""

    provider: Literal["gcp"] = Field(default="gcp", description="The cloud.")
    project: ProjectId = Field(min_length=1, description="Project id.", examples=["acme-lab"])
    region: str = Field(min_length=1, description="Region.", examples=["us-central1"])
    zone: str | None = Field(
        default=None,
        min_length=1,
        description="Zone. Left out: the first that the tables list for every type of the spec.",
        examples=["us-central1-b"],
    )


class AzureLocation(SpecModel):
    """Microsoft Azure."""

    provider: Literal["azure"] = Field(default="azure", description="The cloud.")
    region: str = Field(min_length=1, description="Region.", examples=["eastus"])
    zone: str | None = Field(
        default=None,
        min_length=1,
        description='Availability zone, as text: "1", "2" or "3". Left out: none is asked for.',
        examples=["1"],
    )
    resource_group: ResourceGroup | None = Field(
        default=None,
        min_length=1,
        description="Resource group. Left out: one named after the cluster.",
        examples=["rg-llama"],
    )
    existing_resource_group: StrictBool = Field(
        default=False,
        description="The resource group is there already and is left alone; `resource_group` names it.",
    )
    bastion: StrictBool = Field(
        default=False,
        description=(
            "Put a Bastion into the new network: `connect` then opens a shell on private nodes over it, with your SSH key. "
            "It bills by the hour from its creation on, used or not."
        ),
    )
    container_registry: RegistryId | None = Field(
        default=None,
        min_length=1,
        description=(
            "ARM id of an Azure Container Registry that the nodes may pull from. Left out: the nodes get no role on any "
            "registry. Only who may assign roles on the registry can deploy it."
        ),
        examples=[
            "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg-images/providers/"
            "Microsoft.ContainerRegistry/registries/acmeimages"
        ],
    )

    @model_validator(mode="after")
    def _names_its_group(self) -> Self:
        if self.existing_resource_group and self.resource_group is None:
            raise bad(
                "form",
                "existing_resource_group is true, and resource_group does not name the group that is there",
                "add resource_group: rg-llama, or remove existing_resource_group",
            )
        return self


def _provider(value: Any) -> str | None:
    # The callable form: a field-name discriminator may not carry the validator that refuses Outputs.
    found = (
        cast(Mapping[str, Any], value).get("provider")
        if isinstance(value, Mapping)
        else getattr(value, "provider", None)
    )
    return found if isinstance(found, str) else None


Location = Annotated[
    Annotated[AwsLocation, Tag("aws")] | Annotated[GcpLocation, Tag("gcp")] | Annotated[AzureLocation, Tag("azure")],
    Discriminator(
        _provider,
        custom_error_type="unknown_provider",
        custom_error_message="a location needs provider: aws, gcp or azure",
    ),
]
"""The location of a cluster, told apart by `provider`."""

OTHER_NAMES = {
    "amazon": "aws",
    "ec2": "aws",
    "google": "gcp",
    "gcloud": "gcp",
    "gce": "gcp",
    "microsoft": "azure",
    "azurerm": "azure",
}
"""What else people write for `provider`, and the word meant."""
