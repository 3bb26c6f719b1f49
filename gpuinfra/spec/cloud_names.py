"""Names that clouds give out in a form of their own: text of another form is refused before anything is planned."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from .base import Text, bad
from .quantities import shown
from .scalars import write_inline

# Google Cloud, "Creating and managing projects": 6 to 30 characters, a letter first, no hyphen last; ids of projects
# made for a domain carry it before a colon (2026-11).
PROJECT_PATTERN = r"^([a-z][-a-z0-9]{4,28}[a-z0-9]|[a-z0-9][-a-z0-9.]*\.[a-z]+:[a-z][-a-z0-9]{0,28}[a-z0-9])$"
# AWS IAM, CreateRole: upper- and lower-case letters, digits and _+=,.@- (2026-11).
ROLE_PATTERN = r"^[A-Za-z0-9_+=,.@-]{1,64}$"

_PROJECT = re.compile(PROJECT_PATTERN)
_PLAIN = re.compile(r"[\w ./-]+")
_ROLE = re.compile(ROLE_PATTERN)
# Azure, naming rules of resource groups: letters and digits of every script, underscores, hyphens, full stops and
# parentheses, no full stop last (2026-11). The length is the plan's to check.
_RESOURCE_GROUP = re.compile(r"[-\w.()]*[-\w()]")
# Azure Container Registry, naming rules: 5 to 50 letters and digits (2026-11).
REGISTRY_PATTERN = (
    r"^/[sS]ubscriptions/[^/]+/[rR]esource[gG]roups/[^/]+/[pP]roviders/Microsoft\.ContainerRegistry/registries/"
    r"[A-Za-z0-9]{5,50}$"
)
_REGISTRY = re.compile(REGISTRY_PATTERN)


def _project(text: str) -> str:
    if _PROJECT.fullmatch(text):
        return text
    meant = re.sub(r"[^a-z0-9-]+", "-", _last(text).casefold()).strip("-")
    raise bad(
        "form",
        f"{shown(text)} is not a project id: 6 to 30 lower-case letters, digits and hyphens, a letter first",
        f"take {meant}, if that is the id"
        if _PROJECT.fullmatch(meant) and _PLAIN.fullmatch(text)
        else "give the id, as acme-lab: gcloud projects list",
    )


def _resource_group(text: str) -> str:
    if _RESOURCE_GROUP.fullmatch(text):
        return text
    # Of an ARM id the group's name is the last part; a slash elsewhere is a wrong character like any other.
    meant = re.sub(r"[^-\w.()]+", "-", _last(text) if text.startswith("/") else text).strip("-.")
    raise bad(
        "form",
        f"{shown(text)} is not the name of a resource group: letters, digits, _ - . ( ), and no full stop last",
        f"take {write_inline(meant)}"
        if len(meant) <= 90 and _RESOURCE_GROUP.fullmatch(meant)
        else "for example resource_group: rg-llama",
    )


def _registry(text: str) -> str:
    if _REGISTRY.fullmatch(text):
        return text
    name = text.removesuffix(".azurecr.io").rpartition("/")[2]
    raise bad(
        "form",
        f"{shown(text, 120)} is not the ARM id of a container registry",
        f"az acr show --name {name if re.fullmatch('[A-Za-z0-9]{5,50}', name) else 'NAME'} --query id prints it",
    )


def _role(text: str) -> str:
    if _ROLE.fullmatch(text):
        return text
    if "/" in text:
        # The ARN of a session has the role's name before the session's: …:assumed-role/NAME/SESSION.
        _, session, rest = text.partition(":assumed-role/")
        name = rest.partition("/")[0] if session else _last(text)
        what = "the ARN of a role" if text.startswith("arn:") else "a path"
        if _ROLE.fullmatch(name):
            raise bad("form", f"{shown(text, 120)} is {what}; the role's name is wanted", f"write {write_inline(name)}")
    raise bad(
        "form",
        f"{shown(text)} is not the name of an IAM role: 1 to 64 letters, digits and _+=,.@-",
        "give the name behind role/, as ml-deployer",
    )


def _last(text: str) -> str:
    """What stands behind the last slash of a path."""
    return text.rstrip("/").rpartition("/")[2]


ProjectId = Annotated[str, AfterValidator(_project), Field(json_schema_extra={"pattern": PROJECT_PATTERN})]
"""The id of a Google Cloud project."""

ResourceGroup = Annotated[str, AfterValidator(_resource_group)]
"""The name of an Azure resource group."""

RoleName = Annotated[Text, AfterValidator(_role), Field(json_schema_extra={"pattern": ROLE_PATTERN})]
"""The name of an AWS IAM role."""

RegistryId = Annotated[str, AfterValidator(_registry), Field(json_schema_extra={"pattern": REGISTRY_PATTERN})]
"""The ARM id of an Azure Container Registry."""
