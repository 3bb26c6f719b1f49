"""A placement policy where its kind does not belong.

What: A workload policy stands on a machine or template, a placement policy stands in a group's workload policy, or a placement policy stands on the template of a group of A3 Ultra, A4 or A4X.
Why: A workload policy works through the group and a placement policy through the machine; the newer types in a group take the workload policy only.
Fix: Put a policy with workloadPolicy into the group's resourcePolicies.workloadPolicy, one with groupPlacementPolicy into the machine's resourcePolicies.
References: Google Cloud docs, Compact placement policy and workload policy overview
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_machines import has_rdma
from ...gcp_types import GROUPS, RESOURCE_POLICY
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3149", "policy-in-the-wrong-place", Severity.ERROR, __doc__, ("GCP-PLC-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine and each group."""
    for m in ctx.gcp.vms:
        value = m.get("resourcePolicies")
        if late(value) and not ctx.gcp.linked(m.source, "resourcePolicies", RESOURCE_POLICY).resources:
            yield Undecided(CODE.code, m.name, "the resource policy is not known yet")
        for policy in ctx.gcp.policies(m):
            if policy.get("workloadPolicy") is not None:
                fault = f"'{policy.name}' is a workload policy, which belongs to the group"
            elif policy.get("groupPlacementPolicy") is not None and m.groups and has_rdma(m):
                fault = f"'{policy.name}' is a placement policy; {m.machine_type} in a group takes a workload policy"
            else:
                continue
            yield CODE.at(m.path("resourcePolicies"), fault, resource=m.name)
    for group in ctx.gcp.of_type(*GROUPS):
        for policy in ctx.gcp.group_policies(group):
            if policy.get("groupPlacementPolicy") is not None:
                yield CODE.at(
                    f"{group.name}.resourcePolicies.workloadPolicy",
                    f"'{policy.name}' is a placement policy, which belongs to the machines",
                    resource=group.name,
                )


_T = """\
- {{type: gcp.compute.ResourcePolicy, name: close, inputs: {{{0}: {{type: x}}}}}}
- type: gcp.compute.InstanceTemplate
  name: nodes
  inputs: {{machineType: {1}, resourcePolicies: !ref close.id }}
- {{type: gcp.compute.InstanceGroupManager, name: group, inputs: {{versions: [{{instanceTemplate: !ref nodes.id }}]}}}}
"""
_GROUP = """\
- {{type: gcp.compute.ResourcePolicy, name: close, inputs: {{{0}: {{type: x}}}}}}
- type: gcp.compute.InstanceGroupManager
  name: group
  inputs: {{resourcePolicies: {{workloadPolicy: !ref close.selfLink }}}}
"""
_UNKNOWN = "- {type: gcp.compute.Instance, name: box, inputs: {resourcePolicies: !unknown }}\n"


RULE = ResourceRule(
    CODE,
    ("placement",),
    check,
    Examples(
        (
            _T.format("groupPlacementPolicy", "a2-highgpu-8g"),
            _GROUP.format("workloadPolicy"),
        ),
        (
            _T.format("workloadPolicy", "a2-highgpu-8g"),
            _T.format("groupPlacementPolicy", "a4-highgpu-8g"),
            _GROUP.format("groupPlacementPolicy"),
        ),
        (_UNKNOWN,),
    ),
    providers=(Provider.GCP,),
)
