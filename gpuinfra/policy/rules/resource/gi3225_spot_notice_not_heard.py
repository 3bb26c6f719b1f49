"""Spot nodes on which nothing listens for the notice.

What: Spot nodes have a boot script, and nothing in it asks the metadata service for scheduled events.
Why: Azure takes the node back 30 seconds after the notice, and sends it only to a node that has begun to ask. What the job has not saved by then is lost.
Fix: Poll http://169.254.169.254/metadata/scheduledevents from boot on, on every node.
References: Azure docs, scheduled events for Linux; Azure docs, spot in scale sets
"""

from __future__ import annotations

import base64
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_boot import boot_text
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3225", "spot-notice-not-heard", Severity.WARNING, __doc__, ("AZ SPOT-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine with GPUs. Our own boot bundle is judged by the plan rules; without a
    boot script the image may hold the listener."""
    for nodes in ctx.azure.nodes:
        if nodes.spot is False or not nodes.has_gpu or ctx.azure.ours(nodes.resource):
            continue
        text = boot_text(ctx.azure, nodes)
        if text is None:
            yield Undecided(CODE.code, nodes.name, "the boot script is not known yet")
        elif text and "scheduledevents" not in text.lower() and nodes.spot is None:
            yield Undecided(CODE.code, nodes.name, "whether the nodes are spot is not known yet")
        elif text and "scheduledevents" not in text.lower():
            yield CODE.at(
                nodes.at("osProfile.customData"),
                "nothing that runs at boot listens for the notice that comes 30 seconds before the node is taken back",
                "poll the metadata service's scheduledevents from boot on",
                resource=nodes.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_NC24ads_A100_v4}}
    virtualMachineProfile: {{priority: Spot, evictionPolicy: Delete, osProfile: {{customData: {0}}}}}
"""


def _script(line: str) -> str:
    return base64.b64encode(f"#!/bin/bash\n{line}\n".encode()).decode()


RULE = ResourceRule(
    CODE,
    ("capacity", "boot"),
    check,
    Examples(
        (_T.format(_script("curl -H Metadata:true http://169.254.169.254/metadata/scheduledevents")),),
        (_T.format(_script("python train.py")),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
