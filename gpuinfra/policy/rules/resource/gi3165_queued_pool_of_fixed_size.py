"""A flex-start or queued pool that is set up as an ordinary one.

What: A pool with flexStart or queuedProvisioning may use reservations, repairs its nodes, keeps a least or fixed number of nodes, or is placed compactly.
Why: Nodes of such a pool come from a queue, one request at a time; each of these asks for nodes outside it, and the pool is refused.
Fix: Set reservationAffinity: {consumeReservationType: NO_RESERVATION}, management: {autoRepair: false}, autoscaling with a least number of 0, and no nodeCount and no placementPolicy.
References: hashicorp/terraform-provider-google#18341; Google Cloud docs, Flex-start with queued provisioning
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_machines import Machines
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3165", "queued-pool-of-fixed-size", Severity.ERROR, __doc__, ("GCP-GKE-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each pool, with all that is wrong."""
    for m in ctx.gcp.pools:
        if m.model is None:
            yield Undecided(CODE.code, m.name, "whether the pool is flex-start is not known yet")
        if m.model != "FLEX_START":
            continue
        repair = m.source.get("management", "autoRepair")
        sizes = [m.source.get("autoscaling", k) for k in ("minNodeCount", "totalMinNodeCount")]
        if m.affinity is None or late(repair) or any(map(late, (*sizes, m.source.get("nodeCount")))):
            yield Undecided(CODE.code, m.name, "the pool is not known yet")
            continue
        faults = list(_faults(m, repair))
        if faults:
            yield CODE.at(m.name, f"a flex-start or queued pool: {'; '.join(faults)}", resource=m.name)


def _faults(m: Machines, repair: Any) -> Iterator[str]:
    pool = m.source
    if m.affinity not in ("NO_RESERVATION", "SPECIFIC_RESERVATION"):
        yield "consumeReservationType must be NO_RESERVATION"
    if truth(repair) is not False:
        yield "management.autoRepair must be false"
    if any(number(pool.get("autoscaling", k)) for k in ("minNodeCount", "totalMinNodeCount")):
        yield "the least number of nodes must be 0"
    if number(pool.get("nodeCount")):
        yield "nodeCount must be left out"
    if pool.get("placementPolicy", "type") == "COMPACT":
        yield "COMPACT placement is refused"


_T = """\
- type: gcp.container.NodePool
  name: pool
  inputs:
    queuedProvisioning: {{enabled: true}}
    management: {{autoRepair: {0}}}
    autoscaling: {{totalMinNodeCount: {1}, totalMaxNodeCount: 8}}
    nodeConfig: {{reservationAffinity: {{consumeReservationType: NO_RESERVATION}}}}
"""


RULE = ResourceRule(
    CODE,
    ("kubernetes", "capacity"),
    check,
    Examples(
        (_T.format("false", 0),),
        (
            _T.format("true", 0),
            _T.format("false", 1),
        ),
        (_T.format("!unknown ", 0),),
    ),
    providers=(Provider.GCP,),
)
