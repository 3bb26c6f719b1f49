"""A GKE pool that does not use its Local SSDs.

What: A pool of a machine type with bundled Local SSDs uses another number of them, or says nothing of them.
Why: The SSDs are paid with the machine; what the pool does not claim lies idle, and pods fill the boot disk.
Fix: Set ephemeralStorageLocalSsdConfig or localNvmeSsdBlockConfig with localSsdCount of the type.
References: GoogleCloudPlatform/cluster-toolkit:modules/compute/gke-node-pool; Google Cloud docs, Local SSDs on GKE
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3168", "pool-ssds-not-the-types", Severity.WARNING, __doc__, ("GCP-GKE-07",))
_WAYS = ("ephemeralStorageLocalSsdConfig", "localNvmeSsdBlockConfig")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each pool."""
    for m in ctx.gcp.pools:
        bundled = m.layout.local_ssd_bundled if m.layout is not None else 0
        if not bundled:
            continue
        used = next((w for w in _WAYS if m.get(w) is not None), "")
        count = m.get(used, "localSsdCount") if used else None
        if late(count) or (used and late(m.get(used))):
            yield Undecided(CODE.code, m.name, "the Local SSDs are not known yet")
        elif number(count) != bundled:
            said = f"{number(count):g} Local SSDs are used" if number(count) is not None else "no Local SSD is used"
            yield CODE.at(
                m.path(f"{used or _WAYS[0]}.localSsdCount"),
                f"{said}, and {m.machine_type} has {bundled}",
                resource=m.name,
            )


_T = """\
- type: gcp.container.NodePool
  name: pool
  inputs: {{nodeConfig: {{machineType: a3-megagpu-8g, ephemeralStorageLocalSsdConfig: {{localSsdCount: {0}}}}}}}
"""


RULE = ResourceRule(
    CODE,
    ("kubernetes", "storage"),
    check,
    Examples(
        (_T.format(16),),
        (
            _T.format(8),
            _T.format("null"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
