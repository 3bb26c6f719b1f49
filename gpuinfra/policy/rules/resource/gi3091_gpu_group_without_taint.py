"""A GPU node group that takes any pod.

What: An EKS node group or a Karpenter pool with GPUs has no taint.
Why: The scheduler puts any pod there: the cluster's own services then sit on machines of 98 USD an hour, and keep them from scaling in.
Fix: Add taints: [{key: nvidia.com/gpu, value: "true", effect: NO_SCHEDULE}], and a small group without GPUs for everything else.
References: EKS Best Practices Guide, AI and ML compute; EKS User Guide, node taints on managed node groups
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_karpenter import gpu_pools
from ...aws_kubernetes import GroupOfNodes, node_groups
from ...aws_user_data import is_late, script
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late

CODE = described("GI3091", "gpu-group-without-taint", Severity.WARNING, __doc__, ("AWS EKS-06",))
_WORDS = ("register-with-taints", "registerWithTaints", "taints")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group. The boot script may set the taint: of an image of one's own, and in a NodeConfig."""
    for group in node_groups(ctx.aws):
        if not group.has_gpu:
            continue
        name, taints = group.resource.name, group.resource.get("taints")
        said, unknown = _script(group)
        if late(taints) or (not items(taints) and unknown):
            yield Undecided(CODE.code, name, "the taints are not known yet")
        elif not items(taints) and not any(w in said for w in _WORDS):
            what = group.types[0] if group.types else group.resource.get("amiType")
            yield CODE.at(f"{name}.taints", f"nodes of {what} have no taint: any pod may land on them", resource=name)
    for pool in gpu_pools(ctx.aws):
        name, taints = pool.resource.name, pool.resource.get("spec", "template", "spec", "taints")
        if late(taints):
            yield Undecided(CODE.code, name, "the taints are not known yet")
        elif not items(taints) and not pool.sure:
            yield Undecided(CODE.code, name, "whether its nodes have GPUs is not known yet")
        elif not items(taints):
            yield CODE.at(
                f"{name}.spec.template.spec.taints",
                "the pool's GPU nodes have no taint: any pod may land on them",
                resource=name,
            )


def _script(group: GroupOfNodes) -> tuple[str, bool]:
    """(the boot script, whether it is not known yet) of a group with a template."""
    template = group.nodes.template if group.nodes is not None else None
    if template is None:
        return "", False
    value = template.get("userData")
    return (script(value) if isinstance(value, str) else "", is_late(value))


_T = """\
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{instanceTypes: [{0}], taints: {1}}}
"""
_TAINT = '[{key: nvidia.com/gpu, value: "true", effect: NO_SCHEDULE}]'

_POOL = """\
- type: kubernetes:karpenter.sh/v1:NodePool
  name: pool
  inputs:
    spec:
      template:
        spec:
          taints: {0}
          requirements: [{{key: karpenter.k8s.aws/instance-family, operator: In, values: [{1}]}}]
"""

RULE = ResourceRule(
    CODE,
    ("kubernetes", "cost"),
    check,
    Examples(
        (_T.format("p5.48xlarge", _TAINT), _T.format("m5.large", "null"), _POOL.format("[]", "m7i")),
        (_T.format("p5.48xlarge", "null"), _POOL.format("[]", "g5")),
        (_T.format("p5.48xlarge", "!unknown "), _POOL.format("!unknown ", "g5")),
    ),
    providers=(Provider.AWS,),
)
