"""A Managed Lustre import that never works.

What: The container and the logging container are one or one is missing, the account forbids shared keys, or the program gives the service's principal not both of its roles on the account.
Why: The settings count at creation only: a file system that was made without working access is to be made again.
Fix: Take two containers, allow shared keys on the account, and give Storage Account Contributor and Storage Blob Data Contributor first.
References: Azure docs, Managed Lustre: blob integration prerequisites; MicrosoftDocs/azure-docs#106012
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import LUSTRE, PREFIX, ROLE_ASSIGNMENT, STORAGE_ACCOUNT, AzureGraph
from ...azure_roles import STORAGE_ACCOUNT_CONTRIBUTOR, STORAGE_BLOB_DATA_CONTRIBUTOR, role_id
from ...resource_graph import UNKNOWN, Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import plain, truth

CODE = described("GI3266", "lustre-import-refused", Severity.ERROR, __doc__, ("AZ AML-07",))
_CONTAINER = f"{PREFIX}:storage:BlobContainer"
_ROLES = {
    STORAGE_ACCOUNT_CONTRIBUTOR: "Storage Account Contributor",
    STORAGE_BLOB_DATA_CONTRIBUTOR: "Storage Blob Data Contributor",
}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each fault of a file system that imports."""
    for fs in ctx.azure.of_type(LUSTRE):
        settings = fs.get("hsm", "settings")
        if settings is None:
            continue
        if not isinstance(settings, Mapping):
            yield Undecided(CODE.code, fs.name, "the import is not known yet")
            continue
        block = cast("Mapping[str, Any]", settings)
        data, logs = (plain(block.get(k)) for k in ("container", "loggingContainer"))
        where = f"{fs.name}.hsm.settings"
        if data is None or logs is None or (data == logs and data is not UNKNOWN):
            yield CODE.at(
                f"{where}.loggingContainer",
                "the import wants two containers, one for its logs",
                "name a container of its own",
                resource=fs.name,
            )
        for account in _accounts(ctx.azure, fs):
            yield from _account(ctx.azure, fs, account)


def _account(azure: AzureGraph, fs: Resource, account: Resource) -> Iterator[Diagnostic]:
    where = f"{fs.name}.hsm.settings.container"
    if truth(account.get("allowSharedKeyAccess")) is False:
        yield CODE.at(
            where,
            f"the account '{account.name}' forbids shared keys, which the import uses",
            "set allowSharedKeyAccess: true on it",
            resource=fs.name,
        )
    given = {
        role_id(r)
        for r in azure.of_type(ROLE_ASSIGNMENT)
        if any(a.urn == account.urn for a in azure.linked(r, "scope", STORAGE_ACCOUNT).resources)
    }
    missing = [name for role, name in _ROLES.items() if role not in given and "" not in given]
    if missing:
        yield CODE.at(
            where,
            f"nobody is given {' and '.join(missing)} on the account '{account.name}'",
            "give both roles to the service's principal, and let the file system wait for them",
            resource=fs.name,
        )


def _accounts(azure: AzureGraph, fs: Resource) -> list[Resource]:
    """The accounts of this program that the import reads."""
    direct = azure.link(fs, "hsm", fs.get("hsm", "settings", "container"), STORAGE_ACCOUNT).resources
    kept = azure.link(fs, "hsm", fs.get("hsm", "settings", "container"), _CONTAINER).resources
    found = [*direct, *(a for c in kept for a in azure.linked(c, "accountName", STORAGE_ACCOUNT).resources)]
    return list({a.urn: a for a in found}.values())


_T = """\
- {{type: azure-native.storagecache.AmlFilesystem, name: scratch, inputs: {{hsm: {{settings: {0}}}}}}}
"""
_WITH_ACCOUNT = """\
- {{type: azure-native.storage.StorageAccount, name: data, inputs: {{allowSharedKeyAccess: {0}}}}}
- {{type: azure-native.storage.BlobContainer, name: sets, inputs: {{accountName: !ref data.name }}}}
- {{type: azure-native.storage.BlobContainer, name: logs, inputs: {{accountName: !ref data.name }}}}
- type: azure-native.storagecache.AmlFilesystem
  name: scratch
  inputs: {{hsm: {{settings: {{container: !ref sets.id , loggingContainer: !ref logs.id }}}}}}
"""
_ROLE = """\
- type: azure-native.authorization.RoleAssignment
  name: {0}
  inputs: {{scope: !ref data.id , principalId: p, roleDefinitionId: /providers/Microsoft.Authorization/roleDefinitions/{1}}}
"""
_BOTH = _ROLE.format("a", STORAGE_ACCOUNT_CONTRIBUTOR) + _ROLE.format("b", STORAGE_BLOB_DATA_CONTRIBUTOR)

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("{container: /a/data, loggingContainer: /a/logs}"), _WITH_ACCOUNT.format("true") + _BOTH),
        (
            _T.format("{container: /a/data, loggingContainer: /a/data}"),
            _T.format("{container: /a/data}"),
            _WITH_ACCOUNT.format("false") + _BOTH,
            _WITH_ACCOUNT.format("true"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
