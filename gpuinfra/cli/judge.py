"""From the path of a spec to its plan and every finding about it, each with its place in the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from ..diagnostics import Diagnostic, in_order
from . import report

if TYPE_CHECKING:
    from ..plan.models import ClusterPlan
    from ..spec.load import Loaded
    from .governing import Ruling


class MomentParam(click.ParamType):  # type: ignore[type-arg]
    """An instant with its offset, on the command line."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        from ..spec.quantities import QuantityError, parse_moment

        if isinstance(value, datetime):
            return value
        try:
            return parse_moment(str(value))
        except QuantityError:
            self.fail(f"'{value}' is not a moment with an offset; write 2026-12-05T18:00:00Z", param, ctx)


now_option = click.option(
    "--now",
    type=MomentParam(),
    metavar="MOMENT",
    help="Judge leases and capacity blocks by this moment and not by the clock, as 2026-12-05T18:00:00Z.",
)

format_option = click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the output.",
)


@dataclass(frozen=True)
class Judged:
    """One spec, read, planned and judged. `plan` is None where nothing could be decided."""

    loaded: Loaded
    plan: ClusterPlan | None
    findings: tuple[Diagnostic, ...]

    def with_findings(self, more: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The findings and others, each with its place in the file."""
        return in_order((*self.findings, *(self.loaded.locate(d) for d in more)))


def judge(path: str, now: datetime | None, ruling: Ruling | None = None) -> Judged:
    """Reads, plans and judges the spec at a path (`-` is standard input). Never raises for what the file holds."""
    from ..spec.load import load

    return judge_loaded(load(path), now, ruling)


def judge_loaded(loaded: Loaded, now: datetime | None, ruling: Ruling | None = None) -> Judged:
    """Plans and judges a spec that was read, by what the settings say of the rules."""
    from ..policy.judgement import judge as judgement_of

    if ruling is None:
        judgement = judgement_of(loaded, now)
    else:
        judgement = judgement_of(loaded, now, options=ruling.options, own=ruling.own, faults=ruling.faults)
    return Judged(loaded, judgement.plan, judgement.diagnostics)


def findings_text(found: Sequence[Diagnostic], paths: Sequence[str]) -> str:
    """The findings and their summary, as they look where standard output goes."""
    return report.rendered(report.of(found, paths), "text")
