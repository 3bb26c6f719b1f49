"""A placement policy that measures closeness in two ways.

What: A placement policy has maxDistance and gpuTopology, or is COLLOCATED and has availabilityDomainCount, or a workload policy has acceleratorTopology and maxTopologyDistance.
Why: The two exclude each other, and the policy is refused. Availability domains spread machines, and COLLOCATED puts them together.
Fix: Keep the topology for racks (1x72), the distance for everything else.
References: Google Cloud docs, Compact placement policy and workload policy overview
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import RESOURCE_POLICY
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3145", "placement-policy-with-two-rulers", Severity.ERROR, __doc__, ("GCP-PLC-02",))
_PAIRS = (
    ("groupPlacementPolicy", "maxDistance", "gpuTopology"),
    ("groupPlacementPolicy", "collocation", "availabilityDomainCount"),
    ("workloadPolicy", "acceleratorTopology", "maxTopologyDistance"),
)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each policy."""
    for policy in ctx.gcp.of_type(RESOURCE_POLICY):
        for kind, *keys in _PAIRS:
            values = [policy.get(kind, k) for k in keys]
            if any(v is None for v in values):
                continue
            if any(map(late, values)):
                yield Undecided(CODE.code, policy.name, f"{' or '.join(keys)} is not known yet")
            else:
                yield CODE.at(
                    f"{policy.name}.{kind}", f"{keys[0]} and {keys[1]} exclude each other", resource=policy.name
                )


_T = """\
- type: gcp.compute.ResourcePolicy
  name: close
  inputs: {{workloadPolicy: {{type: HIGH_THROUGHPUT, acceleratorTopology: 1x72, maxTopologyDistance: {0}}}}}
"""


RULE = ResourceRule(
    CODE,
    ("placement",),
    check,
    Examples((_T.format("null"),), (_T.format("BLOCK"),), (_T.format("!unknown "),)),
    providers=(Provider.GCP,),
)
