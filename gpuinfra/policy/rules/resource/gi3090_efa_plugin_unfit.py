"""An EFA device plugin that does not fit the nodes.

What: The Helm chart of the EFA device plugin is older than 0.5.10 beside P6-B200 nodes; or no node of the program has EFA.
Severity: warning where no node has EFA
Why: Older plugins count the NVLink controllers of P6-B200 as EFA devices and hand out 10 for 8: pods that ask for all of them fail. On nodes without EFA the plugin's pods crash for ever.
Fix: Take chart 0.5.10 or newer, and select the EFA nodes by their label.
References: aws/sagemaker-hyperpod-cli PR #282; aws/sagemaker-hyperpod-cli#367; aws-ia/terraform-aws-eks-data-addons#53
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_kubernetes import charts, grows_elsewhere, in_kubernetes, node_groups, version_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3090", "efa-plugin-unfit", Severity.ERROR, __doc__, ("AWS EKS-05",))
_CHART, _FIRST, _SINCE = "aws-efa-k8s-device-plugin", (0, 5, 10), "0.5.10"
_COUNTED_WRONGLY = "p6-b200."


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each chart. A chart without a version is the newest."""
    found = charts(ctx.aws, _CHART)
    groups = node_groups(ctx.aws) if found else ()
    kinds = {t for g in groups for t in g.types}
    kinds |= {n.instance_type for n in ctx.aws.nodes if found and in_kubernetes(n)}
    for chart in found:
        said = chart.get("version")
        version = version_of(said)
        if any(k.startswith(_COUNTED_WRONGLY) for k in kinds):
            if late(said):
                yield Undecided(CODE.code, chart.name, "the version of the plugin is not known yet")
            elif version is not None and version < _FIRST:
                yield CODE.at(
                    f"{chart.name}.version",
                    f"{said} counts 10 EFA devices on P6-B200, which has 8; {_SINCE} is the first that does not",
                    resource=chart.name,
                )
        elif (none := _none_has_efa(ctx)) is None:
            yield Undecided(CODE.code, chart.name, "whether a node of the program has EFA is not known yet")
        elif none:
            yield CODE.at(
                chart.name,
                "no node of the program has EFA: the plugin's pods crash on every one",
                resource=chart.name,
                severity=Severity.WARNING,
            )


def _none_has_efa(ctx: GraphContext) -> bool | None:
    """Whether no node group has an EFA interface, and no node comes in another way; None where a group is not known yet."""
    groups = node_groups(ctx.aws)
    if grows_elsewhere(ctx.aws) or not groups or any(n.efa for n in ctx.aws.nodes):
        return False
    shown = all(not g.unknown and (g.nodes is None or g.nodes.interfaces is not None) for g in groups)
    # Nodes that join by themselves stand in no group of EKS.
    shown = shown and all(n.interfaces is not None for n in ctx.aws.nodes)
    return True if shown else None


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: {0}, networkInterfaces: [{{interfaceType: {1}}}]}}
- {{type: aws.eks.NodeGroup, name: pool, inputs: {{launchTemplate: {{id: !ref nodes.id }}}}}}
- type: kubernetes:helm.sh/v3:Release
  name: efa
  inputs: {{chart: aws-efa-k8s-device-plugin, version: {2}}}
"""

RULE = ResourceRule(
    CODE,
    ("kubernetes", "fabric"),
    check,
    Examples(
        (_T.format("p6-b200.48xlarge", "efa", "v0.5.12"), _T.format("p5.48xlarge", "efa", "v0.5.6")),
        (_T.format("p6-b200.48xlarge", "efa", "v0.5.6"), _T.format("g5.xlarge", "interface", "v0.5.12")),
        (_T.format("p6-b200.48xlarge", "efa", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
