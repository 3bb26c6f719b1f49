"""A capacity block used as a reservation, or the reverse.

What: The pool says `reservation` and the id is that of a capacity block, or says `capacity_block` and the id is that of an on-demand reservation.
Why: The launch needs the market type of the one or the other: EC2 answers that the market type (purchasing) option is not valid, at every launch.
Fix: Set capacity.type to what the id is; a capacity block takes starts and ends too.
References: terraform-aws-modules/terraform-aws-ec2-instance#383; aws/aws-parallelcluster, CapacityReservationValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....vocabulary import CapacityType, Provider
from ...account_facts import Absent
from ...account_pools import passed, reserved_pools, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4022", "reservation-of-other-kind", Severity.ERROR, __doc__, ("AWS CAP-04",))
_BLOCK = "capacity_block"


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each pool whose reservation is there."""
    for named in reserved_pools(ctx):
        path = f"{named.pool.path}.capacity.type"
        if isinstance(named.found, Absent):
            yield unsure(CODE, path, named.found)
            continue
        kinds = {m.kind == _BLOCK for m in named.members}
        asked = named.pool.capacity.type is CapacityType.CAPACITY_BLOCK
        if not kinds:
            continue
        if kinds == {not asked}:
            what = "an on-demand reservation" if asked else "a capacity block"
            instead = "reservation" if asked else "capacity_block, with its starts and ends"
            yield CODE.at(path, f"{named.id} is {what}, and the pool is bought as {named.pool.capacity.type}",
                          f"set capacity.type: {instead}")  # fmt: skip
        else:
            yield passed(CODE, path, f"{named.id} is a {named.pool.capacity.type}")


_T = """\
spec: {{node_pools: [{{capacity: {{type: reservation, id: cr-0aaa1111bbbb2222c}}}}]}}
account:
  reservations: {{{1}: {{members: [{{kind: {0}, instance_type: p5.48xlarge}}]}}}}
"""

RULE = AccountRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("on_demand", "cr-0aaa1111bbbb2222c"),),
        (_T.format("capacity_block", "cr-0aaa1111bbbb2222c"),),
        (_T.format("on_demand", "cr-0ccc1111bbbb2222c"),),
    ),
    providers=(Provider.AWS,),
)
