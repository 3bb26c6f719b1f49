"""A firewall policy that an RDMA network refuses.

What: A regional firewall policy is associated with an RDMA network, and its `policyType` is not RDMA_ROCE_POLICY.
Why: Without a type a policy is one for ordinary networks, and the association is refused.
Fix: Set policyType: RDMA_ROCE_POLICY.
References: hashicorp/terraform-provider-google#23233
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import is_roce, profile_unknown
from ...gcp_types import NETWORK
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3109", "rdma-firewall-policy-of-other-type", Severity.ERROR, __doc__, ("GCP-NET-09",))
_ASSOCIATION = "gcp:compute/regionNetworkFirewallPolicyAssociation:RegionNetworkFirewallPolicyAssociation"
_POLICY = "gcp:compute/regionNetworkFirewallPolicy:RegionNetworkFirewallPolicy"
_WANTED = "RDMA_ROCE_POLICY"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each policy."""
    for a in ctx.gcp.of_type(_ASSOCIATION):
        networks = ctx.gcp.linked(a, "attachmentTarget", NETWORK).resources
        open_ = any(profile_unknown(n) for n in networks)
        if not open_ and not any(is_roce(n) for n in networks):
            continue
        for policy in ctx.gcp.linked(a, "firewallPolicy", _POLICY).resources:
            said = policy.get("policyType")
            if late(said) or (open_ and said != _WANTED):
                yield Undecided(CODE.code, policy.name, "the type of the policy, or of the network, is not known yet")
            elif said != _WANTED:
                yield CODE.at(
                    f"{policy.name}.policyType",
                    f"{said or 'absent, which means VPC_POLICY'}; an RDMA network takes {_WANTED}",
                    resource=policy.name,
                )


_T = """\
- type: gcp.compute.Network
  name: rdma
  inputs: {{networkProfile: projects/acme-lab/global/networkProfiles/us-central1-b-vpc-roce}}
- {{type: gcp.compute.RegionNetworkFirewallPolicy, name: rules, inputs: {{policyType: {0}}}}}
- type: gcp.compute.RegionNetworkFirewallPolicyAssociation
  name: joined
  inputs: {{attachmentTarget: !ref rdma.id , firewallPolicy: !ref rules.name }}
"""


RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format("RDMA_ROCE_POLICY"),),
        (
            _T.format("null"),
            _T.format("VPC_POLICY"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
