"""A pool of reserved nodes whose upgrade needs one more.

What: A pool of GPU nodes of one reservation upgrades with a surge of one, also where nothing is written.
Why: The reservation has no room for the extra node: the upgrade waits for ever, with a node that is drained.
Fix: Set upgradeSettings: {maxSurge: 0, maxUnavailable: 1}.
References: GoogleCloudPlatform/cluster-toolkit#3343
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3166", "upgrade-wants-one-more-reserved-node", Severity.WARNING, __doc__, ("GCP-GKE-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each pool."""
    for m in ctx.gcp.pools:
        if m.has_gpus and m.affinity is None and m.source.get("upgradeSettings", "maxSurge") != 0:
            yield Undecided(CODE.code, m.name, "whether the nodes are reserved is not known yet")
        if not m.has_gpus or m.affinity != "SPECIFIC_RESERVATION" or m.model == "FLEX_START":
            continue
        surge, way = m.source.get("upgradeSettings", "maxSurge"), m.source.get("upgradeSettings", "strategy")
        if late(surge) or late(way):
            yield Undecided(CODE.code, m.name, "the upgrade settings are not known yet")
        elif surge is None or number(surge):
            what = "absent, which means 1" if surge is None else f"{number(surge):g}"
            yield CODE.at(m.at("upgradeSettings.maxSurge"), f"{what}, on reserved nodes", resource=m.name)


_T = """\
- type: gcp.container.NodePool
  name: pool
  inputs:
    upgradeSettings: {{maxSurge: {0}, maxUnavailable: 1}}
    nodeConfig:
      {{machineType: a3-megagpu-8g, reservationAffinity: {{consumeReservationType: SPECIFIC_RESERVATION}}}}
"""


RULE = ResourceRule(
    CODE,
    ("kubernetes", "update"),
    check,
    Examples(
        (_T.format(0),),
        (
            _T.format("null"),
            _T.format(1),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
