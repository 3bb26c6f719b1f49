"""The closest distance where it is not allowed.

What: A placement policy of maxDistance 1 stands on machines of a reservation, or on A3 Ultra, A4 or A4X.
Why: Google refuses distance 1 there: a reservation stands in its block already, and these types are placed by a workload policy.
Fix: Leave maxDistance out, or raise it; on A3 Ultra and newer use a workload policy of the group.
References: GoogleCloudPlatform/cluster-toolkit:resume.py; Google Cloud docs, Compact placement policy and workload policy overview
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...gcp_machines import has_rdma
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3147", "closest-distance-refused", Severity.ERROR, __doc__, ("GCP-PLC-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine under such a policy."""
    for m in ctx.gcp.machines:
        for policy in ctx.gcp.policies(m):
            distance = policy.get("groupPlacementPolicy", "maxDistance")
            if late(distance) and (m.purchase in (None, CapacityType.RESERVATION) or has_rdma(m)):
                yield Undecided(CODE.code, m.name, "the distance is not known yet")
            if number(distance) != 1:
                continue
            if m.purchase is None:
                yield Undecided(CODE.code, m.name, "how the machines are bought is not known yet")
            elif m.purchase is CapacityType.RESERVATION or has_rdma(m):
                why = m.machine_type if has_rdma(m) else "machines of a reservation"
                yield CODE.at(
                    f"{policy.name}.groupPlacementPolicy.maxDistance",
                    f"1 is refused for {why} ('{m.name}')",
                    resource=policy.name,
                )


_T = """\
- {{type: gcp.compute.ResourcePolicy, name: close, inputs: {{groupPlacementPolicy: {{maxDistance: 1}}}}}}
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: {0}, resourcePolicies: !ref close.id , reservationAffinity: {1}}}
"""


RULE = ResourceRule(
    CODE,
    ("placement",),
    check,
    Examples(
        (_T.format("a2-highgpu-8g", "null"),),
        (
            _T.format("a4-highgpu-8g", "null"),
            _T.format("a2-highgpu-8g", "{type: SPECIFIC_RESERVATION}"),
        ),
        (_T.format("a2-highgpu-8g", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
