"""A placement group that is not there, or keeps no nodes together.

What: The group that a pool names in proximity does not exist, is of another strategy than `cluster`, or is fixed to another zone.
Why: The launch is refused; or nodes of a group that spreads or partitions stand far apart, and collectives crawl.
Fix: Name a group of strategy cluster, or set proximity: auto.
References: aws/aws-parallelcluster, InstanceTypePlacementGroupValidator; Azure docs, proximity placement groups
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....vocabulary import Provider
from ...account_facts import Absent, Placement
from ...account_pools import passed, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4062", "placement-group-unfit", Severity.ERROR, __doc__, ("AWS PLC-04", "AZ PLC-02"))
_TOGETHER = ("", "cluster", "proximity")


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each pool that names a group."""
    for pool in ctx.plan.pools:
        if pool.placement.mode != "existing":
            continue
        path, name = f"{pool.path}.proximity", pool.placement.name
        found = ctx.facts.entry("placements", name)
        if isinstance(found, Absent):
            yield unsure(CODE, path, found)
        elif not isinstance(found, Placement):
            yield CODE.at(path, f"there is no group '{name}' in {ctx.plan.region}")
        elif found.strategy.lower() not in _TOGETHER:
            yield CODE.at(path, f"group '{name}' is of strategy {found.strategy}, which keeps no nodes together")
        elif found.zones and pool.zone not in found.zones:
            text = f"group '{name}' is fixed to zone {', '.join(found.zones)}, and the pool is in {pool.zone or 'none'}"
            yield CODE.at(path, text)
        else:
            yield passed(CODE, path, f"group {name} is there")


_T = """\
spec: {{node_pools: [{{proximity: dense}}]}}
account: {{placements: {{dense: {0}}}}}
"""

RULE = AccountRule(
    CODE,
    ("placement",),
    check,
    Examples(
        (_T.format("{strategy: cluster}"),),
        (_T.format("{strategy: spread}"), _T.format("null")),
        (_T.format("null").replace("{dense: null}", "{}"),),
    ),
    providers=(Provider.AWS, Provider.AZURE),
)
