"""A machine image by a parameter that moves.

What: GPU nodes boot from `resolve:ssm:` with a path that means the newest image, or from Karpenter's alias `@latest`.
Why: Nodes that a group adds next week boot another driver and another CUDA than those of today: a job over both fails in ways that nobody can repeat.
Fix: Resolve the parameter once and write the image's id (ami-…), or name a version of the parameter.
References: EC2 User Guide, use a parameter instead of an AMI id; EC2 Auto Scaling User Guide, launch templates with parameters
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCES
from ...aws_karpenter import gpu_classes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, plain

CODE = described("GI3303", "aws-image-that-moves", Severity.WARNING, __doc__, ("AWS CMP-10",))
_PREFIX = "resolve:ssm:"
_MOVING = ("latest", "recommended")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template; what our own component made is judged with the plan."""
    for nodes, _ in ctx.aws.gpu_nodes:
        if nodes.template.type in INSTANCES or ctx.aws.ours(nodes.template):
            continue
        value = nodes.template.get("imageId")
        if late(value) and not isinstance(value, str):
            if not nodes.template.property_dependencies.get("imageId"):
                yield Undecided(CODE.code, nodes.name, "the image is not known yet")
        elif isinstance(value, str) and value.startswith(_PREFIX) and _moves(value.removeprefix(_PREFIX)):
            yield CODE.at(
                f"{nodes.name}.imageId",
                f"'{value.rpartition('/')[2]}' of a parameter, which moves",
                resource=nodes.name,
            )
    for node_class, sure in gpu_classes(ctx.aws):
        listed = node_class.get("spec", "amiSelectorTerms")
        aliases = [plain(term.get("alias")) for term in entries(listed)]
        moving = any(isinstance(a, str) and a.endswith("@latest") for a in aliases)
        if any(map(late, (listed, *aliases))) or (moving and not sure):
            unknown = "whether its nodes have GPUs" if moving else "the image"
            yield Undecided(CODE.code, node_class.name, f"{unknown} is not known yet")
            continue
        for n, alias in enumerate(aliases):
            if isinstance(alias, str) and alias.endswith("@latest"):
                yield CODE.at(
                    f"{node_class.name}.spec.amiSelectorTerms[{n}].alias",
                    f"'{alias}' moves, and Karpenter replaces nodes that drift from it",
                    "name a version, such as al2023@v20261015",
                    resource=node_class.name,
                )


def _moves(path: str) -> bool:
    """Whether a path means the newest image, and names no version of itself."""
    return ":" not in path and any(part in _MOVING for part in path.split("/"))


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: g5.xlarge, imageId: {0}}}}}\n"
_PATH = "resolve:ssm:/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id"

_CLASS = """\
- type: kubernetes:karpenter.sh/v1:NodePool
  name: pool
  inputs:
    spec:
      template:
        spec:
          nodeClassRef: {{name: gpus}}
          requirements: [{{key: karpenter.k8s.aws/instance-category, operator: In, values: [p]}}]
- type: kubernetes:karpenter.k8s.aws/v1:EC2NodeClass
  name: class
  inputs: {{metadata: {{name: gpus}}, spec: {{amiSelectorTerms: [{{alias: {0}}}]}}}}
"""

RULE = ResourceRule(
    CODE,
    ("image", "drift"),
    check,
    Examples(
        (
            _T.format("ami-0123456789abcdef0"),
            _T.format(f"'{_PATH}:12'"),
            _T.format("resolve:ssm:/acme/images/2026-11"),
            _CLASS.format("al2023@v20261015"),
        ),
        (_T.format(_PATH), _CLASS.format("al2023@latest")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
