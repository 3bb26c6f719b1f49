"""A group of GB200 nodes that is no whole UltraServer.

What: The most nodes of a group of P6e machines are neither 9 nor 18.
Why: An UltraServer is sold as 9 or 18 machines of one NVLink domain, in a capacity block that holds all of them: fewer leave paid machines idle, more never come.
Fix: Let the group's largest size be 9 (x36) or 18 (x72); make one group for each UltraServer.
References: aws/aws-parallelcluster, UltraserverCapacityBlockSizeValidator; EC2 User Guide, UltraServers
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import NODE_GROUP, group_size
from ...aws_kubernetes import node_groups
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3310", "group-cuts-a-rack", Severity.ERROR, __doc__, ("AWS CAP-07",))
_RACKS, _SOLD = "p6e-", (9, 18)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group; what our own component made is judged with the plan."""
    groups = {
        g.urn: (g, n.instance_type) for n in ctx.aws.nodes for g in n.groups if n.instance_type.startswith(_RACKS)
    }
    for group in node_groups(ctx.aws):
        kind = next((t for t in group.types if t.startswith(_RACKS)), "")
        if kind:
            groups.setdefault(group.resource.urn, (group.resource, kind))
    for group, kind in groups.values():
        path = ("scalingConfig", "maxSize") if group.type == NODE_GROUP else ("maxSize",)
        most = group_size(group)[2]
        if ctx.aws.ours(group):
            continue
        if late(group.get(*path)):
            yield Undecided(CODE.code, group.name, "the largest size of the group is not known yet")
        elif most is not None and most > 0 and most not in _SOLD:
            yield _finding(group, path, most, kind)


def _finding(group: Resource, path: tuple[str, ...], most: float, kind: str) -> Diagnostic:
    near = min(_SOLD, key=lambda s: abs(s - most))
    return CODE.at(
        f"{group.name}.{'.'.join(path)}",
        f"{most:g} nodes of {kind}, and they are sold as {' or '.join(map(str, _SOLD))}",
        f"take {near}",
        resource=group.name,
    )


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p6e-gb200.36xlarge}}}}
- {{type: aws.autoscaling.Group, name: rack, inputs: {{maxSize: {0}, launchTemplate: {{id: !ref nodes.id }}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "fabric"),
    check,
    Examples((_T.format(9), _T.format(18), _T.format(0)), (_T.format(4),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
