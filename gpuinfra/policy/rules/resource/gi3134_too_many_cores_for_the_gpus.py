"""A machine that its attached GPUs do not allow.

What: The vCPUs of an N1 machine exceed what so many GPUs of the kind allow, the number of GPUs is not one that is sold, or GPUs are attached to another family.
Why: Google bounds an N1 machine by the kind and number of its GPUs, and attaches GPUs to N1 only; the rest is refused.
Fix: Take a smaller machine, or more GPUs.
References: Google Cloud docs, GPU machine types, N1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_disks import cores_of
from ...gcp_machines import Machines
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3134", "too-many-cores-for-the-gpus", Severity.ERROR, __doc__, ("GCP-ACC-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine with attached GPUs."""
    for m in ctx.gcp.machines:
        if m.brings_gpus or not m.machine_type:
            continue
        if m.attached is None:
            yield Undecided(CODE.code, m.name, "the accelerators are not known yet")
            continue
        for kind, count in m.attached:
            rows = [a for a in catalog.attached_accelerators() if a.accelerator_type == kind.removesuffix("-vws")]
            fault = _fault(ctx, m, kind, count, {a.gpu_count: a for a in rows}) if rows and count is not None else ""
            if fault:
                yield CODE.at(m.path("machineType"), fault, resource=m.name)


def _fault(
    ctx: GraphContext, m: Machines, kind: str, count: float, rows: Mapping[int, catalog.AttachedAccelerator]
) -> str:
    facts = m.facts
    if facts is not None and facts.family not in ("n1", ""):
        return f"{kind} is attached to {m.machine_type}; GPUs are attached to N1 machines"
    row = rows.get(int(count))
    if row is None:
        return f"{count:g} x {kind} is not offered; there are {', '.join(map(str, sorted(rows)))}"
    most, _ = row.limits_in(*ctx.gcp.zones(m)[0])
    cores = cores_of(m)
    return f"{m.machine_type} has {cores} vCPUs, and {count:g} x {kind} allow {most}" if cores and cores > most else ""


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: {0}, guestAccelerators: [{{type: nvidia-tesla-t4, count: {1}}}]}}
"""


RULE = ResourceRule(
    CODE,
    ("accelerator",),
    check,
    Examples(
        (
            _T.format("n1-standard-32", 1),
            _T.format("n1-standard-64", 4),
        ),
        (
            _T.format("n1-standard-64", 1),
            _T.format("n1-standard-8", 3),
            _T.format("n2-standard-8", 1),
            _T.format("n1-custom-64-65536", 1),
        ),
        (_T.format("n1-standard-64", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
