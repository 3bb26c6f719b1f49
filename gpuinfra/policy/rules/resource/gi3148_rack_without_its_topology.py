"""A4X machines without the topology of their rack.

What: A group of A4X machines has no workload policy of topology 1x72, or more machines stand under one policy than a rack holds.
Why: An A4X rack is one NVLink domain of 72 GPUs: without the policy the group is refused, and more than 18 machines are no rack.
Fix: Set the group's resourcePolicies.workloadPolicy to a policy of type HIGH_THROUGHPUT and acceleratorTopology 1x72, one policy for 18 machines.
References: Google Cloud docs, Compact placement policy and workload policy overview
"""

from __future__ import annotations

from collections.abc import Iterator

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_machines import Machines
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3148", "rack-without-its-topology", Severity.ERROR, __doc__, ("GCP-PLC-05",))
_RACK = "1x72"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group, and one for each policy that holds too many."""
    held: dict[str, tuple[Resource, float]] = {}
    for m in ctx.gcp.vms:
        if m.facts is None or not m.facts.family.startswith("a4x"):
            continue
        for policy in ctx.gcp.policies(m):
            if policy.get("groupPlacementPolicy", "gpuTopology") is not None:
                held[policy.urn] = (policy, held.get(policy.urn, (policy, 0))[1] + ctx.gcp.most_machines(m))
        for group in m.groups:
            if late(group.get("targetSize")):
                yield Undecided(CODE.code, group.name, "how many machines the group has is not known yet")
            value = group.get("resourcePolicies", "workloadPolicy")
            policies = ctx.gcp.group_policies(group)
            if value is None:
                yield CODE.at(
                    f"{group.name}.resourcePolicies.workloadPolicy",
                    f"absent; {m.machine_type} needs a policy of topology {_RACK}",
                    resource=group.name,
                )
            for policy in policies:
                said = policy.get("workloadPolicy", "acceleratorTopology")
                held[policy.urn] = (policy, held.get(policy.urn, (policy, 0))[1] + _size(ctx, m, group))
                if late(said):
                    yield Undecided(CODE.code, policy.name, "the topology is not known yet")
                elif said != _RACK:
                    yield CODE.at(
                        f"{policy.name}.workloadPolicy.acceleratorTopology",
                        f"{said or 'absent'}; {m.machine_type} needs {_RACK}",
                        resource=policy.name,
                    )
    row = catalog.limit(Provider.GCP, "placement_a4x")
    for policy, count in held.values():
        if row is not None and count > row.maximum:
            yield CODE.at(
                policy.name,
                f"{count:g} machines stand under the policy, and a rack holds {row.maximum}",
                resource=policy.name,
            )


def _size(ctx: GraphContext, m: Machines, group: Resource) -> float:
    asked = sum(number(r.get("resizeBy")) or 0 for r in ctx.gcp.requests_at(group))
    return (number(group.get("targetSize")) or 0) + asked


_T = """\
- type: gcp.compute.ResourcePolicy
  name: rack
  inputs: {{workloadPolicy: {{type: HIGH_THROUGHPUT, acceleratorTopology: {0}}}}}
- {{type: gcp.compute.InstanceTemplate, name: nodes, inputs: {{machineType: a4x-highgpu-4g}}}}
- type: gcp.compute.InstanceGroupManager
  name: group
  inputs: {{targetSize: {1}, versions: [{{instanceTemplate: !ref nodes.id }}], resourcePolicies: {2}}}
"""
_OWN = "{workloadPolicy: !ref rack.id }"


RULE = ResourceRule(
    CODE,
    ("placement",),
    check,
    Examples(
        (_T.format("1x72", 18, _OWN),),
        (
            _T.format("1x72", 19, _OWN),
            _T.format("1x72", 4, "null"),
            _T.format("null", 4, _OWN),
        ),
        (_T.format("!unknown ", 4, _OWN),),
    ),
    providers=(Provider.GCP,),
)
