"""A reservation that was made in a placement group, and a pool outside of it.

What: The reservation that a pool names was made in a placement group that the pool does not use, or the pool uses a group and the reservation was made in none.
Why: Such a reservation serves launches into that group alone: the nodes are refused, or are fewer than were paid for.
Fix: Name the reservation's group in proximity, or set proximity: none where it was made in none.
References: eksctl-io/eksctl#7949; terraform-aws-modules/terraform-aws-eks PR #3730
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....vocabulary import Provider
from ...account_facts import Absent
from ...account_pools import passed, reserved_pools, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4026", "reservation-in-other-group", Severity.ERROR, __doc__, ("AWS PLC-03", "AWS PLC-02"))
_NONE = "none"


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each pool whose reservation holds its machines."""
    for named in reserved_pools(ctx):
        path = f"{named.pool.path}.proximity"
        if isinstance(named.found, Absent):
            yield unsure(CODE, path, named.found)
            continue
        if not named.fitting:
            continue
        groups = {_name(m.placement_group) for m in named.fitting}
        placement = named.pool.placement
        own = "" if placement.mode == _NONE else placement.name or named.pool.resource_name
        if own in groups:
            yield passed(CODE, path, f"{named.id} was made in {_said(own)}, as the pool is")
        else:
            group = min(groups)
            text = f"{named.id} was made in {_said(group)}, and pool '{named.pool.name}' is in {_said(own)}"
            yield CODE.at(path, text, f"set proximity: {group or _NONE}")


def _name(arn: str) -> str:
    """The name of a group, of an ARN that ends in placement-group/NAME."""
    return arn.rpartition("placement-group/")[2]


def _said(group: str) -> str:
    return f"group '{group}'" if group else "no group"


_T = """\
spec: {{node_pools: [{{proximity: {0}, capacity: {{type: reservation, id: cr-0aaa1111bbbb2222c}}}}]}}
account:
  reservations: {{{2}: {{members: [{{instance_type: p5.48xlarge, placement_group: {1}}}]}}}}
"""
_ARN = '"arn:aws:ec2:us-east-1:123456789012:placement-group/dense"'
_ID = "cr-0aaa1111bbbb2222c"

RULE = AccountRule(
    CODE,
    ("capacity", "placement"),
    check,
    Examples(
        (_T.format("dense", _ARN, _ID), _T.format("none", '""', _ID), _T.format("auto", '""', _ID)),
        (_T.format("none", _ARN, _ID), _T.format("dense", '""', _ID)),
        (_T.format("none", _ARN, "cr-0ccc1111bbbb2222c"),),
    ),
    providers=(Provider.AWS,),
)
