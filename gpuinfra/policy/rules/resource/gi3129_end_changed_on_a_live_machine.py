"""A change that makes a running machine anew.

What: A look-up found the machine running with another run time, end, provisioning model or startup script than the program now gives it.
Severity: error where the machine is protected
Why: Such a change replaces the machine: its boot disk and Local SSD are lost, and a machine that is made before the old one is deleted needs the GPUs twice.
Fix: Make a new machine beside it and move the work; or leave the machine as it is and end it from outside or by a watchdog in the guest; keep data on a disk of its own.
References: hashicorp/terraform-provider-google#26148; hashicorp/terraform-provider-google#21944
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_endings import keeps_its_type
from ...gcp_graph import block
from ...gcp_types import INSTANCE
from ...last_inputs import late_inside
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import truth

CODE = described("GI3129", "end-changed-on-a-live-machine", Severity.WARNING, __doc__, ("GCP-SCH-12", "GCP-ACC-06"))
_REPLACED_BY = (
    ("scheduling", "maxRunDuration"),
    ("scheduling", "terminationTime"),
    ("scheduling", "provisioningModel"),
    ("scheduling", "preemptible"),
    ("metadataStartupScript",),
)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine whose last inputs the facts hold (by its URN, under `inputs`)."""
    for m in ctx.gcp.vms:
        before = ctx.facts.get(m.source.urn)
        if m.source.type != INSTANCE or not isinstance(before, Mapping):
            continue
        was = replace(m.source, inputs=block(cast(Mapping[str, Any], before).get("inputs")))
        changed: list[str] = []
        for path in (*_REPLACED_BY, *((("machineType",),) if keeps_its_type(m) else ())):
            now = m.source.get(*path)
            if now == was.get(*path):
                continue
            if late_inside(now):
                yield Undecided(CODE.code, m.name, f"whether {'.'.join(path)} changes is not known yet")
            else:
                changed.append(".".join(path))
        if changed:
            guarded = m.source.options.get("protect") is True or truth(m.get("deletionProtection"))
            lost = "the boot disk and its Local SSD are" if m.has_local_ssd else "the boot disk is"
            yield CODE.at(
                m.path(changed[0]),
                f"a change of {', '.join(changed)} replaces the running machine: {lost} lost, and {m.machine_type} is "
                f"needed twice for a while{'; the machine is protected, so that the change is refused' if guarded else ''}",
                resource=m.name,
                severity=Severity.ERROR if guarded else None,
            )


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: {1}, scheduling: {{maxRunDuration: {{seconds: {0}}}}}}}
"""
_URN = "urn:pulumi:dev::example::gcp:compute/instance:Instance::box"
_WAS = {"machineType": "a3-highgpu-8g", "scheduling": {"maxRunDuration": {"seconds": 86400}}}

RULE = ResourceRule(
    CODE,
    ("time", "drift"),
    check,
    Examples(
        (_T.format(86400, "a3-highgpu-8g"),),
        (_T.format(3600, "a3-highgpu-8g"), _T.format(86400, "a3-megagpu-8g")),
        (_T.replace("{{seconds: {0}}}", "!unknown ").format(0, "a3-highgpu-8g"),),
        facts={_URN: {"inputs": _WAS}},
    ),
    providers=(Provider.GCP,),
)
