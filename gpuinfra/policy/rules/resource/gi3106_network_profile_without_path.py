"""A network profile by its bare name.

What: `networkProfile` is a name alone, as us-central1-b-vpc-roce.
Why: The API takes the profile's path or link and refuses its name.
Fix: Write projects/<project>/global/networkProfiles/<name>.
References: GoogleCloudPlatform/cloud-image-tests#537
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import NETWORK, last_part
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3106", "network-profile-without-path", Severity.ERROR, __doc__, ("GCP-NET-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each network."""
    for network in ctx.gcp.of_type(NETWORK):
        value = network.get("networkProfile")
        if late(value) and (not isinstance(value, str) or "/" not in value):
            yield Undecided(CODE.code, network.name, "the network profile is not known yet")
        elif isinstance(value, str) and "networkProfiles/" not in value:
            yield CODE.at(
                f"{network.name}.networkProfile",
                f"'{value}' is no path of a network profile",
                f"write projects/<project>/global/networkProfiles/{last_part(value)}",
                resource=network.name,
            )


_T = "- {{type: gcp.compute.Network, name: rdma, inputs: {{networkProfile: {0}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (
            _T.format("projects/acme-lab/global/networkProfiles/us-central1-b-vpc-roce"),
            _T.format("null"),
        ),
        (_T.format("us-central1-b-vpc-roce"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
