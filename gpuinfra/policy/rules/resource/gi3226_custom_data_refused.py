"""A boot script that Azure refuses.

What: Custom data or user data are not base64, or hold more than 65535 bytes before the encoding.
Why: The API does not encode for you; raw text and longer documents are refused, or arrive as nonsense.
Fix: Encode it, gzip it when it is long, or keep the script in object storage and fetch it at boot.
References: Azure docs, custom data and cloud-init on Azure virtual machines
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import limit
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_user_data import is_late, raw_bytes
from ...azure_boot import boot_fields
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3226", "custom-data-refused", Severity.ERROR, __doc__, ())


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each document."""
    row = limit(Provider.AZURE, "user_data_bytes")
    for nodes in ctx.azure.nodes:
        for place, value in boot_fields(nodes):
            if is_late(value):
                yield Undecided(CODE.code, nodes.name, "the boot script is not known yet")
                continue
            raw = raw_bytes(str(value))
            if raw is None:
                yield CODE.at(nodes.at(place), "the boot script is not base64", "encode it", resource=nodes.name)
            elif row is not None and len(raw) > row.maximum:
                yield CODE.at(
                    nodes.at(place),
                    f"{len(raw)} bytes, and Azure takes {row.maximum}",
                    "gzip it, or fetch it at boot",
                    resource=nodes.name,
                )


_T = "- {{type: azure-native.compute.VirtualMachine, name: box, inputs: {{osProfile: {{customData: {0}}}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("boot",),
    check,
    Examples((_T.format("IyEvYmluL2Jhc2gK"),), (_T.format('"#!/bin/bash"'),), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
