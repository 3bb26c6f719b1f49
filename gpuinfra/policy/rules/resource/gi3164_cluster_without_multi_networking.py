"""A pool with more networks in a cluster that takes one.

What: A pool has additional networks, and its cluster has not enableMultiNetworking with the datapath ADVANCED_DATAPATH.
Why: The pool is refused, and both settings are made when the cluster is made: they cannot be added later.
Fix: Set enableMultiNetworking: true and datapathProvider: ADVANCED_DATAPATH on the cluster.
References: Google Cloud docs, Set up multi-network support for Pods
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, truth

CODE = described("GI3164", "cluster-without-multi-networking", Severity.ERROR, __doc__, ("GCP-GKE-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each cluster that this program makes."""
    said: set[str] = set()
    for m in ctx.gcp.pools:
        cluster = ctx.gcp.cluster_of(m.source)
        if cluster is None or cluster.urn in said:
            continue
        if not items(m.source.get("networkConfig", "additionalNodeNetworkConfigs")):
            continue
        said.add(cluster.urn)
        multi, datapath = cluster.get("enableMultiNetworking"), cluster.get("datapathProvider")
        if late(multi) or late(datapath):
            yield Undecided(CODE.code, cluster.name, "the networking of the cluster is not known yet")
        elif not truth(multi) or datapath != "ADVANCED_DATAPATH":
            key = "enableMultiNetworking" if not truth(multi) else "datapathProvider"
            yield CODE.at(
                f"{cluster.name}.{key}", f"pool '{m.name}' has additional networks, which the cluster does not take",
                resource=cluster.name,
            )  # fmt: skip


_T = """\
- {{type: gcp.container.Cluster, name: plane, inputs: {{enableMultiNetworking: {0}, datapathProvider: ADVANCED_DATAPATH}}}}
- type: gcp.container.NodePool
  name: pool
  inputs: {{cluster: !ref plane.id , networkConfig: {{additionalNodeNetworkConfigs: [{{network: a}}]}}}}
"""


RULE = ResourceRule(
    CODE,
    ("kubernetes", "network"),
    check,
    Examples((_T.format("true"),), (_T.format("null"),), (_T.format("!unknown "),)),
    providers=(Provider.GCP,),
)
