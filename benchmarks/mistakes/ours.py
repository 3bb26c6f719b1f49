"""What gpuinfra says of a case: of the spec by `judge`, of the program by the resource rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpuinfra.diagnostics import Diagnostic, Severity
from gpuinfra.policy import check_graph
from gpuinfra.policy.examples import NOW, graph_of
from gpuinfra.policy.judgement import judge
from gpuinfra.spec.load import load

from .table import Case, Form


@dataclass(frozen=True)
class Verdict:
    """Whether one form of a case is seen, and what is wrong with the answer otherwise."""

    code: str
    severity: Severity | None
    """Of the finding at the expected place; None where it is not there."""
    faults: tuple[str, ...]

    @property
    def seen(self) -> bool:
        return not self.faults


def of_spec(text: str) -> tuple[Diagnostic, ...]:
    """Every finding of a spec."""
    return judge(load("cluster.yaml", text), NOW).diagnostics


def of_program(text: str) -> tuple[Diagnostic, ...]:
    """Every finding of a program's resources."""
    return check_graph(graph_of(text), now=NOW).diagnostics


def verdicts(case: Case) -> dict[str, Verdict]:
    """The verdict on each form of a case that we read: `spec` and `program`."""
    found: dict[str, Verdict] = {}
    if case.spec is not None:
        found["spec"] = _verdict(case.spec, of_spec)
    if case.program is not None:
        found["program"] = _verdict(case.program, of_program)
    return found


def _verdict(form: Form, ask: Callable[[str], tuple[Diagnostic, ...]]) -> Verdict:
    bad, good = ask(form.bad), ask(form.good)
    at = [d for d in bad if d.code == form.code and d.path == form.path and d.severity is not Severity.INFO]
    faults: list[str] = []
    if not at:
        said = ", ".join(f"{d.code} {d.path}" for d in bad if d.severity is not Severity.INFO)
        faults.append(f"{form.code} at {form.path} is not said; said: {said or 'nothing'}")
    faults += [f"error on the twin: {d.code} {d.path}: {d.message}" for d in good if d.is_error]
    # What a price that is unknown leaves open is said of the twin too, as a warning; the mistake is then an error.
    again = [d.severity for d in good if d.code == form.code and d.path == form.path]
    if at and at[0].severity in again:
        faults.append(f"{form.code} is said of the twin too")
    return Verdict(form.code, at[0].severity if at else None, tuple(faults))
