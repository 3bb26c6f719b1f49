"""A Kubernetes endpoint that the whole internet reaches.

What: The endpoint of an EKS cluster is public, and takes connections from every address.
Why: One leaked token, or one hole in the API server, is then enough from anywhere. Both are the default: public, from 0.0.0.0/0.
Fix: Set vpcConfig: {endpointPrivateAccess: true, endpointPublicAccess: false}, or list your own addresses in publicAccessCidrs.
References: EKS User Guide, cluster API server endpoint; EKS Best Practices Guide, security
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_kubernetes import CLUSTER, cluster_of, grows_elsewhere, in_kubernetes, node_groups
from ...internet_ranges import open_to
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, plain, truth

CODE = described("GI3095", "control-plane-open-to-the-world", Severity.WARNING, __doc__, ("AWS EKS-09",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each cluster, but for one whose nodes are all shown and have no GPU."""
    others = any(in_kubernetes(n) and not ctx.aws.without_gpus(n) for n in ctx.aws.nodes)
    groups = () if others or grows_elsewhere(ctx.aws) else node_groups(ctx.aws)
    for cluster in ctx.aws.of_type(CLUSTER):
        own = [g for g in groups if cluster_of(ctx.aws, g.resource) is cluster]
        if own and all(g.without_gpus for g in own):
            continue
        public = cluster.get("vpcConfig", "endpointPublicAccess")
        ranges = cluster.get("vpcConfig", "publicAccessCidrs")
        listed = [plain(v) for v in items(ranges)]
        if truth(public) is False:
            continue
        if late(public) or late(ranges) or (listed and all(late(v) for v in listed)):
            yield Undecided(CODE.code, cluster.name, "who may reach the endpoint is not known yet")
        elif (world := open_to(listed)) or not listed:
            said = f"from {world}" if listed else "with no list of addresses, which means from every one"
            yield CODE.at(
                f"{cluster.name}.vpcConfig.{'publicAccessCidrs' if listed else 'endpointPublicAccess'}",
                f"the endpoint is public, {said}",
                resource=cluster.name,
            )


_T = """\
- type: aws.eks.Cluster
  name: plane
  inputs: {{vpcConfig: {{endpointPublicAccess: {0}, publicAccessCidrs: {1}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("kubernetes", "security"),
    check,
    Examples(
        (_T.format("false", "null"), _T.format("true", "[203.0.113.0/24]")),
        (_T.format("null", "null"), _T.format("true", "[0.0.0.0/0]"), _T.format("true", "[0.0.0.0/1, 128.0.0.0/1]")),
        (_T.format("!unknown ", "null"),),
    ),
    providers=(Provider.AWS,),
)
