"""A reservation that is not there.

What: The reservation, capacity block or reservation group that a pool names does not exist in this account and region.
Why: Every launch is refused (InvalidCapacityReservationId.NotFound, 404): a wrong id, or one of another region, project or account.
Fix: Give the id as the cloud lists it in this region, with the project or subscription that owns it.
References: aws/aws-parallelcluster, CapacityReservationValidator; GoogleCloudPlatform/cluster-toolkit#5074
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ...account_facts import Absent
from ...account_pools import passed, reserved_pools, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4020", "reservation-not-found", Severity.ERROR, __doc__, ("AWS CAP-04", "GCP-RSV-01", "GCP-RSV-02"))


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each pool that names one."""
    for named in reserved_pools(ctx):
        if isinstance(named.found, Absent):
            yield unsure(CODE, named.path, named.found)
        elif named.found is None:
            yield CODE.at(named.path, f"'{named.id}' is not in {ctx.plan.region} of this account")
        elif not named.members:
            yield CODE.at(named.path, f"'{named.id}' holds no reservation")
        else:
            yield passed(CODE, named.path, f"{named.id} is there")


_T = """\
spec: {{node_pools: [{{capacity: {{type: reservation, id: cr-0aaa1111bbbb2222c}}}}]}}
account: {{reservations: {{{0}}}}}
"""
_HELD = "cr-0aaa1111bbbb2222c: {members: [{instance_type: p5.48xlarge, total: 2}]}"

RULE = AccountRule(
    CODE,
    ("capacity",),
    check,
    Examples((_T.format(_HELD),), (_T.format("cr-0aaa1111bbbb2222c: null"),), (_T.format(""),)),
)
