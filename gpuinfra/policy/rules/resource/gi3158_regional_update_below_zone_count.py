"""A regional group whose update step is smaller than its zones.

What: A regional group that updates proactively has a fixed surge or unavailability that is neither 0 nor at least the number of its zones.
Why: A regional group changes machines in every zone at once, and refuses a step that some zone gets nothing of.
Fix: Write 0, or at least as many as the group has zones.
References: world-federation-of-advertisers/cross-media-measurement#4138
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import REGION_GROUP
from ...resource_graph import Unknown
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, number

CODE = described("GI3158", "regional-update-below-zone-count", Severity.ERROR, __doc__, ("GCP-MIG-04",))
_FEWEST = 3
"""A region has three zones or more."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group."""
    for r in ctx.gcp.of_type(REGION_GROUP):
        kind = r.get("updatePolicy", "type")
        if kind != "PROACTIVE" and not late(kind):
            continue
        zones = r.get("distributionPolicyZones")
        count = len(items(zones)) or _FEWEST
        for key in ("maxSurgeFixed", "maxUnavailableFixed"):
            value = r.get("updatePolicy", key)
            # How many names a look-up gives is known no more than the names are.
            open_zones = late(zones) or any(isinstance(z, Unknown) for z in items(zones))
            if late(value) or (open_zones and value is not None):
                yield Undecided(CODE.code, r.name, "the update step or the zones are not known yet")
            elif (step := number(value)) is not None and 0 < step < count:
                if late(kind):
                    yield Undecided(CODE.code, r.name, "whether the update begins by itself is not known yet")
                    continue
                yield CODE.at(
                    f"{r.name}.updatePolicy.{key}", f"{step:g}, and the group has {count} zones: 0, or {count} and more",
                    resource=r.name,
                )  # fmt: skip


_T = """\
- type: gcp.compute.RegionInstanceGroupManager
  name: group
  inputs:
    distributionPolicyZones: [us-central1-a, us-central1-b]
    updatePolicy: {{type: PROACTIVE, maxSurgeFixed: 0, maxUnavailableFixed: {0}}}
"""


RULE = ResourceRule(
    CODE,
    ("update", "zone"),
    check,
    Examples(
        (_T.format(2),),
        (_T.format(1),),
        (_T.format("!unknown "), _T.format(1).replace("[us-central1-a, us-central1-b]", "[!unknown '', !unknown '']")),
    ),
    providers=(Provider.GCP,),
)
