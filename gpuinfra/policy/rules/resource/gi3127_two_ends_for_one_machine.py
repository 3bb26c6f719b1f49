"""A machine with a run time and a moment of its end.

What: `scheduling` has maxRunDuration and terminationTime.
Why: The two exclude each other, and the API refuses the machine.
Fix: Keep one of them.
References: Google Cloud docs, Limit the run time of a VM
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3127", "two-ends-for-one-machine", Severity.ERROR, __doc__, ("GCP-SCH-10",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine."""
    for m in ctx.gcp.vms:
        duration, moment = m.get("scheduling", "maxRunDuration"), m.get("scheduling", "terminationTime")
        if duration is None or moment is None:
            continue
        if late(duration) or late(moment):
            yield Undecided(CODE.code, m.name, "maxRunDuration or terminationTime is not known yet")
        else:
            yield CODE.at(m.path("scheduling.terminationTime"), "it stands beside maxRunDuration", resource=m.name)


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{scheduling: {{maxRunDuration: {{seconds: 3600}}, terminationTime: {0}}}}}
"""


RULE = ResourceRule(
    CODE,
    ("time",),
    check,
    Examples((_T.format("null"),), (_T.format("2026-12-05T18:00:00Z"),), (_T.format("!unknown "),)),
    providers=(Provider.GCP,),
)
