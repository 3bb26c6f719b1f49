"""`pulumi` itself in a stack's folder, in the environment that `gpuinfra simulate env` prints."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.engine import Engine
from gpuinfra.lint import Kind, Linted, Source, lint
from gpuinfra.policy.resource_graph import UNKNOWN
from tests import language_host

from .driving import Driven, command, copied

NAME = "aws-l4-inference"


@dataclass(frozen=True)
class Shell:
    """A shell in the stack's folder, where the printed lines were evaluated."""

    driven: Driven
    path: str
    created: Path

    def pulumi(self, *words: str, status: int = 0) -> str:
        """Runs `pulumi` and gives what it wrote to standard output."""
        printed = command("simulate", "env", str(self.driven.folder), env={"PATH": self.path})
        assert printed.status == 0, printed.err
        line = f"{printed.out}\ncd {shlex.quote(str(self.driven.folder))} && exec pulumi {shlex.join(words)}"
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout


@pytest.fixture(scope="module")
def shell(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A stack that plain `pulumi up` has made, with the log of its events."""
    base = tmp_path_factory.mktemp("shell")
    path = os.environ["PATH"]
    if language_host.real(engine.command) is None:
        path = f"{language_host.install(base / 'bin').parent}{os.pathsep}{path}"
    made = Shell(copied(NAME, base), path, base / "events.json")
    made.pulumi("stack", "init", "dev")
    os.environ["PULUMI_DEBUG_COMMANDS"] = "1"
    try:
        made.pulumi("up", "--yes", "--skip-preview", "--event-log", str(made.created))
    finally:
        del os.environ["PULUMI_DEBUG_COMMANDS"]
    return made


def test_the_event_log_tells_of_each_resource_once(shell: Shell) -> None:
    events: list[dict[str, Any]] = [json.loads(line) for line in shell.created.read_text().splitlines()]
    assert [e["sequence"] for e in events] == list(range(len(events)))
    made = [e["resOutputsEvent"]["metadata"] for e in events if "resOutputsEvent" in e]
    assert {m["op"] for m in made} == {"create"}
    assert max(Counter(m["urn"] for m in made).values()) == 1
    (summary,) = [e["summaryEvent"] for e in events if "summaryEvent" in e]
    assert summary["resourceChanges"] == {"create": len(shell.driven.state["resources"]) - _providers(shell)}
    shell.driven.agrees()


def test_the_preview_as_json_of_a_change(shell: Shell) -> None:
    shell.driven.edit(r"per_month_usd: 3000", "per_month_usd: 4000")
    try:
        digest = json.loads(shell.pulumi("preview", "--json"))
    finally:
        shell.driven.edit(r"per_month_usd: 4000", "per_month_usd: 3000")
    assert set(digest["changeSummary"]) == {"same", "update"}
    (step,) = [s for s in digest["steps"] if s["op"] == "update"]
    assert step["urn"].endswith("-budget")
    assert step["detailedDiff"] == {"limitAmount": {"kind": "update", "inputDiff": True}}


def test_both_ways_work_on_one_stack(shell: Shell) -> None:
    """What `pulumi up` made, `gpuinfra` sees as its own, and the other way round."""
    assert shell.driven.changes("preview") == {}
    shell.driven.edit(r"contacts: \[serving@example.com\]", "contacts: [other@example.com]")
    assert set(shell.driven.changes("up")) == {"update"}
    assert set(json.loads(shell.pulumi("preview", "--json"))["changeSummary"]) == {"same"}


def test_a_program_that_fails_is_told_at_the_users_own_line(shell: Shell) -> None:
    shell.driven.edit(r"model: L4", "model: L5")
    try:
        said = shell.pulumi("preview", status=1)
    finally:
        shell.driven.edit(r"model: L5", "model: L4")
    assert "cluster.yaml:" in said
    assert "L5" in said


def test_lint_reads_what_the_engine_writes(shell: Shell, tmp_path: Path) -> None:
    def said(kind: Kind, *words: str) -> Linted:
        file = tmp_path / f"{kind}.json"
        file.write_text(shell.pulumi(*words))
        return lint(Source(kind, str(file)))

    program = lint(Source(Kind.PROGRAM, str(shell.driven.folder)))
    state = said(Kind.STATE, "stack", "export")
    preview = said(Kind.PREVIEW, "preview", "--json", "--show-sames")
    assert program.graph is not None
    names = [(r.type, r.name) for r in program.graph]
    for found in (state, preview):
        assert found.graph is not None
        assert [(r.type, r.name) for r in found.graph] == names
        assert {(d.code, d.resource) for d in found.findings} == {(d.code, d.resource) for d in program.findings}
        assert [r.name for r in found.graph if r.options.get("deleteBeforeReplace") is not UNKNOWN] == []
        # What the program sets of the options that the engine writes is read back.
        for r in found.graph:
            own = program.graph.by_urn(r.urn)
            assert own is not None
            for option in ("protect", "ignoreChanges", "replaceOnChanges"):
                assert r.options.get(option) == own.options.get(option), (r.name, option)
    partial = said(Kind.PREVIEW, "preview", "--json")
    assert [d.code for d in partial.findings if d.code.startswith("GI1")] == ["GI1084"]


def test_no_language_host_is_said_and_refused(engine: Engine, tmp_path: Path) -> None:
    it = copied(NAME, tmp_path)
    said = command("simulate", "env", str(it.folder), env={"PATH": str(tmp_path)})
    if language_host.real(engine.command) is None:
        assert said.status == 2
        assert "pulumi-language-python" in said.err
    else:
        assert said.status == 0


def _providers(shell: Shell) -> int:
    return sum(r["type"].startswith("pulumi:providers:") for r in shell.driven.state["resources"])


def test_the_stand_in_is_left_where_a_real_host_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert language_host.real(tmp_path / "pulumi") is None
    there = language_host.install(tmp_path)
    assert language_host.real(tmp_path / "pulumi") == str(there)
