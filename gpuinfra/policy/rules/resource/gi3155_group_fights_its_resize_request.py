"""A flex-start group that asks for machines beside its request.

What: The group of a resize request, or of a FLEX_START template, has a size of its own, waits for it, repairs failed machines, or updates by itself.
Why: The request makes the machines, when there is capacity. A size of the group's own asks at once and without a queue: `up` hangs, hides the stockout, and each later `up` undoes what the request made.
Fix: Set targetSize: 0 with ignoreChanges: [targetSize], waitForInstances: false, instanceLifecyclePolicy: {defaultActionOnFailure: DO_NOTHING} and updatePolicy of type OPPORTUNISTIC.
References: GoogleCloudPlatform/llm-pipeline-examples#87; skypilot-org/skypilot#9726
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_endings import ignores
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3155", "group-fights-its-resize-request", Severity.ERROR, __doc__, ("GCP-MIG-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group, with all that is wrong."""
    for m in ctx.gcp.vms:
        if m.model is None and not m.requests and m.groups:
            yield Undecided(CODE.code, m.name, "whether the machines are flex-start is not known yet")
        if m.model != "FLEX_START" and not m.requests:
            continue
        for group in m.groups:
            size, wait = group.get("targetSize"), group.get("waitForInstances")
            action = group.get("instanceLifecyclePolicy", "defaultActionOnFailure")
            if any(map(late, (size, wait, action))):
                yield Undecided(CODE.code, group.name, "the group is not known yet")
                continue
            faults = list(_faults(group, size, wait, action))
            if faults:
                yield CODE.at(
                    f"{group.name}.targetSize", f"a flex-start group: {'; '.join(faults)}", resource=group.name
                )


def _faults(group: Resource, size: Any, wait: Any, action: Any) -> Iterator[str]:
    if number(size):
        yield f"targetSize is {number(size):g}, and must be 0"
    if size is not None and not ignores(group, "targetSize"):
        yield "ignoreChanges must name targetSize"
    if truth(wait):
        yield "waitForInstances must be false"
    if action != "DO_NOTHING":
        yield f"defaultActionOnFailure is {action or 'absent, which means REPAIR'}, and must be DO_NOTHING"
    if group.get("updatePolicy", "type") == "PROACTIVE":
        yield "updatePolicy.type is PROACTIVE, and must be OPPORTUNISTIC"


_T = """\
- {{type: gcp.compute.InstanceTemplate, name: nodes, inputs: {{scheduling: {{provisioningModel: FLEX_START}}}}}}
- type: gcp.compute.InstanceGroupManager
  name: group
  inputs:
    targetSize: {0}
    versions: [{{instanceTemplate: !ref nodes.id }}]
    instanceLifecyclePolicy: {{defaultActionOnFailure: DO_NOTHING}}
  options: {1}
"""
_KEEP = "{ignoreChanges: [targetSize]}"


RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (
            _T.format(0, _KEEP),
            _T.format("null", "{}"),
        ),
        (
            _T.format(4, _KEEP),
            _T.format(0, "{}"),
        ),
        (_T.format("!unknown ", _KEEP),),
    ),
    providers=(Provider.GCP,),
)
