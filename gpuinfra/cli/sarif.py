"""Findings as SARIF 2.1.0, the form that code hosts and editors read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..diagnostics import OWN_CODES, Code, Diagnostic, Severity, Suppressed, docs_of
from ..policy.baseline import fingerprint
from .places import shown_path, uri

if TYPE_CHECKING:
    from ..policy.rule import Rule, Undecided
    from .report import Report

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_KEPT = frozenset((Suppressed.WAIVED, Suppressed.OFF, Suppressed.BASELINE))
"""What SARIF calls suppressed. A lowered finding counts, for less."""


def as_sarif(report: Report) -> dict[str, Any]:
    """The SARIF log of one run."""
    from .app import version

    results = [*report.findings, *report.hidden]
    codes = sorted({d.code for d in results} | {u.code for u in report.undecided})
    index = {code: n for n, code in enumerate(codes)}
    release = version()
    driver: dict[str, Any] = {"name": "gpuinfra", "version": release, "rules": _rules(codes)}
    invocation: dict[str, Any] = {"executionSuccessful": not report.faults}
    if report.faults:
        invocation["toolExecutionNotifications"] = [
            {"level": "error", "message": {"text": fault}} for fault in report.faults
        ]
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "artifacts": [
            {"location": {"uri": place}}
            for place in dict.fromkeys(uri(f) for f in report.files if not f.startswith("<"))
        ],
        "results": [
            *(_result(d, index[d.code], report) for d in results),
            *(_open(u, index[u.code], report.files) for u in report.undecided),
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules(codes: Sequence[str]) -> list[dict[str, Any]]:
    if not codes:
        return []
    from ..policy.organisation import own_rules
    from ..reference.codes import all_codes, rules_by_code

    known, rules = all_codes(), rules_by_code()
    if any(c.startswith(OWN_CODES) for c in codes):
        own = {r.code.code: r for r in own_rules().rules}
        known, rules = {**known, **{c: r.code for c, r in own.items()}}, {**rules, **own}
    return [_rule(known[c], rules.get(c)) if c in known else {"id": c} for c in codes]


def _rule(code: Code, rule: Rule | None) -> dict[str, Any]:
    told = [
        ("Why", code.why),
        ("Fix", code.fix),
        ("References", "; ".join(code.references)),
        ("Docs", docs_of(code.code)),
    ]
    parts = [(title, text) for title, text in told if text]
    return {
        "id": code.code,
        "name": code.slug,
        "shortDescription": {"text": code.summary or code.slug},
        "fullDescription": {"text": code.why or code.summary or code.slug},
        "help": {
            "text": "\n".join([code.summary, *(f"{title}: {text}" for title, text in parts)]),
            "markdown": "\n\n".join([code.summary, *(f"**{title}.** {text}" for title, text in parts)]),
        },
        "defaultConfiguration": {"level": _LEVEL[code.severity]},
        "properties": {
            "tags": list(rule.tags if rule else ()),
            "providers": [str(p) for p in rule.providers] if rule else [],
            "facts": list(code.facts),
        },
    }


def _result(d: Diagnostic, index: int, report: Report) -> dict[str, Any]:
    suppressed = d.suppression if d.suppression and d.suppression.kind in _KEPT else None
    severity = suppressed.severity if suppressed else d.severity
    out: dict[str, Any] = {
        "ruleId": d.code,
        "ruleIndex": index,
        "level": _LEVEL[severity],
        "message": {"text": d.message + (f"\nhint: {d.hint}" if d.hint else "")},
        "locations": [_location(d, report)],
        "partialFingerprints": {
            "gpuinfra/v1": fingerprint(d, shown_path(d.source.file) if d.source else ""),
        },
        "properties": {"facts": list(d.facts), "hint": d.hint, "docs": d.docs},
    }
    if suppressed:
        # A waiver of the spec stands in the file that is judged; settings and baselines stand outside of it.
        kind = "inSource" if suppressed.kind is Suppressed.WAIVED and not suppressed.by else "external"
        note = "; ".join(
            t for t in (suppressed.reason, f"until {suppressed.expires}" if suppressed.expires else "") if t
        )
        out["suppressions"] = [{"kind": kind, "status": "accepted", "justification": note or str(suppressed.kind)}]
    return out


def _location(d: Diagnostic, report: Report) -> dict[str, Any]:
    out: dict[str, Any] = {}
    alone = report.files[0] if len(report.files) == 1 else ""
    file = report.on_disk(d.source.file) if d.source else alone
    if file:
        physical: dict[str, Any] = {"artifactLocation": {"uri": uri(file)}}
        if d.source and d.source.line:
            physical["region"] = {"startLine": d.source.line, "startColumn": max(1, d.source.column)}
        out["physicalLocation"] = physical
    logical: list[dict[str, Any]] = []
    if d.resource:
        kind = f"{d.resource_type}::{d.resource}" if d.resource_type else d.resource
        logical.append({"name": d.resource, "fullyQualifiedName": kind, "kind": "resource"})
    if d.path:
        logical.append({"fullyQualifiedName": d.path, "kind": "property"})
    if logical:
        out["logicalLocations"] = logical
    return out


def _open(u: Undecided, index: int, files: Sequence[str]) -> dict[str, Any]:
    """A verdict that must wait: SARIF's kind 'open', which has no level."""
    place: dict[str, Any] = {"logicalLocations": [{"name": u.resource, "kind": "resource"}]}
    if len(files) == 1:
        place["physicalLocation"] = {"artifactLocation": {"uri": uri(files[0])}}
    return {
        "ruleId": u.code,
        "ruleIndex": index,
        "kind": "open",
        "level": "none",
        "message": {"text": f"{u.resource}: {u.reason}"},
        "locations": [place],
    }
