"""A placement policy of another region, or for machines that take none.

What: A resource policy stands in another region than its machines, or a compact placement stands on a machine type that takes none.
Why: Policies are regional, and N1 and shared-core machines cannot be placed close together: the machine is refused.
Fix: Make the policy in the machines' region, and leave it out for N1.
References: Google Cloud docs, Compact placement policies; GoogleCloudPlatform/cluster-toolkit#158
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import last_part, region_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3150", "policy-of-another-region", Severity.ERROR, __doc__, ("GCP-PLC-07",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each policy, and one for each machine that takes none."""
    astray: dict[str, tuple[Resource, dict[str, set[str]]]] = {}
    for m in ctx.gcp.machines:
        stands, unknown = ctx.gcp.zones(m)
        regions = {region_of(z) for z in stands}
        policies = (*ctx.gcp.policies(m), *(p for g in m.groups for p in ctx.gcp.group_policies(g)))
        for policy in policies:
            said = policy.get("region")
            if late(said) or (unknown and said is not None):
                yield Undecided(CODE.code, m.name, "the region of the machines or of the policy is not known yet")
            elif isinstance(said, str) and regions and last_part(said) not in regions:
                astray.setdefault(policy.urn, (policy, {}))[1].setdefault(m.name, set()).update(regions)
            if (
                policy.get("groupPlacementPolicy") is not None
                and m.facts is not None
                and m.facts.cluster_placement_supported is False
            ):
                yield CODE.at(
                    m.path("resourcePolicies"), f"{m.machine_type} takes no compact placement", resource=m.name
                )
    for policy, found in astray.values():
        named = ", ".join(f"'{name}'" for name in found)
        where = ", ".join(sorted({r for regions in found.values() for r in regions}))
        yield CODE.at(
            f"{policy.name}.region",
            f"the policy stands in {last_part(str(policy.get('region')))}, and machines {named} in {where}",
            resource=policy.name,
        )


_T = """\
- {{type: gcp.compute.ResourcePolicy, name: close, inputs: {{region: {0}, groupPlacementPolicy: {{maxDistance: 2}}}}}}
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: {1}, zone: us-central1-b, resourcePolicies: !ref close.id }}
"""


RULE = ResourceRule(
    CODE,
    ("placement", "zone"),
    check,
    Examples(
        (_T.format("us-central1", "a2-highgpu-8g"),),
        (
            _T.format("us-east1", "a2-highgpu-8g"),
            _T.format("us-central1", "n1-standard-8"),
        ),
        (_T.format("!unknown ", "a2-highgpu-8g"),),
    ),
    providers=(Provider.GCP,),
)
