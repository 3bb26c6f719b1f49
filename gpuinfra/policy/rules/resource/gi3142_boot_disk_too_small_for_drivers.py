"""A boot disk that GPU images fill.

What: The boot disk of a GPU machine is smaller than the accelerator images need.
Why: An image with driver and CUDA, and the first container, fill a small disk: the node starts and then fails in the middle of a pull.
Fix: Take at least the size that the accelerator images ask for.
References: GoogleCloudPlatform/cluster-toolkit; Google Cloud docs, AI Hypercomputer operating system images
"""

from __future__ import annotations

from collections.abc import Iterator

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_disks import boot_disk_size
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3142", "boot-disk-too-small-for-drivers", Severity.WARNING, __doc__, ("GCP-DSK-07",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine whose size is written out."""
    images = catalog.node_images(Provider.GCP)
    least = max((i.min_root_gib or 0 for i in images if i.driver_kind == "cuda"), default=0)
    for m in ctx.gcp.machines:
        path, size = boot_disk_size(m)
        if not path or not m.has_gpus:
            continue
        if late(size):
            yield Undecided(CODE.code, m.name, "the size of the boot disk is not known yet")
        elif (gb := number(size)) is not None and gb < least:
            yield CODE.at(m.path(path), f"{gb:g} GB; images with driver and CUDA ask for {least}", resource=m.name)


_T = """\
- type: gcp.container.NodePool
  name: pool
  inputs: {{nodeConfig: {{machineType: g2-standard-24, diskSizeGb: {0}}}}}
"""


RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (
            _T.format(200),
            _T.format("null"),
        ),
        (_T.format(20),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
