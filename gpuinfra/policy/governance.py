"""What becomes of the findings after the rules have spoken: severities, waivers and baseline, alike at every door."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from ..diagnostics import SEVERITY_ORDER, Diagnostic, Severity, Suppressed, Suppression, did_you_mean, in_order
from ..spec.findings import CODES as READING
from ..spec.quantities import shown
from .baseline import Baseline, Matching
from .organisation import is_known
from .registry import house_codes, plan_code
from .resource_graph import ResourceGraph
from .settings import NO_PACKAGE, Level, PlacedWaiver, Settings
from .waiver_files import matches_nothing

_NEVER_LESS = frozenset(c.code for c in READING)


@dataclass(frozen=True)
class Governed:
    """What a run says in the end."""

    findings: tuple[Diagnostic, ...]
    hidden: tuple[Diagnostic, ...] = ()
    """Turned off, or in the baseline."""
    gone: int = 0
    """Entries of the baseline that no longer occur."""
    raw: tuple[tuple[Diagnostic, str], ...] = ()
    """The findings before the baseline, each with the file it is about: what a new baseline is written from."""


@dataclass
class Governor:
    """Takes the findings of one file after the other, and at the end says what of settings and baseline was of no use.

    `now` judges waivers. Without it none is in force: nobody can say whether it is over.
    """

    now: datetime | None
    baseline: Baseline | None = None
    _found: list[Diagnostic] = field(default_factory=list[Diagnostic])
    _hidden: list[Diagnostic] = field(default_factory=list[Diagnostic])
    _raw: list[tuple[Diagnostic, str]] = field(default_factory=list[tuple[Diagnostic, str]])
    _waivers: dict[PlacedWaiver, bool] = field(default_factory=dict[PlacedWaiver, bool])
    """Each that could cover something here, and whether it did."""
    _elsewhere: dict[PlacedWaiver, None] = field(default_factory=dict["PlacedWaiver", None])
    """Those of other files than the ones that were judged."""
    _said: dict[Diagnostic, None] = field(default_factory=dict[Diagnostic, None])
    _levels: dict[str, Level] = field(default_factory=dict[str, Level])
    _files: list[str] = field(default_factory=list[str])
    _matching: Matching | None = field(init=False)

    def __post_init__(self) -> None:
        self._matching = Matching(self.baseline) if self.baseline else None

    def take(
        self,
        found: Iterable[Diagnostic],
        settings: Settings,
        file: str = "",
        *,
        graph: ResourceGraph | None = None,
        missing: Iterable[str] = (),
    ) -> None:
        """The findings of one file under its settings. With a graph, waivers by URN count. `missing` are packages of
        rules that the settings name and that are not installed."""
        self._said |= dict.fromkeys(settings.diagnostics)
        self._levels |= settings.levels
        for package in missing:
            path = "rules"
            said = NO_PACKAGE.at(path, f"'{package}' is not installed, or has no rules of gpuinfra")
            self._said[said.located(settings.rules_source)] = None
        place = os.path.abspath(file) if file and file != "-" else ""
        self._files.append(place)
        for waiver in settings.waivers:
            if waiver.about(place):
                self._waivers.setdefault(waiver, False)
            else:
                self._elsewhere[waiver] = None
        for d in found:
            self._judge(d, settings, place, graph)

    def _judge(self, d: Diagnostic, settings: Settings, place: str, graph: ResourceGraph | None) -> None:
        level = settings.levels.get(d.code)
        if level is not None and d.code not in _NEVER_LESS:
            d = _at_level(d, level)
        d = self._waived(d, settings, place, graph)
        if d.suppression is not None and d.suppression.kind is Suppressed.OFF:
            self._hidden.append(d)
            return
        if d.code in _NEVER_LESS:
            self._found.append(d)
            return
        known = self._matching.known(d, place) if self._matching else None
        self._raw.append((d, place))
        if known is not None:
            self._hidden.append(known)
        else:
            self._found.append(d)

    def _waived(self, d: Diagnostic, settings: Settings, place: str, graph: ResourceGraph | None) -> Diagnostic:
        if not settings.waivers or self.now is None or d.severity is Severity.INFO or d.code in _NEVER_LESS:
            return d
        today = self.now.astimezone(UTC).date()
        urns = _urns(d, graph)
        for placed in settings.waivers:
            if not placed.covers(d, place, urns):
                continue
            self._waivers[placed] = True
            if placed.in_force(today):
                w = placed.waiver
                until = w.expires.isoformat()
                why = Suppression(Suppressed.WAIVED, d.severity, w.reason, until, placed.source.file)
                message = f"{d.message} (waived until {until}: {w.reason})"
                return replace(d, severity=Severity.INFO, message=message, suppression=why)
        return d

    @property
    def baseline_of_others(self) -> bool:
        """Whether there is a baseline, and none of its entries is about what was judged."""
        return self._matching is not None and self._matching.of_others(self._files)

    def result(self, *, not_judged: tuple[str, ...] = ()) -> Governed:
        """What is said in the end. `not_judged` are beginnings of codes whose rules did not run, as GI3: nobody can say
        that a waiver of one covers nothing."""
        leftovers = [
            _at_level(d, self._levels[d.code]) if d.code in self._levels else d for d in self._about_waivers(not_judged)
        ]
        off = [d for d in leftovers if d.suppression and d.suppression.kind is Suppressed.OFF]
        said = [*self._said, *(d for d in leftovers if d not in off)]
        gone = self._matching.gone(self._files, not_judged) if self._matching else ()
        return Governed(
            in_order((*self._found, *said, *gone)), in_order((*self._hidden, *off)), len(gone), tuple(self._raw)
        )

    def _about_waivers(self, not_judged: tuple[str, ...]) -> Iterable[Diagnostic]:
        if self.now is None:
            return
        # Named as in the spec: one mistake has one code wherever it is made.
        expired, unused, endless = (plan_code(code) for code in ("GI2280", "GI2281", "GI2282"))
        today = self.now.astimezone(UTC).date()
        for placed, used in self._waivers.items():
            w = placed.waiver
            if not placed.in_force(today):
                text = f"the waiver of {w.code} ended {w.expires.isoformat()} ({w.reason[:80]})"
                yield expired.at(f"{placed.path}.expires", text).located(placed.source)
                continue
            if (w.expires - today).days > _LONGEST_DAYS:
                years = (w.expires - today).days / 365.25
                text = f"the waiver of {w.code} holds to {w.expires.isoformat()}, {years:.1f} years from now"
                yield endless.at(f"{placed.path}.expires", text).located(placed.source)
            if not is_known(w.code):
                hint = did_you_mean(w.code, sorted(c for c in house_codes() if c[:3] == w.code[:3]))
                text = f"{w.code} is the code of no finding"
                said = unused.at(f"{placed.path}.code", text, hint, severity=Severity.WARNING)
                yield said.located(placed.source)
            elif not used and not w.code.startswith(not_judged or ("-",)):
                text = f"the waiver of {w.code} covers nothing in what was judged here"
                yield unused.at(placed.path, text, "remove it, or correct its path, urn or files").located(
                    placed.source
                )
        for placed in self._elsewhere:
            pattern = placed.waiver.files
            if placed in self._waivers or pattern is None:
                continue
            if placed.in_force(today) and matches_nothing(pattern, placed.folder):
                text = f"the waiver of {placed.waiver.code} is for {shown(pattern)}, and there is no such file"
                hint = f"write it as it lies below {placed.folder}, as stacks/old-*/cluster.yaml; or remove the waiver"
                yield unused.at(f"{placed.path}.files", text, hint).located(placed.source)


_LONGEST_DAYS = 366


def _at_level(d: Diagnostic, level: Level) -> Diagnostic:
    """The finding with the severity that the settings give it. What a waiver took the weight of stays an info."""
    where = str(level.source)
    if level.severity is None:
        why = Suppression(Suppressed.OFF, d.severity, f"turned off by {where}", by=level.source.file)
        return replace(d, severity=Severity.INFO, suppression=why)
    if d.suppression is not None or level.severity is d.severity:
        return d
    if SEVERITY_ORDER[level.severity] < SEVERITY_ORDER[d.severity]:
        return replace(d, severity=level.severity)
    why = Suppression(Suppressed.LOWERED, d.severity, f"{level.severity} by {where}", by=level.source.file)
    return replace(d, severity=level.severity, suppression=why)


def _urns(d: Diagnostic, graph: ResourceGraph | None) -> tuple[str, ...]:
    if graph is None or not d.resource:
        return ()
    return tuple(r.urn for r in graph if r.name == d.resource and d.resource_type in ("", r.type))
