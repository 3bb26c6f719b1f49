"""Findings: what is said, where, how bad, and what to do next. Everything that judges returns these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from .redaction import redacted


class Severity(StrEnum):
    """How much a finding matters. Only an error changes the exit status."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


SEVERITY_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True)
class Source:
    """A place in a file. Line and column count from 1; 0 says that only the file is known."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True)
class Code:
    """What a finding's code means: the entry in the rules reference, and the defaults of a finding made from it.

    `slug` names the bad pattern, not the cure. A code is never reused.
    """

    code: str
    slug: str
    severity: Severity
    summary: str
    why: str = ""
    fix: str = ""
    references: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    """Rows of the facts tables that the code stands for, as `AWS NET-06`."""
    varies: str = ""
    """When a finding has another severity than `severity`, as 'warning where the lease is a duration'."""

    def at(
        self, path: str, message: str, hint: str = "", *, severity: Severity | None = None, resource: str = ""
    ) -> Diagnostic:
        """A finding of this code at `path` (the user's own words, as `node_pools[1].instance_type`).

        Secrets that the texts quote are left out here as well, for rules that quote a value themselves.
        """
        texts = (redacted(path), redacted(_of_one(message)), redacted(_of_one(hint)) or self.fix)
        return Diagnostic(self.code, severity or self.severity, *texts, resource=resource, facts=self.facts)


_ONE_OF_MANY = re.compile(
    r"(?<![\w.,:/$~<>=-])(?<!\d to )1 ((?:free )?)(node|machine|pool|zone|label|channel|interface|GPU|resource|address)(?:e?s)\b"
    r"((?: of [\w.'-]+)?)( are\b| were\b| have\b| run\b| stand\b| start\b| need\b| take\b| share\b| talk\b)?"
)
_VERBS = {" are": " is", " were": " was", " have": " has"}


def _of_one(text: str) -> str:
    """A text in which a count of one has its noun and its verb in the singular: rules write '{n} nodes are wanted'."""
    if "1 " not in text:
        return text

    def single(match: re.Match[str]) -> str:
        verb = match[4] or ""
        return f"1 {match[1]}{match[2]}{match[3]}{_VERBS.get(verb, f'{verb}s' if verb else '')}"

    return _ONE_OF_MANY.sub(single, text)


class Suppressed(StrEnum):
    """Why a finding counts for less than its rule says."""

    WAIVED = "waived"
    LOWERED = "lowered"
    OFF = "off"
    BASELINE = "baseline"


@dataclass(frozen=True)
class Suppression:
    """What took a finding's weight: never without a word in the summary."""

    kind: Suppressed
    severity: Severity
    """What the finding counted for before."""
    reason: str = ""
    expires: str = ""
    """Last day of a waiver."""
    by: str = ""
    """The file that says so, where it is not the spec."""

    def as_dict(self) -> dict[str, Any]:
        """As the JSON output spells it; what there is not is left out."""
        out = {"kind": str(self.kind), "severity": str(self.severity), "reason": self.reason}
        out |= {"expires": self.expires, "by": self.by}
        return {k: v for k, v in out.items() if v}


OWN_CODES = "GI9"
"""Beginning of the codes of an organisation's own rules."""


def docs_of(code: str) -> str:
    """Where a code is explained."""
    return f"gpuinfra explain {code}" if code.startswith(OWN_CODES) else f"docs/reference/rules.md#{code.lower()}"


@dataclass(frozen=True)
class Diagnostic:
    """One finding. `path` is empty where the whole document is meant; `source` is filled in by whoever read the file."""

    code: str
    severity: Severity
    path: str
    message: str
    hint: str = ""
    source: Source | None = None
    resource: str = ""
    """Logical name of the resource that the finding is about, where it is about one."""
    resource_type: str = ""
    """Its type token; empty where it is not known."""
    facts: tuple[str, ...] = ()
    """The rows of the facts tables that it stands for."""
    suppression: Suppression | None = None

    @property
    def docs(self) -> str:
        """Where the code is explained: a path inside the project's documentation, or of an organisation's own rule, which
        has no page there, the command that shows it."""
        return docs_of(self.code)

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    def located(self, source: Source | None) -> Diagnostic:
        """The same finding with its place in a file."""
        return replace(self, source=source)

    def as_dict(self) -> dict[str, Any]:
        """The finding as the JSON output spells it."""
        source = self.source
        out: dict[str, Any] = {
            "code": self.code,
            "severity": str(self.severity),
            "path": self.path,
            "message": self.message,
            "hint": self.hint,
            "source": {"file": source.file, "line": source.line, "column": source.column} if source else None,
            "docs": self.docs,
            "facts": list(self.facts),
        }
        if self.resource:
            out["resource"] = {"name": self.resource, "type": self.resource_type or None}
        if self.suppression:
            out["suppression"] = self.suppression.as_dict()
        return out

    def __str__(self) -> str:
        where = f"{self.source}: " if self.source else ""
        path = f" {self.path}:" if self.path else ""
        return f"{where}{self.severity}[{self.code}]{path} {self.message}"


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Findings without repeats, in a stable order: file, line, column, then severity, code and text."""

    def key(d: Diagnostic) -> tuple[Any, ...]:
        s = d.source or Source("")
        return (s.file, s.line, s.column, SEVERITY_ORDER[d.severity], d.code, d.path, d.message)

    return tuple(sorted(dict.fromkeys(diagnostics), key=key))


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether one of the findings is an error."""
    return any(d.is_error for d in diagnostics)


def summary(diagnostics: Sequence[Diagnostic]) -> dict[str, int]:
    """How many errors, warnings and infos there are."""
    count = dict.fromkeys(Severity, 0)
    for d in diagnostics:
        count[d.severity] += 1
    return {"errors": count[Severity.ERROR], "warnings": count[Severity.WARNING], "infos": count[Severity.INFO]}


@dataclass
class Collector:
    """Gathers findings while something is worked out; read them at the end with `found`."""

    _found: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def add(self, *diagnostics: Diagnostic) -> None:
        self._found.extend(diagnostics)

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        return in_order(self._found)

    @property
    def has_errors(self) -> bool:
        return has_errors(self._found)


class GpuInfraError(Exception):
    """Raised once, at the edge, with every finding in it."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = in_order(diagnostics)
        lines: list[str] = []
        for d in self.diagnostics:
            lines.append(str(d))
            if d.hint:
                lines.append(f"  hint: {d.hint}")
        super().__init__("\n" + "\n".join(lines))


def nearest(word: str, known: Iterable[str], n: int = 3) -> tuple[str, ...]:
    """Known words that look most like `word`, the likeliest first, case aside."""
    by_fold: dict[str, str] = {}
    for k in known:
        by_fold.setdefault(k.casefold(), k)
    return tuple(by_fold[m] for m in get_close_matches(word.casefold(), list(by_fold), n=n, cutoff=0.6))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """'did you mean x or y?', or nothing when no known word is near."""
    near = nearest(word, known)
    return f"did you mean {' or '.join(near)}?" if near else ""
