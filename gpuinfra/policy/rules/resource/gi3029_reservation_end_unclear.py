"""A reservation whose end type and end date disagree.

What: A capacity reservation of endDateType `limited` has no end date, one of `unlimited` has one, or the date is past.
Why: EC2 refuses the first two; a date in the past ends the reservation, and its machines, at once.
Fix: Give `limited` an end date in the future, or use `unlimited` without one.
References: EC2 API, CreateCapacityReservation
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import moment
from ...aws_graph import RESERVATION
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3029", "reservation-end-unclear", Severity.ERROR, __doc__, ("AWS CAP-11",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each reservation. Absent, the type is `unlimited`."""
    for r in ctx.aws.of_type(RESERVATION):
        kind, end = r.get("endDateType") or "unlimited", r.get("endDate")
        if late(r.get("endDateType")) or late(end):
            yield Undecided(CODE.code, r.name, "the end is not known yet")
        elif kind == "limited" and end is None:
            yield CODE.at(f"{r.name}.endDate", "endDateType is 'limited', and there is no end date", resource=r.name)
        elif kind == "unlimited" and end is not None:
            yield CODE.at(f"{r.name}.endDateType", f"endDateType is 'unlimited', and the end is {end}", resource=r.name)
        elif ctx.now is not None and (at := moment(end)) is not None and at <= ctx.now:
            yield CODE.at(f"{r.name}.endDate", f"the end {end} is past", resource=r.name)


_T = "- {{type: aws.ec2.CapacityReservation, name: held, inputs: {{{0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("capacity", "time"),
    check,
    Examples(
        (_T.format('endDateType: limited, endDate: "2026-12-08T00:00:00Z"'), _T.format("")),
        (
            _T.format("endDateType: limited"),
            _T.format('endDateType: limited, endDate: "2026-11-01T00:00:00Z"'),
            _T.format('endDate: "2026-12-08T00:00:00Z"'),
        ),
        (_T.format("endDateType: limited, endDate: !unknown "),),
    ),
    providers=(Provider.AWS,),
)
