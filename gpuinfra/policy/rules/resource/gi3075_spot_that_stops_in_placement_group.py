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
from ...aws_graph import SPOT_REQUEST
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3075", "spot-that-stops-in-placement-group", Severity.WARNING, __doc__, ("AWS PLC-07",))
_PATH = ("instanceMarketOptions", "spotOptions", "instanceInterruptionBehavior")
_GROUPS = (("placement", "groupName"), ("placement", "groupId"), ("placementGroup",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or instance."""
    for nodes in ctx.aws.nodes:
        t = nodes.template
        # A group of this program has a name that preview does not know: it is named all the same.
        grouped = any(late(v) or bool(v) for v in (t.get(*key) for key in _GROUPS))
        path = _PATH if t.type != SPOT_REQUEST else _PATH[-1:]
        behaviour = t.get(*path)
        if not grouped or behaviour is None:
            continue
        if late(behaviour):
            yield Undecided(CODE.code, nodes.name, "what happens at an interruption is not known yet")
        elif behaviour in ("stop", "hibernate"):
            yield CODE.at(f"{nodes.name}.{'.'.join(path)}", f"'{behaviour}' in a placement group", resource=nodes.name)


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    placement: {{groupName: {1}}}
    instanceMarketOptions: {{marketType: spot, spotOptions: {{instanceInterruptionBehavior: {0}}}}}
"""

_ONE = """\
- type: aws.ec2.SpotInstanceRequest
  name: box
  inputs: {placementGroup: near, instanceInterruptionBehavior: stop}
"""

RULE = ResourceRule(
    CODE,
    ("placement", "capacity"),
    check,
    Examples(
        (_T.format("terminate", "near"), _T.format("null", "near"), _T.format("stop", "null")),
        (_T.format("hibernate", "near"), _T.format("stop", "!unknown "), _ONE),
        (_T.format("!unknown ", "near"),),
    ),
    providers=(Provider.AWS,),
)
