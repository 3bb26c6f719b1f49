"""A resize request that `destroy` stumbles over.

What: A resize request has no deletionPolicy ABANDON.
Why: A request that has ended cannot be cancelled: `destroy` fails with 'Cancelling resize request that has reached a final state is not possible'.
Fix: Set deletionPolicy: ABANDON, or refresh before each destroy.
References: hashicorp/terraform-provider-google#25218
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import REQUESTS
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3178", "finished-request-cannot-be-destroyed", Severity.WARNING, __doc__, ("GCP-OPS-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each request."""
    for r in ctx.gcp.of_type(*REQUESTS):
        said = r.get("deletionPolicy")
        if late(said):
            yield Undecided(CODE.code, r.name, "the deletion policy is not known yet")
        elif said != "ABANDON":
            yield CODE.at(
                f"{r.name}.deletionPolicy",
                f"{said or 'absent'}: a request that has ended stops `destroy`",
                resource=r.name,
            )


_T = "- {{type: gcp.compute.ResizeRequest, name: ask, inputs: {{resizeBy: 4, deletionPolicy: {0}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("capacity", "drift"),
    check,
    Examples((_T.format("ABANDON"),), (_T.format("null"),), (_T.format("!unknown "),)),
    providers=(Provider.GCP,),
)
