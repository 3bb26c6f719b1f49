"""A placement group that the user named, and that is not the one in use.

What: The spec names an existing placement group, and the template of its pool uses another, or none.
Why: The user's group is where the reserved or neighbouring machines stand; another group parts the nodes from them.
Fix: Use the name from the spec, and make no group of your own.
References: terraform-aws-modules/terraform-aws-eks PR #3670
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LAUNCH_TEMPLATE, PLACEMENT_GROUP
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3020", "users-placement-group-replaced", Severity.ERROR, __doc__, ("AWS PLC-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template of a pool whose spec names a group. Without a plan there is nothing to compare."""
    for pool in ctx.plan.pools if ctx.plan is not None else ():
        if pool.placement.mode != "existing":
            continue
        for template in ctx.aws.of_type(LAUNCH_TEMPLATE):
            if not (template.name == pool.resource_name or template.name.startswith(f"{pool.resource_name}-")):
                continue
            used = template.get("placement", "groupName")
            made_here = ctx.aws.link(template, "placement", used, PLACEMENT_GROUP).resources
            if late(used) and not made_here:
                yield Undecided(CODE.code, template.name, "the placement group is not known yet")
            elif used != pool.placement.name:
                shown = f"'{made_here[0].name}', made here" if made_here else repr(used) if used else "none"
                yield CODE.at(
                    f"{template.name}.placement.groupName",
                    f"the spec names placement group '{pool.placement.name}', and the template uses {shown}",
                    resource=template.name,
                )


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: acme-gpu-pool-template, inputs: {{placement: {{groupName: {0}}}}}}}
"""
_SPEC = """\
location: {provider: aws, region: us-east-1, zone: use1-az6}
node_pools: [{instance_type: p4d.24xlarge, count: 4, proximity: acme-pg}]
"""

RULE = ResourceRule(
    CODE,
    ("placement",),
    check,
    Examples((_T.format("acme-pg"),), (_T.format("other"), _T.format("null")), (_T.format("!unknown "),), spec=_SPEC),
    providers=(Provider.AWS,),
)
