"""A secret in the boot script, or in the open settings of an extension.

What: Custom data, user data or the settings of an extension hold a private key, an access key, a token or a password.
Severity: warning for a value that is marked secret, whose text is not known
Why: Custom data lie on the node's disk and user data in its metadata service, for every process to read; settings are shown to every reader of the resource group.
Fix: Keep the secret in Key Vault, and let the node's identity fetch it at boot; settings go into protectedSettings.
References: Azure docs, custom data: do not store sensitive data; Azure docs, custom script extension: protected settings
"""

from __future__ import annotations

import base64
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_user_data import script
from ...azure_boot import FIELDS, is_marked_secret, text_of
from ...azure_graph import AzureNodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...script_secrets import kind_of_secret
from ...wire_values import holds_secret

CODE = described("GI3251", "secret-in-custom-data", Severity.ERROR, __doc__, ("AZ SEC-10",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each document and extension. The secret itself is never shown."""
    for nodes in ctx.azure.nodes:
        for path in FIELDS:
            yield from _document(nodes, path)
        for e in ctx.azure.extensions(nodes):
            settings = e.block.get("settings")
            found = kind_of_secret(text_of(settings))
            marked = holds_secret(settings)
            if found or marked:
                yield CODE.at(
                    f"{e.path}.settings",
                    f"the open settings hold {found or 'a value that is marked secret'}",
                    "move it into protectedSettings, or into Key Vault",
                    resource=e.source.name,
                    severity=None if found else Severity.WARNING,
                )


def _document(nodes: AzureNodes, path: tuple[str, ...]) -> Iterator[Diagnostic]:
    value = nodes.get(*path)
    found = kind_of_secret(script(value)) if isinstance(value, str) else ""
    marked = is_marked_secret(nodes, path)
    if found or marked:
        yield CODE.at(
            nodes.at(".".join(path)),
            f"the boot script holds {found}"
            if found
            else "the boot script is composed with a value that is marked secret",
            "keep it in Key Vault, and let the node's identity fetch it",
            resource=nodes.name,
            severity=None if found else Severity.WARNING,
        )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{virtualMachineProfile: {{osProfile: {{customData: {0}}}}}}}
"""
_EXTENSION = """\
- type: azure-native.compute.VirtualMachine
  name: box
  inputs: {vmName: box}
- type: azure-native.compute.VirtualMachineExtension
  name: setup
  inputs: {vmName: box, type: CustomScript, settings: {commandToExecute: "WANDB_API_KEY=0123456789abcdef0123 ./run.sh"}}
"""


def _script(line: str) -> str:
    return base64.b64encode(f"#!/bin/bash\n{line}\n".encode()).decode()


RULE = ResourceRule(
    CODE,
    ("security", "boot"),
    check,
    Examples(
        (_T.format(_script("export HF_TOKEN=$(az keyvault secret show --query value)")),),
        (_T.format(_script("export WANDB_API_KEY=0123456789abcdef0123")), _EXTENSION),
    ),
    providers=(Provider.AZURE,),
)
