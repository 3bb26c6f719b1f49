"""Findings as JUnit XML: a suite for each file, a case for each finding, and a passing one for a clean file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from ..diagnostics import Diagnostic
from ..spec.reading import shown_file
from .output import printable
from .places import shown_path

if TYPE_CHECKING:
    from ..policy.rule import Undecided
    from .report import Report

_NO_FILE = "gpuinfra"


def as_junit(report: Report) -> str:
    """The XML document. An error is a failure; a warning passes and says itself; what is waived, in the baseline or
    undecided is skipped with its reason; a rule that raised is an error."""
    suites: dict[str, list[Diagnostic]] = {shown_path(shown_file(f)): [] for f in report.files}
    alone = next(iter(suites), _NO_FILE) if len(suites) == 1 else _NO_FILE
    for d in (*report.findings, *report.hidden):
        suites.setdefault(shown_path(d.source.file) if d.source else alone, []).append(d)
    blocks = [_suite(name, _finding_cases(name, found)) for name, found in suites.items()]
    if report.undecided:
        blocks.append(_suite("undecided", [_undecided(u) for u in report.undecided]))
    if report.faults:
        blocks.append(_suite("faults", [_case("gpuinfra", "fault", _told("error", f)) for f in report.faults]))
    body = "".join(blocks)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="gpuinfra" {_tally(body)}>\n{body}</testsuites>\n'


def _suite(name: str, cases: Sequence[str]) -> str:
    body = "".join(cases)
    return f"  <testsuite name={_attribute(name)} {_tally(body)}>\n{body}  </testsuite>\n"


def _tally(body: str) -> str:
    # Texts inside are escaped, so that each of these marks is an element.
    counts = {
        "tests": body.count("<testcase "),
        "failures": body.count("<failure "),
        "errors": body.count("<error "),
        "skipped": body.count("<skipped "),
    }
    return " ".join(f'{key}="{n}"' for key, n in counts.items())


def _finding_cases(file: str, found: Sequence[Diagnostic]) -> list[str]:
    if not found:
        return [_case(file, "no findings", "")]
    return [_of_finding(file, d) for d in found]


def _of_finding(file: str, d: Diagnostic) -> str:
    name = f"{d.code} {d.path or d.resource}".strip()
    line = f" line={_attribute(str(d.source.line))}" if d.source and d.source.line else ""
    text = f"{d}\n" + (f"hint: {d.hint}\n" if d.hint else "") + f"docs: {d.docs}"
    if d.is_error:
        inside = _told("failure", d.message, f"{d.severity} {d.code}", text)
    elif d.suppression and d.suppression.kind != "lowered":
        why = f"{d.suppression.kind}: {d.suppression.reason or d.message}"
        inside = _told("skipped", why)
    else:
        inside = f"      <system-out>{escape(printable(text))}</system-out>\n"
    return _case(file, name, inside, line)


def _undecided(u: Undecided) -> str:
    return _case("undecided", f"{u.code} {u.resource}", _told("skipped", u.reason))


def _case(suite: str, name: str, inside: str, line: str = "") -> str:
    head = f"    <testcase classname={_attribute(suite)} name={_attribute(name)}{line}"
    return f"{head}>\n{inside}    </testcase>\n" if inside else f"{head}/>\n"


def _told(element: str, message: str, kind: str = "", text: str = "") -> str:
    about = f" type={_attribute(kind)}" if kind else ""
    head = f"      <{element}{about} message={_attribute(message)}"
    return f"{head}>{escape(printable(text))}</{element}>\n" if text else f"{head}/>\n"


def _attribute(text: str) -> str:
    # XML 1.0 has no way to say a control character: each is spelled out.
    return quoteattr(printable(text))
