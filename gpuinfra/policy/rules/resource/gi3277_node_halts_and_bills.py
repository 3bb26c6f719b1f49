"""Nodes that halt themselves and go on billing.

What: The boot script of GPU nodes shuts the system down, and nothing in it deallocates or deletes the machine.
Why: A machine that is shut down from inside stays allocated: it is stopped, and billed as if it ran.
Fix: Let the node's identity delete its own instance from the set, or deallocate the machine where its disk is managed.
References: Azure/azure-cli#8097; dask/dask-cloudprovider#202
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_boot import boot_text
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3277", "node-halts-and-bills", Severity.ERROR, __doc__, ("AZ SHUT-05",))
_HALT = re.compile(
    r"(?m)(?:^|[;&|\"'=]|ExecStart=|sudo|-)\s*(?:/usr)?(?:/s?bin/)?(?:shutdown\s+(?:-[hP]|now|\+\d)|poweroff\b|systemctl\s+poweroff)"
)
_LEAVE = re.compile(r"deallocate|az\s+vm(?:ss)?\s+(?:delete|scale)|management\.azure\.com", re.IGNORECASE)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine; our own boot bundle has tests of its own."""
    for nodes in ctx.azure.nodes:
        if not nodes.has_gpu or ctx.azure.ours(nodes.resource):
            continue
        text = boot_text(ctx.azure, nodes)
        if text is None:
            yield Undecided(CODE.code, nodes.name, "the boot script is not known yet")
        elif _HALT.search(text) and not _LEAVE.search(text):
            yield CODE.at(
                nodes.at("osProfile.customData"),
                "the node shuts itself down, and a machine that is stopped from inside is billed as if it ran",
                "delete the instance from the set, or deallocate the machine",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_NC24ads_A100_v4}}
    virtualMachineProfile: {{osProfile: {{customData: {0}}}}}
"""


def _script(line: str) -> str:
    return base64.b64encode(f"#!/bin/bash\n{line}\n".encode()).decode()


RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (_T.format(_script("sleep 1800; az vmss delete-instances --instance-ids 1")),),
        (_T.format(_script("sleep 1800\nshutdown -h now")), _T.format(_script("sleep 1800; systemctl poweroff"))),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
