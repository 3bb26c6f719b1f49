"""A metadata hop limit that does not fit containers.

What: Nodes of a Kubernetes cluster have a metadata hop limit of 1; or of more than 2.
Severity: info for more than 2
Why: A container is one hop further away than the node: with 1 its calls for credentials and region time out. Each hop above 2 lets a packet travel that no pod needs, except under an overlay network.
Fix: Set metadataOptions: {httpPutResponseHopLimit: 2}.
References: kubernetes-sigs/aws-load-balancer-controller#3695; hashicorp/terraform-provider-aws#38516
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import NODE_GROUP, Nodes
from ...aws_kubernetes import in_kubernetes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3080", "hop-limit-unfit-for-containers", Severity.WARNING, __doc__, ("AWS CMP-05",))
_KEY, _FITS = "httpPutResponseHopLimit", 2


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template. A limit that is not written is the image's: 2 with EKS's Amazon Linux 2023."""
    for nodes in ctx.aws.nodes:
        options = nodes.template.get("metadataOptions")
        if not in_kubernetes(nodes) or not isinstance(options, Mapping):
            continue
        value = nodes.template.get("metadataOptions", _KEY)
        path, known = f"{nodes.name}.metadataOptions.{_KEY}", number(value)
        if late(value):
            yield Undecided(CODE.code, nodes.name, "the hop limit is not known yet")
        elif value is None:
            if not _of_eks(nodes):
                yield Undecided(CODE.code, nodes.name, "the image sets the hop limit, and it is not known what it says")
        elif known is not None and known < _FITS:
            yield CODE.at(path, f"the hop limit is {known:g}: containers get no answer", resource=nodes.name)
        elif known is not None and known > _FITS:
            yield CODE.at(
                path,
                f"the hop limit is {known:g}, and pods need {_FITS}",
                "leave it where an overlay network adds a hop, else set 2",
                resource=nodes.name,
                severity=Severity.INFO,
            )


def _of_eks(nodes: Nodes) -> bool:
    """Whether every group takes EKS's own Amazon Linux 2023, which it does where it names no image."""
    kinds = [g.get("amiType") for g in nodes.groups if g.type == NODE_GROUP]
    own = nodes.template.get("imageId") is not None or len(kinds) < len(nodes.groups)
    return not own and all(k is None or (isinstance(k, str) and k.startswith("AL2023_")) for k in kinds)


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{metadataOptions: {{httpTokens: required, httpPutResponseHopLimit: {0}}}}}
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{launchTemplate: {{id: !ref nodes.id }}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("kubernetes", "security"),
    check,
    Examples((_T.format(2), _T.format("null")), (_T.format(1), _T.format(5)), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
