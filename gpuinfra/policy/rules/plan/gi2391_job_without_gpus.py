"""A job for GPUs on nodes that have none.

What: A pool of the job has no GPU, and the job is started by torchrun.
Why: N1 machines of Google have no GPU unless one is attached; any cloud's CPU type has none. The nodes start and bill, and the job computes on the CPU or ends at once.
Fix: Name a type with GPUs, or on N1 `accelerator: {model: T4, count: 1}`; or leave the pool out of `job.pools`.
References: hashicorp/terraform-provider-google#8765
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Launcher
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2391", "job-without-gpus", Severity.WARNING, __doc__, ("GCP-ACC-02",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool of the job."""
    job = ctx.plan.spec.job
    if job is None or job.launcher is not Launcher.TORCHRUN:
        return
    for pool in ctx.plan.pools:
        if (job.pools and pool.name not in job.pools) or pool.instance.has_gpu or pool in ctx.plan.gpu_pools:
            continue
        yield CODE.at(
            f"{pool.path}.accelerator",
            f"torchrun starts one process for each GPU, and {pool.instance.name} of pool '{pool.name}' has none",
            "name a type with GPUs, or attach one where the type takes it",
        )


_T = "{{node_pools: [{{name: gpu, instance_type: {0}}}], job: {{command: [python, train.py], launcher: torchrun}}}}"

RULE = PlanRule(
    CODE,
    ("job", "accelerator"),
    check,
    Examples(
        (_T.format("p5.48xlarge"),),
        (
            "{location: {provider: gcp, project: acme-lab, region: us-central1, zone: us-central1-a}, "
            "node_pools: [{name: gpu, instance_type: n1-standard-8}], storage: [], "
            "job: {command: [python, train.py], launcher: torchrun}}",
        ),
    ),
)
