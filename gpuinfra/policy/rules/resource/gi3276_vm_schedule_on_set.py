"""A machine's shutdown schedule on a scale set.

What: A DevTest Labs schedule aims at a scale set.
Why: It knows single machines only: it is refused, or never fires, and the nodes bill on.
Fix: Use an autoscale setting with a recurrence profile of 0/0/0 nodes.
References: hashicorp/terraform-provider-azurerm#2169; Azure DevTest Labs API, GlobalSchedule
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import SCALE_SET, VM_SCHEDULE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3276", "vm-schedule-on-set", Severity.ERROR, __doc__, ("AZ SHUT-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each schedule."""
    for s in ctx.azure.of_type(VM_SCHEDULE):
        value = s.get("targetResourceId")
        traced = ctx.azure.linked(s, "targetResourceId")
        on_set = any(r.type == SCALE_SET for r in traced.resources)
        named = isinstance(value, str) and "/virtualmachinescalesets/" in value.lower()
        if on_set or named:
            yield CODE.at(
                f"{s.name}.targetResourceId",
                "the schedule aims at a scale set, and knows single machines only",
                "use an autoscale setting with a recurrence profile of 0 nodes",
                resource=s.name,
            )
        elif late(value) and not traced.resources:
            yield Undecided(CODE.code, s.name, "what it aims at is not known yet")


_T = """\
- {{type: azure-native.compute.{0}, name: nodes, inputs: {{}}}}
- {{type: azure-native.devtestlab.GlobalSchedule, name: evening, inputs: {{targetResourceId: {1}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (_T.format("VirtualMachine", "!ref nodes.id "),),
        (
            _T.format("VirtualMachineScaleSet", "!ref nodes.id "),
            _T.format("VirtualMachine", "/subscriptions/s/providers/Microsoft.Compute/virtualMachineScaleSets/a"),
        ),
        (_T.format("VirtualMachine", "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
