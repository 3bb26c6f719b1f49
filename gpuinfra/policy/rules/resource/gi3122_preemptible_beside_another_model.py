"""A preemptible machine of another provisioning model than SPOT.

What: `preemptible` is true and `provisioningModel` is STANDARD, FLEX_START or RESERVATION_BOUND.
Why: The two say opposite things, and the API refuses the machine.
Fix: Write provisioningModel: SPOT, or leave preemptible out.
References: skypilot-org/skypilot#3235
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3122", "preemptible-beside-another-model", Severity.ERROR, __doc__, ("GCP-SCH-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine."""
    for m in ctx.gcp.vms:
        said = m.get("scheduling", "provisioningModel")
        preemptible = m.get("scheduling", "preemptible")
        if late(preemptible) and said is not None and said != "SPOT":
            yield Undecided(CODE.code, m.name, "whether the machine is preemptible is not known yet")
        if not truth(preemptible):
            continue
        if late(said):
            yield Undecided(CODE.code, m.name, "the provisioning model is not known yet")
        elif said is not None and said != "SPOT":
            yield CODE.at(m.path("scheduling.preemptible"), f"true beside provisioningModel {said}", resource=m.name)


_T = "- {{type: gcp.compute.Instance, name: box, inputs: {{scheduling: {{preemptible: true, provisioningModel: {0}}}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (
            _T.format("SPOT"),
            _T.format("null"),
        ),
        (_T.format("STANDARD"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
