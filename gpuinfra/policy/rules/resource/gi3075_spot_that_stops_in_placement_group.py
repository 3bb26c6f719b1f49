"""Spot nodes that stop or hibernate in a placement group.

What: A template asks for spot with the interruption behaviour `stop` or `hibernate`, and names a placement group.
Why: EC2 takes no spot instance into a placement group that stops or hibernates when it is interrupted: the request is refused, and no node comes.
Fix: Set instanceInterruptionBehavior: terminate, or leave the placement group out.
References: EC2 User Guide, placement groups, rules and limitations
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3075", "spot-that-stops-in-placement-group", Severity.WARNING, __doc__, ("AWS PLC-07",))
_PATH = ("instanceMarketOptions", "spotOptions", "instanceInterruptionBehavior")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or instance."""
    for nodes in ctx.aws.nodes:
        t = nodes.template
        grouped = t.get("placement", "groupName") or t.get("placement", "groupId") or t.get("placementGroup")
        named = grouped is not None and (late(grouped) or bool(grouped))
        behaviour = t.get(*_PATH)
        if not named or behaviour is None:
            continue
        if late(behaviour):
            yield Undecided(CODE.code, nodes.name, "what happens at an interruption is not known yet")
        elif behaviour in ("stop", "hibernate"):
            yield CODE.at(f"{nodes.name}.{'.'.join(_PATH)}", f"'{behaviour}' in a placement group", resource=nodes.name)


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    placement: {{groupName: near}}
    instanceMarketOptions: {{marketType: spot, spotOptions: {{instanceInterruptionBehavior: {0}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("placement", "capacity"),
    check,
    Examples((_T.format("terminate"), _T.format("null")), (_T.format("hibernate"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
