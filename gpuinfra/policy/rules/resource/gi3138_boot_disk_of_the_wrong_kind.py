"""A boot disk of a type that the machine cannot boot from.

What: The type of the boot disk is none that the machine type boots from. Absent it is pd-standard on an instance or template.
Why: G4, A3 Ultra, A4 and A4X boot from hyperdisk-balanced only; N1, A2 and G2 never from a hyperdisk, and G2 not from pd-standard or pd-extreme. The API answers that the disk type cannot be used by the machine type.
Fix: Name a type that the machine boots from.
References: skypilot-org/skypilot#5351; skypilot-org/skypilot#3933; Snapchat/GiGL#393; dstackai/dstack#3142
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_disks import boot_disk_type
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described(
    "GI3138",
    "boot-disk-of-the-wrong-kind",
    Severity.ERROR,
    __doc__,
    ("GCP-DSK-01", "GCP-DSK-02", "GCP-DSK-03"),
)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine. On GKE an absent type is left to GKE."""
    for m in ctx.gcp.machines:
        parts, path, kind = m.parts, *boot_disk_type(m)
        if parts is None or not parts.boot_types or not path:
            continue
        if late(kind):
            yield Undecided(CODE.code, m.name, "the type of the boot disk is not known yet")
        elif kind not in parts.boot_types:
            written = m.is_pool or m.get(*_steps(path)) is not None
            yield CODE.at(
                m.path(path),
                f"{m.machine_type} does not boot from {kind}{'' if written else ' (the default)'}; it boots from "
                f"{', '.join(parts.boot_types)}",
                resource=m.name,
            )


def _steps(path: str) -> list[str | int]:
    """The way to a value: disks, 0 and diskType for disks[0].diskType."""
    return [int(word) if word.isdigit() else word for word in re.findall(r"\w+", path)]


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: {0}, bootDisk: {{initializeParams: {{image: debian-12, type: {1}}}}}}}
"""


RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (
            _T.format("a4-highgpu-8g", "hyperdisk-balanced"),
            _T.format("g2-standard-4", "pd-balanced"),
        ),
        (
            _T.format("a4-highgpu-8g", "pd-ssd"),
            _T.format("g2-standard-4", "pd-extreme"),
            _T.format("a2-highgpu-1g", "hyperdisk-balanced"),
            _T.format("g4-standard-48", "null"),
        ),
        (_T.format("a4-highgpu-8g", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
