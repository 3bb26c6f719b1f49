"""An `up` that waits for scarce machines.

What: A group of GPU machines with a size above zero has waitForInstances true.
Why: GPU capacity often takes longer than a deployment waits: `up` stands for half an hour, and the stockout that explains it is not shown.
Fix: Set waitForInstances: false, and look at the group's errors.
References: GoogleCloudPlatform/llm-pipeline-examples#87
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3160", "up-waits-for-gpus", Severity.WARNING, __doc__, ())


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group. Flex-start groups are another rule's."""
    for m in ctx.gcp.vms:
        if not m.has_gpus or m.purchase is CapacityType.FLEX_START:
            continue
        for group in m.groups:
            said = group.get("waitForInstances")
            if late(said) or (truth(said) and late(group.get("targetSize"))):
                yield Undecided(CODE.code, group.name, "whether `up` waits, and for how many, is not known yet")
            elif truth(said) and number(group.get("targetSize")):
                yield CODE.at(
                    f"{group.name}.waitForInstances",
                    f"`up` waits for {number(group.get('targetSize')):g} machines of {m.machine_type}",
                    resource=group.name,
                )


_T = """\
- {{type: gcp.compute.InstanceTemplate, name: nodes, inputs: {{machineType: a2-highgpu-8g}}}}
- type: gcp.compute.InstanceGroupManager
  name: group
  inputs: {{targetSize: 4, waitForInstances: {0}, versions: [{{instanceTemplate: !ref nodes.id }}]}}
"""


RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (
            _T.format("false"),
            _T.format("null"),
        ),
        (_T.format("true"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
