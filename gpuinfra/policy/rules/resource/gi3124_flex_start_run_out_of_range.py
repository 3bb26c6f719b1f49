"""A flex-start run that is too long or too short.

What: The run time of a flex-start machine, of a resize request or of a flex-start pool is above seven days, or below ten minutes.
Severity: warning below the least
Why: Google runs flex-start machines for seven days at most and refuses more. The documentation names ten minutes as the least.
Fix: Take 600 to 604800 seconds.
References: Google Cloud docs, Flex-start VMs; GoogleCloudPlatform/cluster-toolkit:docs/slurm-dws-flex.md
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...gcp_types import REQUESTS
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3124", "flex-start-run-out-of-range", Severity.ERROR, __doc__, ("GCP-SCH-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each place that names a run time."""
    for m in ctx.gcp.machines:
        if m.purchase is not CapacityType.FLEX_START:
            continue
        value = m.get("maxRunDuration") if m.is_pool else m.get("scheduling", "maxRunDuration", "seconds")
        yield from _judged(
            m.name, m.path("maxRunDuration" if m.is_pool else "scheduling.maxRunDuration.seconds"), value
        )
    for r in ctx.gcp.of_type(*REQUESTS):
        path = f"{r.name}.requestedRunDuration.seconds"
        yield from _judged(r.name, path, r.get("requestedRunDuration", "seconds"))


def _judged(name: str, path: str, value: Any) -> Iterator[Diagnostic | Undecided]:
    if late(value):
        yield Undecided(CODE.code, name, "the run time is not known yet")
        return
    seconds = number(value.removesuffix("s") if isinstance(value, str) else value)
    most, least = (catalog.limit(Provider.GCP, w) for w in ("flex_start_seconds", "flex_start_seconds_min"))
    if seconds is None or most is None or least is None:
        return
    if seconds > most.maximum or seconds <= 0:
        yield CODE.at(path, f"{seconds:g} seconds; flex-start runs {most.maximum} at most", resource=name)
    elif seconds < least.maximum:
        yield CODE.at(
            path,
            f"{seconds:g} seconds; the documentation names {least.maximum} as the least",
            resource=name,
            severity=Severity.WARNING,
        )


_T = "- {{type: gcp.compute.ResizeRequest, name: ask, inputs: {{resizeBy: 4, requestedRunDuration: {{seconds: {0}}}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("capacity", "time"),
    check,
    Examples(
        (_T.format('"43200"'),),
        (
            _T.format('"1209600"'),
            _T.format('"300"'),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
