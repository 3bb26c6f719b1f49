"""Nodes that stop, with data on the disks that a stop wipes.

What: A shutdown or an interruption stops the nodes (it is written so), and their boot script uses the local NVMe disks.
Why: Instance store does not outlive a stop or a hibernation: what the job wrote there is gone when the node starts again, while its other disks go on billing.
Fix: Copy results to S3 or a file system before a stop; or let the node terminate, and keep nothing on it.
References: EC2 User Guide, instance store data persistence
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_user_data import boot_script
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3316", "local-disks-wiped-by-a-stop", Severity.WARNING, __doc__, ("AWS CMP-13",))
_SPOT = ("instanceMarketOptions", "spotOptions", "instanceInterruptionBehavior")
_STOPS = (("instanceInitiatedShutdownBehavior",), _SPOT)
_USES = re.compile(r"(?m)^[^#\n]*(?:/opt/dlami/nvme|nvme\d|nvme\*|instance[ -]storage)", re.IGNORECASE)
_COPIES = re.compile(r"\b(?:aws s3 (?:sync|cp|mv)|s5cmd|rclone|rsync|mountpoint-s3|mount-s3)\b")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or instance. A script that copies out is taken to copy enough."""
    for nodes, facts in ctx.aws.gpu_nodes:
        path = next((p for p in _STOPS if nodes.template.get(*p) in ("stop", "hibernate")), None)
        if path == _SPOT and nodes.template.get(*_SPOT[:2], "spotInstanceType") != "persistent":
            # Such a request is refused: another rule's.
            continue
        open_ = path is None and any(late(nodes.template.get(*p)) for p in _STOPS)
        if (path is None and not open_) or not facts.local_nvme_gb:
            continue
        text, unknown = boot_script(nodes.template)
        if path is None:
            if unknown or (_USES.search(text) and not _COPIES.search(text)):
                yield Undecided(CODE.code, nodes.name, "whether its nodes are stopped is not known yet")
        elif unknown:
            yield Undecided(CODE.code, nodes.name, "whether the boot script uses the local disks is not known yet")
        elif _USES.search(text) and not _COPIES.search(text):
            yield CODE.at(
                f"{nodes.name}.{'.'.join(path)}",
                f"'{nodes.template.get(*path)}', and the script keeps data on the local disks of {facts.name}, which a "
                "stop wipes",
                resource=nodes.name,
            )


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: p5.48xlarge, instanceInitiatedShutdownBehavior: {0}, userData: {1}}}
"""
_KEEPS, _COPIED = '"#!/bin/bash\\nln -s /opt/dlami/nvme /scratch"', '"#!/bin/bash\\naws s3 sync /opt/dlami/nvme s3://b"'

RULE = ResourceRule(
    CODE,
    ("storage", "job"),
    check,
    Examples(
        (_T.format("terminate", _KEEPS), _T.format("stop", _COPIED), _T.format("stop", '"#!/bin/bash\\ntrue"')),
        (_T.format("stop", _KEEPS),),
        (_T.format("stop", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
