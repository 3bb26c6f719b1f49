"""A machine with more than one resource policy.

What: A machine, or its template, names two resource policies, such as a schedule and a compact placement.
Why: Compute Engine takes one for a machine: the request is refused.
Fix: Keep the placement policy, and let maxRunDuration, or a job that resizes the group, end the machines.
References: Google Cloud docs, instances.insert, resourcePolicies; Google Cloud docs, limitations of instance schedules
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late

CODE = described("GI3181", "two-policies-on-one-machine", Severity.ERROR, __doc__, ("GCP-PLC-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine."""
    for m in ctx.gcp.vms:
        value = m.get("resourcePolicies")
        named = items(value)
        if late(value) and len(ctx.gcp.policies(m)) != 1:
            yield Undecided(CODE.code, m.name, "the resource policies are not known yet")
        elif len(named) > 1:
            yield CODE.at(
                m.path("resourcePolicies"), f"{len(named)} resource policies, and a machine takes one", resource=m.name
            )


_T = "- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: a2-highgpu-8g, resourcePolicies: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("placement", "time"),
    check,
    Examples(
        (_T.format("projects/p/regions/r/resourcePolicies/close"), _T.format("[close]"), _T.format("null")),
        (_T.format("[close, nightly]"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
