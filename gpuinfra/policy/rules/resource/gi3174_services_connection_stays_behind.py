"""A services connection that keeps its network from being deleted.

What: A private services connection in a network of this program has no deletionPolicy REMOVE_PEERING.
Why: The file systems' side holds the peering after they are gone: the connection and the network cannot be deleted, and `destroy` fails.
Fix: Set deletionPolicy: REMOVE_PEERING.
References: hashicorp/terraform-provider-google#18834; DefangLabs/pulumi-defang#462
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import NETWORK, SERVICES
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3174", "services-connection-stays-behind", Severity.WARNING, __doc__, ("GCP-STO-07",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each connection that is not protected."""
    for c in ctx.gcp.of_type(SERVICES):
        said = c.get("deletionPolicy")
        if not ctx.gcp.linked(c, "network", NETWORK).resources or c.options.get("protect") is True:
            continue
        if late(said):
            yield Undecided(CODE.code, c.name, "the deletion policy is not known yet")
        elif said != "REMOVE_PEERING":
            yield CODE.at(
                f"{c.name}.deletionPolicy", f"{said or 'absent'}: `destroy` will not get rid of it", resource=c.name
            )


_T = """\
- {{type: gcp.compute.Network, name: net, inputs: {{}}}}
- {{type: gcp.servicenetworking.Connection, name: services, inputs: {{network: !ref net.id , deletionPolicy: {0}}}}}
"""


RULE = ResourceRule(
    CODE,
    ("storage", "network"),
    check,
    Examples((_T.format("REMOVE_PEERING"),), (_T.format("null"),), (_T.format("!unknown "),)),
    providers=(Provider.GCP,),
)
