"""Several machines with a fabric, and nothing that keeps them together.

What: A group of more than one machine with GPUDirect or RDMA, bought on demand or as spot, has no placement or workload policy.
Why: The cloud may spread the machines over the whole zone: each step of a job waits for the longest way.
Fix: Add a workload policy of type HIGH_THROUGHPUT to the group.
References: Google Cloud docs, Compact placement policy and workload policy overview
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, FabricKind, Provider
from ...gcp_machines import Machines
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3151", "fabric-machines-far-apart", Severity.WARNING, __doc__, ())
_APART = (CapacityType.ON_DEMAND, CapacityType.SPOT)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template; what our own component made is judged by the plan rules."""
    for m in ctx.gcp.vms:
        if m.facts is None or m.facts.fabric is FabricKind.NONE or ctx.gcp.several(m) is False:
            continue
        if ctx.gcp.ours(m.source):
            continue
        if m.get("resourcePolicies") is not None:
            yield from _apart(ctx, m)
            continue
        if any(g.get("resourcePolicies", "workloadPolicy") is not None for g in m.groups):
            continue
        if m.purchase is None:
            yield Undecided(CODE.code, m.name, "how the machines are bought is not known yet")
        elif m.purchase in _APART and not ctx.gcp.several(m):
            yield Undecided(CODE.code, m.name, "how many machines there are is not known yet")
        elif m.purchase in _APART:
            yield CODE.at(
                m.path("resourcePolicies"),
                f"up to {ctx.gcp.most_machines(m):g} machines of {m.machine_type} without a placement policy",
                resource=m.name,
            )


def _apart(ctx: GraphContext, m: Machines) -> Iterator[Diagnostic]:
    """A placement policy that does not say to stand together."""
    for policy in ctx.gcp.policies(m):
        placed = policy.get("groupPlacementPolicy")
        if isinstance(placed, Mapping) and policy.get("groupPlacementPolicy", "collocation") is None:
            yield CODE.at(
                f"{policy.name}.groupPlacementPolicy.collocation",
                f"the policy of machines '{m.name}' does not keep them together",
                "set collocation: COLLOCATED",
                resource=policy.name,
            )


_T = """\
- type: gcp.compute.InstanceTemplate
  name: nodes
  inputs: {{machineType: a3-megagpu-8g, scheduling: {{provisioningModel: {1}}}}}
- type: gcp.compute.InstanceGroupManager
  name: group
  inputs: {{targetSize: {0}, versions: [{{instanceTemplate: !ref nodes.id }}]}}
"""


RULE = ResourceRule(
    CODE,
    ("placement", "fabric"),
    check,
    Examples(
        (
            _T.format(1, "SPOT"),
            _T.format(4, "RESERVATION_BOUND"),
        ),
        (_T.format(4, "SPOT"),),
        (_T.format(4, "!unknown "), _T.format("!unknown ", "SPOT")),
    ),
    providers=(Provider.GCP,),
)
