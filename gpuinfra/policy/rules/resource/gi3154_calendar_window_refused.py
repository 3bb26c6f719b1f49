"""A calendar reservation whose window is not sold.

What: A future reservation in calendar mode is shorter than a day or longer than 90, begins in the past, or is for a machine type older than A3.
Why: Google refuses the request.
Fix: Take 1 to 90 days from a moment to come, of A3 or newer.
References: Google Cloud docs, Future reservations in calendar mode
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import FUTURE_RESERVATION, last_part
from ...moments import moment
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3154", "calendar-window-refused", Severity.ERROR, __doc__, ("GCP-RSV-05",))
_DAY = 86400
_OLDER = re.compile(r"(?:n1|a2|g2)-")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each fault of a reservation."""
    most = catalog.limit(Provider.GCP, "calendar_reservation_days")
    for r in ctx.gcp.of_type(FUTURE_RESERVATION):
        if late(r.get("reservationMode")):
            yield Undecided(CODE.code, r.name, "the mode of the reservation is not known yet")
        if r.get("reservationMode") != "CALENDAR":
            continue
        begins, ends = (r.get("timeWindow", k) for k in ("startTime", "endTime"))
        kind = r.get("specificSkuProperties", "instanceProperties", "machineType")
        if any(map(late, (begins, ends, kind))):
            yield Undecided(CODE.code, r.name, "the window is not known yet")
            continue
        start, end = moment(begins), moment(ends)
        seconds = (end - start).total_seconds() if start and end else number(r.get("timeWindow", "duration", "seconds"))
        if seconds is not None and most is not None and not _DAY <= seconds <= most.maximum * _DAY:
            yield CODE.at(
                f"{r.name}.timeWindow", f"{seconds / _DAY:g} days; 1 to {most.maximum} are sold", resource=r.name
            )
        if start is not None and ctx.now is not None and start <= ctx.now:
            yield CODE.at(f"{r.name}.timeWindow.startTime", f"{begins} is past", resource=r.name)
        if isinstance(kind, str) and _OLDER.match(last_part(kind)):
            yield CODE.at(
                f"{r.name}.specificSkuProperties.instanceProperties.machineType",
                f"{last_part(kind)} is older than A3, and calendar mode is for A3 and newer",
                resource=r.name,
            )


_T = """\
- type: gcp.compute.FutureReservation
  name: window
  inputs:
    reservationMode: CALENDAR
    timeWindow: {{startTime: {0}, endTime: {1}}}
    specificSkuProperties: {{instanceProperties: {{machineType: {2}}}, totalCount: 4}}
"""


RULE = ResourceRule(
    CODE,
    ("capacity", "time"),
    check,
    Examples(
        (_T.format("2026-12-10T00:00:00Z", "2026-12-24T00:00:00Z", "a4-highgpu-8g"),),
        (
            _T.format("2026-12-10T00:00:00Z", "2027-06-24T00:00:00Z", "a4-highgpu-8g"),
            _T.format("2026-11-10T00:00:00Z", "2026-12-01T00:00:00Z", "a4-highgpu-8g"),
            _T.format("2026-12-10T00:00:00Z", "2026-12-24T00:00:00Z", "a2-highgpu-8g"),
        ),
        (_T.format("!unknown ", "2026-12-24T00:00:00Z", "a4-highgpu-8g"),),
    ),
    providers=(Provider.GCP,),
)
