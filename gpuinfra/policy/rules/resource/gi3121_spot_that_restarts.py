"""A spot machine that is to restart by itself.

What: A machine of provisioning model SPOT has automaticRestart true, or absent, which means true; or `preemptible` is not true.
Severity: warning where preemptible is absent only
Why: The API answers 'Scheduling must have preemptible be false when AutomaticRestart is true'. The provider's documentation asks for preemptible beside SPOT.
Fix: Write scheduling: {provisioningModel: SPOT, preemptible: true, automaticRestart: false}.
References: percona/mongo_terraform_ansible#34; elasticluster/elasticluster#569
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3121", "spot-that-restarts", Severity.ERROR, __doc__, ("GCP-SCH-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine."""
    for m in ctx.gcp.vms:
        restart, preemptible = m.get("scheduling", "automaticRestart"), m.get("scheduling", "preemptible")
        wrong = truth(restart) is not False or truth(preemptible) is not True
        if m.model is None and wrong:
            yield Undecided(CODE.code, m.name, "whether the machine is spot is not known yet")
        if m.model != "SPOT":
            continue
        if late(restart) or late(preemptible):
            yield Undecided(CODE.code, m.name, "automaticRestart or preemptible is not known yet")
        elif truth(restart) is not False:
            yield CODE.at(
                m.path("scheduling.automaticRestart"),
                f"{'true' if restart is not None else 'absent, which means true'} on a spot machine, which is refused",
                resource=m.name,
            )
        elif truth(preemptible) is False:
            yield CODE.at(
                m.path("scheduling.preemptible"),
                "false beside provisioningModel SPOT, which is refused",
                resource=m.name,
            )
        elif preemptible is None:
            yield CODE.at(
                m.path("scheduling.preemptible"),
                "absent beside provisioningModel SPOT: the API may infer it, and the provider asks for true",
                resource=m.name,
                severity=Severity.WARNING,
            )


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{scheduling: {{provisioningModel: SPOT, preemptible: {0}, automaticRestart: {1}}}}}
"""


RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("true", "false"),),
        (
            _T.format("true", "true"),
            _T.format("true", "null"),
            _T.format("null", "false"),
        ),
        (_T.format("true", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
