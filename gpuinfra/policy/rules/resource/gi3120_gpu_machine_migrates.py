"""A GPU machine that is to migrate.

What: `scheduling.onHostMaintenance` of a machine with GPUs is not TERMINATE. Absent it is MIGRATE.
Why: A machine with GPUs cannot migrate live: the API answers 'Instances with guest accelerators do not support live migration'.
Fix: Set scheduling: {onHostMaintenance: TERMINATE}.
References: iterative/cml#1398
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_machines import Machines
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3120", "gpu-machine-migrates", Severity.ERROR, __doc__, ("GCP-SCH-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine. Spot machines are stopped at maintenance by themselves."""
    for m in ctx.gcp.vms:
        said = m.get("scheduling", "onHostMaintenance")
        if late(said):
            yield Undecided(CODE.code, m.name, "what happens at host maintenance is not known yet")
            continue
        # An image or a zone is known where the accelerators are not: what the machine has decides.
        if m.has_gpus is None and said is not None and said != "TERMINATE":
            yield Undecided(CODE.code, m.name, "whether the machine has GPUs is not known yet")
        if not m.has_gpus or said == "TERMINATE" or (said is None and (m.model in ("SPOT", None) or _sketched(m))):
            continue
        gpus = "GPUs of its own" if m.brings_gpus else "attached GPUs"
        yield CODE.at(
            m.path("scheduling.onHostMaintenance"),
            f"{said or 'absent, which means MIGRATE'}; {m.machine_type or 'the machine'} has {gpus} and cannot migrate: "
            "write TERMINATE",
            resource=m.name,
        )


def _sketched(m: Machines) -> bool:
    """Whether a description without a boot disk says nothing of its scheduling: then nothing is read into it."""
    return m.sketched and m.brings_gpus


_T = "- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: {0}, guestAccelerators: {1}, scheduling: {2}}}}}\n"
_T4 = "[{type: nvidia-tesla-t4, count: 1}]"


RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (
            _T.format("n1-standard-8", _T4, "{onHostMaintenance: TERMINATE}"),
            _T.format("n1-standard-8", "[]", "{onHostMaintenance: MIGRATE}"),
            _T.format("g2-standard-8", "[]", "{provisioningModel: SPOT}"),
        ),
        (
            _T.format("n1-standard-8", _T4, "{automaticRestart: true}"),
            _T.format("a2-highgpu-1g", "[]", "{onHostMaintenance: MIGRATE}"),
        ),
        (_T.format("n1-standard-8", _T4, "{onHostMaintenance: !unknown }"),),
    ),
    providers=(Provider.GCP,),
)
