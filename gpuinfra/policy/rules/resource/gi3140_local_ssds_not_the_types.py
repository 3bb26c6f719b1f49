"""A number of Local SSDs that the machine type does not take.

What: The scratch disks of a machine are more, or others, than its type may have; or they are written out although the type brings them.
Severity: info where the type brings as many
Why: Optional SSDs come in fixed numbers by machine type, and bundled ones need no entry; other numbers are refused.
Fix: Take a number that is listed, and leave bundled ones out.
References: Google Cloud docs, Local SSD, choosing a valid number of disks
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_machines import Machines
from ...gcp_types import INSTANCE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3140", "local-ssds-not-the-types", Severity.ERROR, __doc__, ("GCP-DSK-05",))
_SSD_GB = 375


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine."""
    for m in ctx.gcp.vms:
        if m.layout is None or m.parts is None:
            continue
        asked = m.scratch_disks
        key = "scratchDisks" if m.source.type == INSTANCE else "disks"
        if asked is None:
            yield Undecided(CODE.code, m.name, "the Local SSDs are not known yet")
            continue
        bundled = m.layout.local_ssd_bundled
        if bundled and asked:
            same = asked == bundled
            yield CODE.at(
                m.path(key),
                f"{asked} scratch disks, and {m.machine_type} brings {bundled} itself: leave them out",
                resource=m.name,
                severity=Severity.INFO if same else None,
            )
        elif not bundled and (fault := _fault(m, asked)):
            yield CODE.at(m.path(key), fault, resource=m.name)


def _fault(m: Machines, asked: int) -> str:
    counts = m.parts.local_ssd_counts if m.parts is not None else ()
    if counts and asked not in counts:
        return f"{asked} Local SSDs, and {m.machine_type} takes {', '.join(map(str, counts))}"
    most = m.facts.local_nvme_gb if m.facts is not None and m.facts.local_nvme_optional else None
    if not counts and most is not None and asked * _SSD_GB > most:
        return f"{asked} Local SSDs, and {m.machine_type} takes {most / _SSD_GB:g} at most"
    return ""


_T = "- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: {0}, scratchDisks: {1}}}}}\n"
_ONE = "{interface: NVME}"


RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (
            _T.format("g2-standard-24", f"[{_ONE}, {_ONE}]"),
            _T.format("a3-highgpu-8g", "[]"),
        ),
        (
            _T.format("g2-standard-96", "[" + ", ".join([_ONE] * 9) + "]"),
            _T.format("a2-ultragpu-2g", f"[{_ONE}]"),
        ),
        (_T.format("g2-standard-24", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
