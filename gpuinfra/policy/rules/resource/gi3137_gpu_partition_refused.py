"""A GPU partition that the machine does not have.

What: `gpuPartitionSize` of a GKE pool is set for a GPU without MIG, or is no profile of the GPU.
Why: The nodes start and their GPUs stay whole, or the pool is refused.
Fix: Leave it out, or name a profile of the GPU, as 1g.10gb.
References: Google Cloud docs, Multi-instance GPUs on GKE
"""

from __future__ import annotations

from collections.abc import Iterator

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, plain

CODE = described("GI3137", "gpu-partition-refused", Severity.ERROR, __doc__, ("GCP-ACC-07",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each entry."""
    for m in ctx.gcp.pools:
        for n, one in enumerate(entries(m.get("guestAccelerators"))):
            size = plain(one.get("gpuPartitionSize"))
            if late(size):
                yield Undecided(CODE.code, m.name, "the partition size is not known yet")
            elif isinstance(size, str) and size and m.facts is not None and m.brings_gpus:
                fault = _fault(m.facts, size)
                if fault:
                    yield CODE.at(m.path(f"guestAccelerators[{n}].gpuPartitionSize"), fault, resource=m.name)


def _fault(facts: catalog.InstanceType, size: str) -> str:
    gpu = catalog.accelerator(facts.gpu_model)
    if not isinstance(gpu, catalog.Accelerator):
        return ""
    if facts.mig_supported is False or not gpu.mig_max_instances:
        return f"'{size}', and the {facts.gpu_model} of {facts.name} takes no partitions"
    if gpu.mig_profiles and size not in gpu.mig_profiles:
        return f"'{size}' is no partition of {facts.gpu_model}; there are {', '.join(gpu.mig_profiles)}"
    return ""


_T = """\
- type: gcp.container.NodePool
  name: pool
  inputs: {{nodeConfig: {{machineType: {0}, guestAccelerators: [{{type: x, count: 1, gpuPartitionSize: {1}}}]}}}}
"""


RULE = ResourceRule(
    CODE,
    ("accelerator",),
    check,
    Examples(
        (
            _T.format("a2-highgpu-1g", "1g.5gb"),
            _T.format("g2-standard-4", "null"),
        ),
        (
            _T.format("g2-standard-4", "1g.5gb"),
            _T.format("a2-highgpu-1g", "1g.99gb"),
        ),
        (_T.format("a2-highgpu-1g", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
