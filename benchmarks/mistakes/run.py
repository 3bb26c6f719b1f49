"""Asks gpuinfra, and on demand its peers, about every case, and prints who sees what."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from .ours import Verdict, verdicts
from .page import put
from .peers import Answer, answers, speaks
from .table import Case, cases

Rows = list[tuple[Case, dict[str, Verdict]]]


def main(options: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mistakes", description=__doc__)
    parser.add_argument(
        "--peers", action="store_true", help="ask the peers too; installs each into its own environment"
    )
    parser.add_argument("--write", action="store_true", help="write the table into docs/reference/mistakes.md")
    parser.add_argument("--said", type=Path, help="write what the peers say of wrong forms alone, as JSON")
    args = parser.parse_args(options)
    if args.write and not args.peers:
        parser.error("--write needs --peers: the page shows all tools of one run")
    begin = time.perf_counter()
    rows: Rows = [(case, verdicts(case)) for case in cases()]
    took = time.perf_counter() - begin
    found: list[Answer] = []
    if args.peers:
        with tempfile.TemporaryDirectory() as work:
            found = answers(Path(work))
    text = table(rows, found)
    print(text)
    faults = [f"{c.id} ({kind}): {fault}" for c, vs in rows for kind, v in vs.items() for fault in v.faults]
    forms = sum(len(vs) for _, vs in rows)
    print(f"gpuinfra: {len(rows)} cases in {forms} forms, right and wrong, in {took:.1f} s; {len(faults)} faults")
    for fault in faults:
        print("  " + fault)
    if args.said:
        args.said.write_text(json.dumps({a.name: a.seen for a in found}, indent=1), encoding="utf-8")
    if args.write:
        put("mistakes", f"{_heading(rows, found)}\n\n{text}")
    return 1 if faults else 0


def table(rows: Rows, found: Sequence[Answer]) -> str:
    """A Markdown table, a row for each case, and what was asked of whom below it."""
    asked = [a for a in found if not a.why_not]
    head = ["Case", "Mistake", "gpuinfra: spec", "gpuinfra: program", *(a.name for a in asked)]
    lines = [_row(head), _row(["--"] * len(head))]
    for case, vs in rows:
        ours = [_ours(vs.get("spec")), _ours(vs.get("program"))]
        lines.append(_row([case.id, case.mistake, *ours, *(_theirs(case, a) for a in asked)]))
    lines.append("")
    seen = sum(all(v.seen for v in vs.values()) for _, vs in rows)
    lines.append(
        f"- gpuinfra sees {seen} of {len(rows)}, each with the expected code at the expected place, and has no error on any twin."
    )
    for a in found:
        if a.why_not:
            lines.append(f"- {a.name} {a.version}: not asked ({a.why_not}).")
            continue
        heard = [c for c, _ in rows if speaks(c, a.name) and c.id in a.seen]
        count = sum(_saw(c, a) for c in heard)
        lines.append(f"- {a.name} {a.version} sees {count} of the {len(heard)} that can be put to it.")
    return "\n".join(lines)


def _heading(rows: Rows, found: Sequence[Answer]) -> str:
    day = datetime.now(UTC).date().isoformat()
    return (
        f"## Seeded mistakes ({day})\n\n"
        f"{len(rows)} mistakes on three clouds, each beside a twin that is right but for the mistake. They are the rows of a "
        "survey of what existing tools notice, the dearest reports that the facts of each cloud cite, and what engineers of "
        "machine learning get wrong on a Monday. A case is a spec, a Pulumi program, or both. Programs are put to peers as "
        "Terraform (AWS, Google Cloud) and ARM (Azure) for checkov and as CloudFormation for cfn-lint, spelled from the same "
        "resources; ParallelCluster and SkyPilot get the case in their own language where it can be said there. A peer has "
        "seen a mistake when it says something about it of the wrong form that it does not say of the twin. ParallelCluster "
        "runs with AWS answered by moto, SkyPilot with a catalog made of the tables here.\n\n"
        "`seen`: it says so. `silent`: asked, and nothing said. `–`: cannot be put to it. Codes in brackets are warnings."
    )


def _ours(verdict: Verdict | None) -> str:
    if verdict is None:
        return "–"
    if not verdict.seen:
        return "MISSED"
    return verdict.code if verdict.severity is not None and verdict.severity.value == "error" else f"({verdict.code})"


def _saw(case: Case, answer: Answer) -> bool:
    return bool(answer.seen.get(case.id)) and answer.name not in case.aside


def _theirs(case: Case, answer: Answer) -> str:
    if not speaks(case, answer.name) or case.id not in answer.seen:
        return "–"
    return "seen" if _saw(case, answer) else "silent"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
