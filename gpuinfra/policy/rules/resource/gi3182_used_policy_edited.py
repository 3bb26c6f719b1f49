"""A placement policy that is edited while machines use it.

What: The number of machines, the collocation or the distance of a placement policy changes under the same name.
Why: The provider patches the policy, and machines that run stay where they were placed: the program says close, the machines stand apart.
Fix: Put the number and the distance into the policy's name, so that a change makes a new policy and new machines.
References: hashicorp/terraform-provider-google, google_compute_resource_policy; Google Cloud docs, compact placement policies
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import RESOURCE_POLICY
from ...last_inputs import changed, covered, last, unsure
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3182", "used-policy-edited", Severity.WARNING, __doc__, ("GCP-PLC-08",))
_PATCHED = tuple(
    f"groupPlacementPolicy.{k}" for k in ("vmCount", "collocation", "maxDistance", "availabilityDomainCount")
)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each policy whose last inputs are known."""
    for policy in ctx.gcp.of_type(RESOURCE_POLICY):
        was = last(ctx, policy)
        if was is None or (policy.get("name") is not None and policy.get("name") != was.get("name")):
            continue
        if any(covered(policy, "replaceOnChanges", p) for p in _PATCHED):
            continue
        found = [p for p in changed(was, policy, _PATCHED) if not covered(policy, "ignoreChanges", p)]
        if found:
            yield CODE.at(
                f"{policy.name}.{found[0]}",
                f"{', '.join(p.rpartition('.')[2] for p in found)} changes under one name: machines that run stay where "
                "they are",
                resource=policy.name,
            )
        elif open_ := unsure(was, policy, _PATCHED):
            yield Undecided(CODE.code, policy.name, f"whether {', '.join(open_)} changes is not known yet")


_T = """\
- type: gcp.compute.ResourcePolicy
  name: close
  inputs: {{name: {0}, groupPlacementPolicy: {{collocation: COLLOCATED, vmCount: {1}}}}}
"""
_URN = "urn:pulumi:dev::example::gcp:compute/resourcePolicy:ResourcePolicy::close"
_WAS = {"name": "close-4", "groupPlacementPolicy": {"collocation": "COLLOCATED", "vmCount": 4}}

RULE = ResourceRule(
    CODE,
    ("placement", "drift"),
    check,
    Examples(
        (_T.format("close-4", 4), _T.format("close-8", 8)),
        (_T.format("close-4", 8),),
        (_T.format("close-4", "!unknown "),),
        facts={_URN: {"inputs": _WAS}},
    ),
    providers=(Provider.GCP,),
)
