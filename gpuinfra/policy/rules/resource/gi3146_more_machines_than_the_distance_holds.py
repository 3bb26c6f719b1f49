"""More machines than fit into the distance.

What: More machines stand under a compact placement policy than its maxDistance allows.
Why: The cloud answers 'No more than N instances', or finds no room for the last ones.
Fix: Raise maxDistance, or split the machines over several policies.
References: dstackai/dstack#2586; GoogleCloudPlatform/cluster-toolkit#3354
"""

from __future__ import annotations

from collections.abc import Iterator

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import RESOURCE_POLICY
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3146", "more-machines-than-the-distance-holds", Severity.ERROR, __doc__, ("GCP-PLC-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each policy."""
    for policy in ctx.gcp.of_type(RESOURCE_POLICY):
        distance = policy.get("groupPlacementPolicy", "maxDistance")
        placed = [m for m in ctx.gcp.machines if policy in ctx.gcp.policies(m)]
        if late(distance) and placed:
            yield Undecided(CODE.code, policy.name, "the distance is not known yet")
        steps = number(distance)
        if steps is None or not placed:
            continue
        newer = all(m.machine_type.startswith("a3-") for m in placed)
        words = [f"placement_distance_{steps:g}_a3"] if newer else []
        words.append(f"placement_distance_{steps:g}")
        row = next((r for w in words if (r := catalog.limit(Provider.GCP, w)) is not None), None)
        count = sum(ctx.gcp.most_machines(m) for m in placed)
        if row is not None and count <= row.maximum and any(ctx.gcp.several(m) is None for m in placed):
            yield Undecided(CODE.code, policy.name, "how many machines stand under it is not known yet")
        if row is not None and count > row.maximum:
            yield CODE.at(
                f"{policy.name}.groupPlacementPolicy.maxDistance",
                f"up to {count:g} machines stand under the policy, and distance {steps:g} holds {row.maximum}",
                resource=policy.name,
            )


_T = """\
- {{type: gcp.compute.ResourcePolicy, name: close, inputs: {{groupPlacementPolicy: {{maxDistance: {0}}}}}}}
- type: gcp.compute.InstanceTemplate
  name: nodes
  inputs: {{machineType: a2-highgpu-8g, resourcePolicies: !ref close.id }}
- type: gcp.compute.InstanceGroupManager
  name: group
  inputs: {{targetSize: {1}, versions: [{{instanceTemplate: !ref nodes.id }}]}}
"""


RULE = ResourceRule(
    CODE,
    ("placement",),
    check,
    Examples(
        (
            _T.format(1, 22),
            _T.format(2, 150),
        ),
        (
            _T.format(1, 23),
            _T.format(2, 151),
        ),
        (_T.format("!unknown ", 23),),
    ),
    providers=(Provider.GCP,),
)
