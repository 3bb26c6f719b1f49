"""Findings as commands of a GitHub workflow, which shows each at its line of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diagnostics import Diagnostic, Severity
from .output import printable
from .places import shown_path

if TYPE_CHECKING:
    from .report import Report

_COMMAND = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def as_annotations(report: Report) -> str:
    """One line for each finding, and one for each rule that raised."""
    lines = [_line(d, report.on_disk(d.source.file) if d.source else "") for d in report.findings]
    lines += [f"::error title=gpuinfra::{_data(printable(f))}" for f in report.faults]
    return "".join(f"{line}\n" for line in lines)


def _line(d: Diagnostic, file: str) -> str:
    where: list[tuple[str, str]] = []
    if d.source:
        where.append(("file", shown_path(file)))
        if d.source.line:
            where += [("line", str(d.source.line)), ("col", str(max(1, d.source.column)))]
    where.append(("title", f"{d.code} {d.path}".strip()))
    text = d.message + (f"\nhint: {d.hint}" if d.hint else "") + f"\nSee {d.docs}"
    properties = ",".join(f"{key}={_property(printable(value))}" for key, value in where)
    return f"::{_COMMAND[d.severity]} {properties}::{_data(printable(text))}"


def _data(text: str) -> str:
    # The runner's own escapes (actions/toolkit, command.ts): a line break would end the command.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
