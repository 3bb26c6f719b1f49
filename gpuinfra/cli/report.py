"""What a run found, and its forms: every door of the command line reports through here."""

from __future__ import annotations

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from ..diagnostics import Diagnostic, Suppressed, has_errors, in_order, summary
from ..spec.reading import shown_file
from . import findings as rendering
from .output import as_json, note, printable, terminal_width, write

if TYPE_CHECKING:
    from ..policy.rule import Undecided

FORMS = ("text", "json", "sarif", "github", "junit")

form_option = click.option(
    "--format",
    "format_",
    type=click.Choice(FORMS),
    default="text",
    show_default=True,
    help="Form of the output; github is annotations of a workflow.",
)
output_option = click.option(
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the findings there; standard output gets the summary line.",
)


@dataclass(frozen=True)
class Report:
    """Findings about some files, after the settings and the baseline had their say."""

    findings: tuple[Diagnostic, ...]
    files: tuple[str, ...] = ()
    """What was judged, clean or not."""
    hidden: tuple[Diagnostic, ...] = ()
    """Findings that are turned off or in the baseline: counted, and listed where a machine reads."""
    undecided: tuple[Undecided, ...] = ()
    faults: tuple[str, ...] = ()
    """Rules that raised, one sentence each."""
    gone: int = 0
    """Entries of the baseline that no longer occur."""
    written: str = ""
    """The new baseline, where one was written."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Further keys of the JSON form."""
    sources: tuple[str, ...] = ()
    """Further files that findings point into, whose lines may be shown."""

    def on_disk(self, shown: str) -> str:
        """The file that a finding's place names. Findings have its name printable, whatever characters are in it."""
        return next((f for f in self.files if f != shown and shown_file(f) == shown), shown)

    @property
    def status(self) -> int:
        """The exit status: 2 where the tool or a rule is at fault, 1 where there is an error."""
        return 2 if self.faults else 1 if has_errors(self.findings) else 0

    def counts(self) -> dict[str, int]:
        """How many findings there are, by severity, and how many something took the weight of."""
        why = Counter(d.suppression.kind for d in (*self.findings, *self.hidden) if d.suppression)
        return {**summary(self.findings), **{str(k): why[k] for k in Suppressed if why[k]}}


def publish(report: Report, form: str = "text", output: str | None = None, before: str = "", after: str = "") -> int:
    """Writes a report in one of FORMS and returns the exit status. `before` and `after` are a door's own text form."""
    text = rendered(report, form, before, after)
    for fault in report.faults:
        note(f"gpuinfra: {fault}")
    if output is None:
        write(text)
        return report.status
    if fault := save(output, click.unstyle(text)):
        note(f"gpuinfra: {fault}")
        return 2
    write(summary_text(report))
    return report.status


def rendered(report: Report, form: str, before: str = "", after: str = "") -> str:
    """The report as text in one of FORMS."""
    if form == "json":
        return as_json(as_data(report))
    if form == "sarif":
        from .sarif import as_sarif

        return as_json(as_sarif(report))
    if form == "junit":
        from .junit import as_junit

        return as_junit(report)
    if form == "github":
        from .annotations import as_annotations

        # What reads it is a log, which shows a colour as an escape.
        return as_annotations(report) + click.unstyle(summary_text(report))
    width = terminal_width(sys.stdout)
    return (
        before
        + rendering.as_text(report.findings, excerpts((*report.files, *report.sources)), width)
        + summary_text(report)
        + after
    )


def as_data(report: Report) -> dict[str, Any]:
    """The JSON form. What there is none of has no key, but for the findings and their summary."""
    out: dict[str, Any] = {**report.extra, "findings": [d.as_dict() for d in report.findings]}
    if report.hidden:
        out["suppressed"] = [d.as_dict() for d in report.hidden]
    if report.undecided and "undecided" not in out:
        out["undecided"] = undecided_data(report.undecided)
    if report.faults:
        out["faults"] = list(report.faults)
    return {**out, "summary": report.counts()}


def undecided_data(undecided: Iterable[Undecided]) -> list[dict[str, Any]]:
    """Undecided verdicts as the JSON form spells them."""
    return [{"code": u.code, "resource": u.resource, "reason": u.reason} for u in undecided]


_WORDS = {
    Suppressed.WAIVED: "waived",
    Suppressed.LOWERED: "lowered by settings",
    Suppressed.OFF: "turned off by settings",
    Suppressed.BASELINE: "known from the baseline",
}


def summary_text(report: Report) -> str:
    """As '2 errors, 1 warning in 1 file; 3 known from the baseline'."""
    counts = report.counts()
    parts = [f"{counts[k]} {word}" for k, word in _WORDS.items() if k in counts]
    if report.written:
        parts.append(f"the baseline {printable(report.written)} is written")
    elif report.gone:
        parts.append(f"{report.gone} of the baseline no longer there")
    line = rendering.summary_line(report.findings, len(report.files)).rstrip("\n")
    return line + (f"; {', '.join(parts)}" if parts else "") + "\n"


def excerpts(paths: Iterable[str]) -> dict[str, Sequence[str]]:
    """The lines of each file, for marking a finding's place; none of what cannot be read again."""
    lines: dict[str, Sequence[str]] = {}
    for path in paths:
        # A pipe has been read already, and opening it again would wait for ever.
        if not os.path.isfile(path):
            continue
        try:
            with open(path, encoding="utf-8-sig") as file:
                lines[shown_file(path)] = file.read(2**20).splitlines()
        except (OSError, ValueError):
            continue
    return lines


def save(path: str, text: str) -> str:
    """Writes a file as a whole or not at all; what went wrong as a sentence, or nothing."""
    import tempfile

    path = os.path.realpath(path)  # a link stays one
    folder = os.path.dirname(path)
    temporary = ""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            # A device or a pipe, as /dev/stderr: nothing can take its place.
            with open(path, "w", encoding="utf-8") as there:
                there.write(text)
            return ""
        handle, temporary = tempfile.mkstemp(prefix=".gpuinfra-", dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except OSError as e:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return f"{printable(path)} cannot be written: {e.strerror or e}"
    return ""


def of(findings: Iterable[Diagnostic], files: Sequence[str], **more: Any) -> Report:
    """A report of findings in their order."""
    return Report(in_order(findings), tuple(files), **more)


__all__ = [
    "FORMS",
    "Report",
    "as_data",
    "excerpts",
    "form_option",
    "of",
    "output_option",
    "publish",
    "rendered",
    "save",
    "summary_text",
    "undecided_data",
]
