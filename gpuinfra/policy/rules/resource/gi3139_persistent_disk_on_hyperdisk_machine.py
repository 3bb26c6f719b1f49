"""A persistent disk attached to a machine that takes hyperdisks only.

What: A data disk of a `pd-` type is attached to a G4, A3 Ultra, A4 or A4X machine.
Why: These machines take no persistent disk at all: the attachment is refused, and on GKE a volume of the default class never mounts.
Fix: Make the disk a hyperdisk.
References: NVIDIA/aicr#2338; Snapchat/GiGL#393
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_disks import data_disks
from ...gcp_types import last_part
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3139", "persistent-disk-on-hyperdisk-machine", Severity.ERROR, __doc__, ("GCP-DSK-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each disk."""
    for m in ctx.gcp.vms:
        if m.parts is None or m.parts.persistent_disks:
            continue
        for where, kind in data_disks(ctx.gcp, m):
            if late(kind):
                yield Undecided(CODE.code, m.name, "the type of a disk is not known yet")
            elif isinstance(kind, str) and last_part(kind).startswith("pd-"):
                yield CODE.at(
                    where, f"{last_part(kind)} on {m.machine_type}, which takes hyperdisks only", resource=m.name
                )


_T = """\
- {{type: gcp.compute.Disk, name: data, inputs: {{type: {0}}}}}
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: g4-standard-48, attachedDisks: [{{source: !ref data.id }}]}}
"""


RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format("hyperdisk-balanced"),), (_T.format("pd-ssd"),), (_T.format("!unknown "),)),
    providers=(Provider.GCP,),
)
