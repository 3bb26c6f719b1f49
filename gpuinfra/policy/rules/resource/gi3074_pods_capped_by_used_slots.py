"""Nodes whose network card has no room for pods.

What: EKS nodes use every slot of network card 0, and the add-on vpc-cni of the program does not delegate prefixes.
Why: Pods get their addresses from interfaces on card 0. With both slots of a p5 in use no interface can be added, and a node of 192 vCPUs takes about 51 pods.
Fix: Set ENABLE_PREFIX_DELEGATION: "true" under env in the add-on's configurationValues.
References: awslabs/amazon-eks-ami#1392; aws/karpenter-provider-aws, designs/efa-for-static-capacity.md
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_interfaces import slots
from ...aws_kubernetes import addons, in_kubernetes
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3074", "pods-capped-by-used-slots", Severity.WARNING, __doc__, ("AWS NET-22",))
_NAME, _SWITCH = "vpc-cni", "ENABLE_PREFIX_DELEGATION"
_IN_YAML = re.compile(rf"""(?m)^[^#\n]*{_SWITCH}["']?\s*:\s*["']?(?i:true)\b""")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each add-on; where the program does not show the plugin, nobody can tell how it is set."""
    taken = [(n.name, _is_full(ctx, n.template)) for n in ctx.aws.nodes if in_kubernetes(n)]
    full = [name for name, is_full in taken if is_full]
    for addon in addons(ctx.aws, _NAME) if any(is_full is not False for _, is_full in taken) else ():
        value = addon.get("configurationValues")
        if late(value):
            yield Undecided(CODE.code, addon.name, "the settings of the add-on are not known yet")
        elif not _delegates(value) and not full:
            yield Undecided(CODE.code, addon.name, "how many slots the nodes use is not known yet")
        elif not _delegates(value):
            yield CODE.at(
                f"{addon.name}.configurationValues",
                f"nodes '{full[0]}' use every slot of card 0, and {_SWITCH} is not set: about 51 pods a node",
                resource=addon.name,
            )


def _is_full(ctx: GraphContext, template: Resource) -> bool | None:
    """Whether the nodes use every slot of card 0; None where their interfaces are not known yet."""
    nodes = next(n for n in ctx.aws.nodes if n.template is template)
    cards, used = ctx.aws.cards_of(nodes), slots(nodes)
    if cards is None or not cards.max_interfaces:
        return False
    if used is None:
        return None
    return sum(s.card == 0 for s in used) >= cards.max_interfaces[0]


def _delegates(value: Any) -> bool:
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        # YAML is taken as well.
        return isinstance(value, str) and _IN_YAML.search(value) is not None
    env = cast(Mapping[str, Any], found).get("env") if isinstance(found, Mapping) else None
    return isinstance(env, Mapping) and truth(str(cast(Mapping[str, Any], env).get(_SWITCH)).lower()) is True


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p5.48xlarge
    networkInterfaces:
    - {{networkCardIndex: 0, deviceIndex: 0, interfaceType: interface}}
    - {{networkCardIndex: 0, deviceIndex: 1, interfaceType: efa-only}}
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{launchTemplate: {{id: !ref nodes.id }}}}}}
- {{type: aws.eks.Addon, name: cni, inputs: {{addonName: vpc-cni, configurationValues: {0}}}}}
"""

_YAML = """'env: {ENABLE_PREFIX_DELEGATION: "%s"}'"""

RULE = ResourceRule(
    CODE,
    ("kubernetes", "network"),
    check,
    Examples(
        (_T.format("""'{"env": {"ENABLE_PREFIX_DELEGATION": "true"}}'"""), _T.format(_YAML % "true")),
        (_T.format("null"), _T.format("""'{"env": {}}'"""), _T.format(_YAML % "false")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
