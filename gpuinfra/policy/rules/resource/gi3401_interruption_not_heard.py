"""Spot nodes of AWS on which nothing listens for the notice.

What: Spot nodes have a boot script, and nothing in it or in the program hears that they are taken back.
Why: EC2 takes a node back two minutes after the notice. What the job has not saved by then is lost, and is paid for once more.
Fix: Poll latest/meta-data/spot/instance-action from boot on, or send the event "EC2 Spot Instance Interruption Warning" to what saves the work; in EKS run the node termination handler.
References: EC2 User Guide, Spot Instance interruption notices; aws/aws-node-termination-handler
"""

from __future__ import annotations

import base64
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import NODE_GROUP
from ...aws_kubernetes import charts, charts_unknown
from ...aws_spot import SpotNodes, spot_nodes
from ...aws_user_data import is_late, script
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3401", "interruption-not-heard", Severity.WARNING, __doc__, ("AWS COST-10",))
_HEARS = ("spot/instance-action", "spot/termination-time", "events/recommendations", "node-termination-handler")
_EVENTS = ("spot instance interruption", "instance rebalance recommendation")
_RULE = "aws:cloudwatch/eventRule:EventRule"
_HANDLERS = ("aws-node-termination-handler", "karpenter")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each boot script. EKS drains the nodes of its own groups; without a boot script the image may
    hold the listener; what our own component made is judged by the plan rules."""
    said: set[str] = set()
    for found in spot_nodes(ctx.aws):
        launcher = found.template
        if launcher is None or found.owner.type == NODE_GROUP or launcher.urn in said or ctx.aws.ours(launcher):
            continue
        if (found.types is not None and not found.has_gpu) or _heard(ctx):
            continue
        said.add(launcher.urn)
        for verdict in _script(found):
            if isinstance(verdict, Diagnostic) and _may_be_heard(ctx):
                yield Undecided(CODE.code, launcher.name, "which events the program listens for is not known yet")
            else:
                yield verdict


def _script(found: SpotNodes) -> Iterator[Diagnostic | Undecided]:
    launcher = found.template or found.owner
    key = "userDataBase64" if launcher.get("userDataBase64") is not None else "userData"
    value = plain(launcher.get(key))
    if is_late(value) or (value is not None and (found.types is None or not found.sure)):
        unknown = "the boot script, the instance type, or how it is bought,"
        yield Undecided(CODE.code, launcher.name, f"{unknown} is not known yet")
    elif isinstance(value, str) and value and not any(w in script(value).lower() for w in _HEARS):
        yield CODE.at(
            f"{launcher.name}.{key}",
            "nothing that runs at boot listens for the notice that comes two minutes before a node is taken back",
            resource=launcher.name,
        )


def _heard(ctx: GraphContext) -> bool:
    patterns = [str(r.get("eventPattern")).lower() for r in ctx.aws.of_type(_RULE)]
    if any(w in p for p in patterns for w in _EVENTS):
        return True
    return any(charts(ctx.aws, name) for name in _HANDLERS)


def _may_be_heard(ctx: GraphContext) -> bool:
    """Whether a rule is for events that are not known yet, or a chart is one that is not."""
    return charts_unknown(ctx.aws) or any(late(r.get("eventPattern")) for r in ctx.aws.of_type(_RULE))


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: g5.xlarge, instanceMarketOptions: {{marketType: spot}}, userData: {0}}}
- {{type: aws.autoscaling.Group, name: group, inputs: {{minSize: 0, maxSize: 4, launchTemplate: {{id: !ref nodes.id }}}}}}
"""
_EVENT = """\
- type: aws.cloudwatch.EventRule
  name: notice
  inputs: {eventPattern: '{"detail-type": ["EC2 Spot Instance Interruption Warning"]}'}
"""


def _boot(line: str) -> str:
    return base64.b64encode(f"#!/bin/bash\n{line}\n".encode()).decode()


RULE = ResourceRule(
    CODE,
    ("capacity", "boot"),
    check,
    Examples(
        (
            _T.format(_boot("curl http://169.254.169.254/latest/meta-data/spot/instance-action")),
            _T.format(_boot("python train.py")) + _EVENT,
            _T.format("null"),
        ),
        (_T.format(_boot("python train.py")),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
