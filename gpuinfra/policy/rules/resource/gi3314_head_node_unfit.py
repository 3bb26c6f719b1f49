"""A head node that is too small for its cluster, or too dear.

What: The machine whose boot script starts slurmctld has less memory than its nodes need; or it has GPUs, or is spot.
Severity: warning where it has GPUs or is spot
Why: slurmctld keeps every node and job in memory: where it runs out, all jobs stop being seen. A spot head takes the cluster along when it goes; a GPU on a head is paid and idle.
Fix: Take an on-demand machine without GPUs and with at least nodes / 25 + 0.6 GiB of memory, 16 GiB at the most.
References: aws/aws-parallelcluster, HeadNodeMemorySizeValidator
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import market
from ...aws_graph import INSTANCE, Nodes
from ...aws_user_data import boot_script
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3314", "head-node-unfit", Severity.ERROR, __doc__, ("AWS CMP-16",))
_STARTS = r"(?m)^[^#\n]*\b(?:systemctl|service|install|supervisorctl)\b[^#\n]*\b{0}\b"
_HEAD, _WORKER = re.compile(_STARTS.format("slurmctld")), re.compile(_STARTS.format("slurmd"))
_NODES_PER_GIB, _BASE_GIB, _ENOUGH_GIB = 25, 0.6, 16


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine that shows to be a head. One that is a worker as well stands alone."""
    scripts = [(n, *boot_script(n.template)) for n in ctx.aws.nodes]
    workers = [n for n, text, _ in scripts if _WORKER.search(text) and not _HEAD.search(text)]
    most = sum(n.most_nodes for n in workers)
    open_ = any(u and not text and n.groups for n, text, u in scripts) or any(n.most_unknown for n in workers)
    for nodes, text, unknown in scripts:
        if open_ and _HEAD.search(text) and not _WORKER.search(text):
            if found := [*_judged(ctx, nodes, most)] if most else []:
                yield from found
            elif [*_judged(ctx, nodes, inf)]:
                yield Undecided(CODE.code, nodes.name, "how many nodes it is the head of is not known yet")
            continue
        if unknown and nodes.template.type == INSTANCE and workers:
            yield Undecided(CODE.code, nodes.name, "whether it is the head node is not known yet")
        if most and _HEAD.search(text) and not _WORKER.search(text):
            yield from _judged(ctx, nodes, most)


def _judged(ctx: GraphContext, nodes: Nodes, most: float) -> Iterator[Diagnostic]:
    facts = ctx.aws.facts_of(nodes)
    needed = min(most / _NODES_PER_GIB + _BASE_GIB, _ENOUGH_GIB)
    path = f"{nodes.name}.instanceType"
    if facts is not None and facts.memory_gib is not None and facts.memory_gib < needed:
        text = f"{facts.memory_gib:g} GiB of memory, and the head of {most:g} nodes needs {needed:g}"
        yield CODE.at(path, text, resource=nodes.name)
    elif facts is not None and facts.has_gpu:
        text = f"the head node is a {facts.name}, whose GPUs run no job"
        yield CODE.at(path, text, resource=nodes.name, severity=Severity.WARNING)
    elif market(nodes.template) == "spot":
        path = f"{nodes.name}.instanceMarketOptions.marketType"
        text = "the head node is spot: when it goes, so does the queue"
        yield CODE.at(path, text, resource=nodes.name, severity=Severity.WARNING)


_T = """\
- {{type: aws.ec2.Instance, name: head, inputs: {{instanceType: {0}, userData: {1}}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: p5.48xlarge, userData: "#!/bin/bash\\nsystemctl enable --now slurmd"}}
- {{type: aws.autoscaling.Group, name: group, inputs: {{maxSize: 64, launchTemplate: {{id: !ref nodes.id }}}}}}
"""
_SCRIPT = '"#!/bin/bash\\nsystemctl enable --now slurmctld"'

RULE = ResourceRule(
    CODE,
    ("scheduler",),
    check,
    Examples(
        (_T.format("m7i.4xlarge", _SCRIPT), _T.format("t3.micro", '"#!/bin/bash\\necho bastion"')),
        (_T.format("t3.micro", _SCRIPT), _T.format("g5.xlarge", _SCRIPT)),
        (_T.format("t3.micro", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
