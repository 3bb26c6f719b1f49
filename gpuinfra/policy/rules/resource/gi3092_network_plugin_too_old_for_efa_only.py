"""A Kubernetes network plugin that does not know EFA-only interfaces.

What: The add-on vpc-cni is older than 1.18.5, and nodes have interfaces of type `efa-only`.
Why: Older plugins take every interface for one with addresses, and stumble over those that have none: pods get no address.
Fix: Take version 1.18.5 or newer of the add-on.
References: aws/amazon-vpc-cni-k8s release notes 1.18.5; terraform-aws-modules/terraform-aws-eks#3653
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_kubernetes import addons, in_kubernetes, version_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3092", "network-plugin-too-old-for-efa-only", Severity.WARNING, __doc__, ("AWS EKS-06",))
_FIRST, _SINCE = (1, 18, 5), "1.18.5"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each add-on. Without a version EKS takes its default, which is newer."""
    inside = [n for n in ctx.aws.nodes if in_kubernetes(n)]
    users = [n.name for n in inside if any(i.get("interfaceType") == "efa-only" for i in n.efa)]
    perhaps = any(ctx.aws.efa_unknown(n) for n in inside)
    for addon in addons(ctx.aws, "vpc-cni") if users or perhaps else ():
        said = addon.get("addonVersion")
        version = version_of(said)
        if late(said):
            yield Undecided(CODE.code, addon.name, "the version of the add-on is not known yet")
        elif version is not None and version < _FIRST and not users:
            yield Undecided(CODE.code, addon.name, "whether an interface of the nodes is efa-only is not known yet")
        elif version is not None and version < _FIRST:
            yield CODE.at(
                f"{addon.name}.addonVersion",
                f"{said} does not know the efa-only interfaces of '{users[0]}'; {_SINCE} is the first that does",
                resource=addon.name,
            )


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: p5.48xlarge, networkInterfaces: [{{interfaceType: interface}}, {{interfaceType: efa-only}}]}}
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{launchTemplate: {{id: !ref nodes.id }}}}}}
- {{type: aws.eks.Addon, name: cni, inputs: {{addonName: vpc-cni, addonVersion: {0}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("kubernetes", "fabric"),
    check,
    Examples(
        (_T.format("v1.20.4-eksbuild.2"), _T.format("null")),
        (_T.format("v1.18.3-eksbuild.1"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
