"""GPU machines that nobody can be charged for.

What: A GPU instance or template, or the cluster of a GPU pool, has no labels.
Why: Cost reports and a budget's filter sort by label: without one nobody knows whose machines run, or what they cost.
Fix: Set labels, as labels: {team: …, cluster: …}; on GKE the cluster's resourceLabels.
References: Google Cloud docs, Labels overview; Google Cloud docs, GKE cost allocation
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3117", "gpu-machines-without-labels", Severity.WARNING, __doc__, ("GCP-LBL-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine and cluster. Labels that the provider gives to everything count."""
    if any(p.get("defaultLabels") is not None for p in ctx.gcp.of_type("pulumi:providers:gcp")):
        return
    said: set[str] = set()
    for m in ctx.gcp.machines:
        if not m.has_gpus or m.sketched:
            continue
        owner = ctx.gcp.cluster_of(m.source) if m.is_pool else m.source
        if owner is None or owner.urn in said:
            continue
        # A pool may label its machines itself, whatever its cluster is labelled with.
        if m.is_pool and m.get("resourceLabels"):
            continue
        if m.is_pool and late(m.get("resourceLabels")):
            yield Undecided(CODE.code, m.name, "the labels are not known yet")
            continue
        said.add(owner.urn)
        key = "resourceLabels" if m.is_pool else "labels"
        labels = owner.get(key)
        if late(labels):
            yield Undecided(CODE.code, owner.name, "the labels are not known yet")
        elif not labels:
            yield CODE.at(
                f"{owner.name}.{key}", f"no labels on {m.machine_type or 'machines with GPUs'}", resource=owner.name
            )


_T = (
    "- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: g2-standard-8, bootDisk: {{}}, labels: {0}}}}}\n"
)


RULE = ResourceRule(
    CODE,
    ("labels", "cost"),
    check,
    Examples((_T.format("{team: nlp}"),), (_T.format("null"),), (_T.format("!unknown "),)),
    providers=(Provider.GCP,),
)
