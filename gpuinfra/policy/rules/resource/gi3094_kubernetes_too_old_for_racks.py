"""GB200 nodes under a Kubernetes that cannot share NVLink between nodes.

What: An EKS cluster with P6e-GB200 nodes is older than 1.33; or the program installs NVIDIA's device plugin for them and not its DRA driver.
Why: The NVLink of a rack is handed to pods through dynamic resource allocation and its IMEX domains, which EKS has from 1.33 on: before, a job over several nodes never starts.
Fix: Set the cluster's version to 1.33 or newer, and install NVIDIA's DRA driver.
References: EKS User Guide, P6e-GB200 UltraServers; NVIDIA/k8s-dra-driver-gpu
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_kubernetes import charts, charts_unknown, cluster_of, node_groups, version_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3094", "kubernetes-too-old-for-racks", Severity.ERROR, __doc__, ("AWS EKS-08",))
_PLUGIN, _DRA, _OPERATOR = "nvidia-device-plugin", "nvidia-dra-driver-gpu", "gpu-operator"
_RACKS, _FIRST = "p6e-", (1, 33)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group whose cluster this program makes. Without a version EKS takes its newest default."""
    plugins = charts(ctx.aws, _PLUGIN)
    shared = charts(ctx.aws, _DRA) or charts(ctx.aws, _OPERATOR)
    for group in node_groups(ctx.aws):
        if not any(t.startswith(_RACKS) for t in group.types):
            continue
        cluster = cluster_of(ctx.aws, group.resource)
        said = (cluster or group.resource).get("version")
        version = version_of(said)
        if late(said):
            yield Undecided(CODE.code, group.resource.name, "the version of the cluster is not known yet")
        elif version is not None and version < _FIRST:
            owner = (cluster or group.resource).name
            yield CODE.at(f"{owner}.version", f"{said}, and {group.types[0]} needs 1.33 or newer", resource=owner)
        elif plugins and not shared and charts_unknown(ctx.aws):
            yield Undecided(CODE.code, group.resource.name, "which charts are installed is not known yet")
        elif plugins and not shared:
            yield CODE.at(
                plugins[0].name,
                f"it hands out single GPUs, and no DRA driver joins the racks of {group.resource.name}",
                f"install the chart {_DRA}",
                resource=plugins[0].name,
            )


_T = """\
- {{type: aws.eks.Cluster, name: plane, inputs: {{version: {0}}}}}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{clusterName: !ref plane.name , instanceTypes: [p6e-gb200.36xlarge]}}
"""

_CHART = "- {type: kubernetes:helm.sh/v3:Release, name: plugin, inputs: {chart: nvidia-device-plugin}}\n"

RULE = ResourceRule(
    CODE,
    ("kubernetes", "fabric"),
    check,
    Examples(
        (
            _T.format('"1.34"'),
            _T.format('"1.34"')
            + _CHART
            + _CHART.replace("nvidia-device-plugin", "nvidia-dra-driver-gpu").replace("name: plugin", "name: dra"),
        ),
        (_T.format('"1.32"'), _T.format('"1.34"') + _CHART),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
