"""The options that every judging command has, and the way from its findings to its output and exit status."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..clock import current_moment
from ..diagnostics import Diagnostic, has_errors
from .output import note
from .report import Report, form_option, output_option, publish, save
from .targets import refuse_inputs

if TYPE_CHECKING:
    from ..policy.engine import RuleError
    from ..policy.governance import Governor
    from ..policy.resource_graph import ResourceGraph
    from ..policy.rule import Rule, RuleOptions, Undecided
    from ..policy.settings import Settings

C = TypeVar("C", bound=Callable[..., Any])

_OPTIONS = (
    form_option,
    output_option,
    click.option(
        "--settings",
        type=click.Path(readable=False),
        metavar="FILE",
        help="Settings that come before each gpuinfra.yaml beside the spec and above it.",
    ),
    click.option(
        "--baseline",
        type=click.Path(readable=False),
        metavar="FILE",
        help="Findings that are known: counted, and no errors.",
    ),
    click.option(
        "--write-baseline",
        type=click.Path(readable=False),
        metavar="FILE",
        help="Write what is found there, to be known from now on.",
    ),
)


def governed(command: C) -> C:
    """Gives a command the options of Governing, as one argument `governing`."""

    @functools.wraps(command)
    def with_options(
        *args: Any,
        format_: str,
        output: str | None,
        settings: str | None,
        baseline: str | None,
        write_baseline: str | None,
        **named: Any,
    ) -> Any:
        refuse_inputs(
            {"--output": output, "--write-baseline": write_baseline, "--save": named.get("save")},
            _inputs(named, settings, baseline),
            [folder for folder in (named.get("program"),) if folder is not None],
            # To renew a baseline is what it is written for.
            [("--write-baseline", baseline)] if baseline is not None else [],
        )
        governing = Governing(format_, output, settings, baseline, write_baseline)
        return command(*args, governing=governing, **named)

    for option in reversed(_OPTIONS):
        with_options = option(with_options)
    return with_options  # type: ignore[return-value]


_READ = ("spec", "specs", "preview", "state", "account")
"""Parameters of the judging commands that name files which are read."""


def _inputs(named: Mapping[str, Any], *more: str | None) -> list[str]:
    """Every file that a command was told to read."""
    found: list[str] = [path for path in more if path is not None]
    for name in _READ:
        value = named.get(name)
        found += [value] if isinstance(value, str) else value or ()
    return found


@dataclass(frozen=True)
class Ruling:
    """What the judging of one spec or program needs to know of its settings."""

    settings: Settings
    options: RuleOptions
    own: tuple[Rule, ...]
    """The organisation's own rules."""
    missing: tuple[str, ...] = ()
    faults: list[RuleError] = field(default_factory=list["RuleError"])
    """Rules that raise are added here."""


@dataclass
class Governing:
    """One run: for each file first `ruling`, then `take`; at the end `finish`."""

    form: str = "text"
    output: str | None = None
    settings_file: str | None = None
    baseline_file: str | None = None
    baseline_to_write: str | None = None
    _governor: Governor | None = None
    _found: list[Diagnostic] = field(default_factory=list[Diagnostic])
    _files: list[str] = field(default_factory=list[str])
    _sources: list[str] = field(default_factory=list[str])
    _undecided: list[Undecided] = field(default_factory=list["Undecided"])
    _faults: dict[str, None] = field(default_factory=dict[str, None])
    _wrote: str = ""

    def ruling(self, path: str) -> Ruling:
        """The settings of a spec or of a program's folder, and the rules that they bring."""
        from ..policy.organisation import own_rules
        from ..policy.settings import settings_for

        settings = settings_for(path, self.settings_file)
        own = own_rules(settings.rules)
        self._faults |= dict.fromkeys(own.faults)
        return Ruling(settings, settings.options, own.rules, own.missing)

    def take(
        self,
        path: str,
        ruling: Ruling,
        found: Iterable[Diagnostic],
        *,
        now: datetime | None = None,
        graph: ResourceGraph | None = None,
        undecided: Iterable[Undecided] = (),
        sources: Iterable[str] = (),
    ) -> None:
        """What was found about one file. `now` judges waivers; left out, the clock does. `sources` are further files that
        the findings point into."""
        from ..spec.reading import STDIN

        governor = self._ready(now or current_moment())
        governor.take(found, ruling.settings, path, graph=graph, missing=ruling.missing)
        self._files.append(STDIN if path == "-" else path)
        self._undecided += undecided
        self._sources += sources
        self._faults |= dict.fromkeys(str(f) for f in ruling.faults)

    def stops(self, path: str, ruling: Ruling, found: Iterable[Diagnostic], *, now: datetime | None = None) -> bool:
        """Whether an error is left among some findings when the settings had their say: then there is no cluster to look
        at. The baseline has no say in that; what it knows of is still wrong."""
        from ..policy.governance import Governor

        alone = Governor(now or current_moment())
        alone.take(found, replace(ruling.settings, diagnostics=()), path)
        return has_errors(alone.result().findings)

    def finish(
        self,
        *,
        before: str = "",
        after: str = "",
        extra: Mapping[str, Any] | None = None,
        not_judged: tuple[str, ...] = (),
    ) -> int:
        """Writes the report and returns the exit status. `before` and `after` are the command's own text, `extra` its own
        keys of the JSON form; `not_judged` are beginnings of codes whose rules the command does not run."""
        return publish(self.report(extra=extra, not_judged=not_judged), self.form, self.output, before, after)

    def report(self, *, extra: Mapping[str, Any] | None = None, not_judged: tuple[str, ...] = ()) -> Report:
        """What was found, after settings and baseline had their say."""
        governor = self._ready(current_moment())
        done = governor.result(not_judged=not_judged)
        findings, hidden = done.findings, done.hidden
        if governor.baseline_of_others:
            # A folder was moved, or it is another stack's: every finding counts, and the reason is not to be guessed.
            note(
                f"gpuinfra: {self.baseline_file}: none of its entries is about what was judged, so that nothing is known from it"
            )
        if self.baseline_to_write is not None:
            findings, hidden = self._written(done.raw, findings, hidden)
        return Report(
            (*self._found, *findings),
            tuple(self._files),
            hidden,
            tuple(self._undecided),
            tuple(self._faults),
            done.gone,
            self._wrote,
            extra or {},
            tuple(self._sources),
        )

    def _ready(self, now: datetime) -> Governor:
        if self._governor is None:
            from ..policy.governance import Governor

            self._governor = Governor(now, self._baseline())
        return self._governor

    def _baseline(self) -> Any:
        if self.baseline_file is None:
            return None
        from ..policy.baseline import Baseline, read_file

        read = read_file(self.baseline_file)
        if isinstance(read, Baseline):
            return read
        self._found.append(read)
        return None

    def _written(
        self,
        raw: tuple[tuple[Diagnostic, str], ...],
        findings: tuple[Diagnostic, ...],
        hidden: tuple[Diagnostic, ...],
    ) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
        """The findings after those that count were written as known."""
        from ..policy.baseline import GONE, Baseline, Matching, read, written

        file = self.baseline_to_write
        assert file is not None
        text = written(raw, file)
        if fault := save(file, text):
            self._faults[fault] = None
            return findings, hidden
        self._wrote = file
        new = read(text, file)
        assert isinstance(new, Baseline)
        matching = Matching(new)
        known = {d: k for d, file in raw if (k := matching.known(d, file)) is not None}
        before = tuple(d for d in hidden if d.suppression and d.suppression.kind != "baseline")
        left = tuple(d for d in findings if d not in known and d.code != GONE.code)
        return left, (*before, *known.values())
