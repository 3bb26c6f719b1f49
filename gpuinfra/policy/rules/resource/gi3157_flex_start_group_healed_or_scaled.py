"""Healing or scaling of machines that come by request.

What: A flex-start group has an autohealing policy or an autoscaler, or a group's machines delete themselves by their startup script.
Why: A group makes anew what goes away: healing and scaling ask for machines outside the queue, and a machine that deletes itself comes back.
Fix: Leave healing and scaling out of flex-start groups, and let an idle machine resize its group.
References: Google Cloud docs, Resize requests in a MIG; related-sciences/gce-github-runner#67
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import AUTOSCALERS, GROUPS
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3157", "flex-start-group-healed-or-scaled", Severity.WARNING, __doc__, ("GCP-MIG-03",))
_DELETES = re.compile(r"gcloud\s+compute\s+instances\s+delete")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group."""
    for m in ctx.gcp.vms:
        flex = m.model == "FLEX_START" or bool(m.requests)
        scripts = [m.get("metadata", "startup-script"), m.get("metadataStartupScript")]
        for group in m.groups:
            healed = group.get("autoHealingPolicies")
            if (flex and late(healed)) or (m.model is None and not flex and healed):
                yield Undecided(CODE.code, group.name, "the model or the autohealing policy is not known yet")
            elif flex and healed:
                yield CODE.at(
                    f"{group.name}.autoHealingPolicies",
                    "a flex-start group is healed outside the queue",
                    resource=group.name,
                )
            for scaler in ctx.gcp.of_type(*AUTOSCALERS) if flex else ():
                if group in ctx.gcp.linked(scaler, "target", *GROUPS).resources:
                    yield CODE.at(
                        f"{scaler.name}.target", f"flex-start group '{group.name}' is scaled outside the queue",
                        resource=scaler.name,
                    )  # fmt: skip
            if any(isinstance(s, str) and _DELETES.search(s) for s in scripts):
                yield CODE.at(
                    m.path("metadata.startup-script"),
                    f"a machine that deletes itself is made anew by group '{group.name}'",
                    "resize the group by one less, or delete the machine through the group (delete-instances)",
                    resource=m.name,
                )


_T = """\
- {{type: gcp.compute.InstanceTemplate, name: nodes, inputs: {{scheduling: {{provisioningModel: {1}}}}}}}
- type: gcp.compute.InstanceGroupManager
  name: group
  inputs: {{autoHealingPolicies: {0}, versions: [{{instanceTemplate: !ref nodes.id }}]}}
"""
_HEALED = "{healthCheck: check, initialDelaySec: 300}"


RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (
            _T.format("null", "FLEX_START"),
            _T.format(_HEALED, "SPOT"),
        ),
        (_T.format(_HEALED, "FLEX_START"),),
        (_T.format("!unknown ", "FLEX_START"),),
    ),
    providers=(Provider.GCP,),
)
