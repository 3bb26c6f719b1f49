"""A budget action that stops nothing.

What: A budget action runs STOP_EC2_INSTANCES without instance ids, or beside nodes that a group manages.
Why: The action takes explicit ids only. A group's nodes change, and the group replaces what is stopped.
Fix: Use APPLY_IAM_POLICY against new launches, and a notification that sets the groups to zero.
References: hashicorp/terraform-provider-aws#45115
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import BUDGET_ACTION, INSTANCE, NODE_GROUP, SCALING_GROUP
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late

CODE = described("GI3046", "budget-action-stops-nothing", Severity.ERROR, __doc__, ("AWS COST-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each action. An action that names instances of the program's own is right."""
    grouped = ctx.aws.has(SCALING_GROUP, NODE_GROUP) and not ctx.aws.has(INSTANCE)
    for action in ctx.aws.of_type(BUDGET_ACTION):
        kind = action.get("actionType")
        if late(kind):
            yield Undecided(CODE.code, action.name, "the kind of action is not known yet")
        if kind != "RUN_SSM_DOCUMENTS":
            continue
        for block in entries(action.get("definition", "ssmActionDefinition")) or entries(
            action.get("definition", "ssmActionDefinition", 0)
        ):
            ids = block.get("instanceIds")
            if late(ids):
                yield Undecided(CODE.code, action.name, "the instance ids are not known yet")
            elif late(block.get("actionSubType")) and (grouped or not items(ids)):
                yield Undecided(CODE.code, action.name, "what the action does is not known yet")
            elif block.get("actionSubType") == "STOP_EC2_INSTANCES" and (grouped or not items(ids)):
                why = "names no instance" if not items(ids) else "names instances that a group replaces"
                yield CODE.at(
                    f"{action.name}.definition.ssmActionDefinition.instanceIds",
                    f"STOP_EC2_INSTANCES {why}, so nothing stops at the limit",
                    resource=action.name,
                )


_T = """\
- type: aws.budgets.BudgetAction
  name: stop
  inputs:
    actionType: RUN_SSM_DOCUMENTS
    definition: {{ssmActionDefinition: {{actionSubType: STOP_EC2_INSTANCES, instanceIds: {0}}}}}
"""
_ONE = "- {type: aws.ec2.Instance, name: box, inputs: {instanceType: p5.4xlarge}}\n"

RULE = ResourceRule(
    CODE,
    ("cost",),
    check,
    Examples((_ONE + _T.format("[!ref box.id ]"),), (_T.format("[]"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
