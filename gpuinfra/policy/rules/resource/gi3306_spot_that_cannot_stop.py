"""Spot nodes that are to stop, of a request that ends with its first interruption.

What: The interruption behaviour is `stop` or `hibernate`, and the spot request is not persistent, which is the default; or a scaling group launches from such a template.
Why: A one-time request has nothing that would start the node again, and a scaling group makes one-time requests alone: EC2 refuses every launch.
Fix: Set instanceInterruptionBehavior: terminate. A single instance may also have spotInstanceType: persistent.
References: EC2 API, SpotMarketOptions; EC2 User Guide, behavior of Spot interruptions; EC2 Auto Scaling User Guide, request Spot Instances
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import given, late

CODE = described("GI3306", "spot-that-cannot-stop", Severity.ERROR, __doc__, ("AWS COST-10",))
_OPTIONS = ("instanceMarketOptions", "spotOptions")
_BEHAVIOUR = "instanceInterruptionBehavior"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or instance. In a placement group the behaviour itself is refused: another rule's."""
    for nodes in ctx.aws.nodes:
        t = nodes.template
        placed = given(*(t.get("placement", k) for k in ("groupName", "groupId")), t.get("placementGroup"))
        kind, behaviour = t.get(*_OPTIONS, "spotInstanceType"), t.get(*_OPTIONS, _BEHAVIOUR)
        if placed not in (None, "") or behaviour is None or ctx.aws.without_gpus(nodes):
            continue
        if late(behaviour) or late(kind):
            yield Undecided(CODE.code, nodes.name, "what happens at an interruption is not known yet")
        elif behaviour in ("stop", "hibernate") and (kind != "persistent" or nodes.groups):
            why = (
                f"group '{nodes.groups[0].name}' makes one-time requests"
                if nodes.groups
                else f"the request is {'one-time' if kind else 'one-time, the default'}"
            )
            yield CODE.at(
                f"{nodes.name}.{'.'.join(_OPTIONS)}.{_BEHAVIOUR}", f"'{behaviour}', and {why}", resource=nodes.name
            )


_T = """\
- type: aws.ec2.Instance
  name: box
  inputs:
    instanceType: g5.xlarge
    instanceMarketOptions: {{marketType: spot, spotOptions: {{spotInstanceType: {0}, instanceInterruptionBehavior: {1}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("one-time", "terminate"), _T.format("persistent", "stop")),
        (_T.format("one-time", "stop"), _T.format("null", "hibernate")),
        (_T.format("one-time", "!unknown "), _T.format("!unknown ", "stop")),
    ),
    providers=(Provider.AWS,),
)
