"""A stack folder that a test drives through the simulated clouds, in this process: the SDKs are imported once."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from gpuinfra.cli.app import main
from gpuinfra.simulation.home import Home
from gpuinfra.simulation.world import World

ROOT = Path(__file__).parents[2]
STACKS = sorted(p.parent.name for kind in ("stacks", "templates") for p in ROOT.glob(f"{kind}/*/Pulumi.yaml"))


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    status: int
    out: str
    err: str

    @property
    def data(self) -> dict[str, Any]:
        return json.loads(self.out)


def command(*words: str, env: dict[str, str] | None = None) -> Said:
    """The command line, as a person gives it, without the start of a process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), patch.dict(os.environ, env or {}):
        status = main([str(w) for w in words])
    return Said(status, out.getvalue(), err.getvalue())


@dataclass
class Driven:
    """One stack of a folder."""

    folder: Path
    stack: str = "dev"
    env: dict[str, str] = field(default_factory=dict)

    def ask(self, operation: str, *more: str) -> Said:
        """Runs an operation, whatever comes of it."""
        words = (operation, str(self.folder), "--simulate", "--yes", "--stack", self.stack, "--format", "json", *more)
        return command(*words, env=self.env)

    def do(self, operation: str, *more: str) -> dict[str, Any]:
        """Runs an operation that has to succeed, and gives what it says."""
        said = self.ask(operation, *more)
        assert said.status == 0, said.err[-6000:]
        return said.data

    def changes(self, operation: str, *more: str) -> dict[str, int]:
        """How many resources an operation did what to; those that stayed are left out."""
        return {what: n for what, n in self.do(operation, *more)["changes"].items() if what != "same"}

    def refused(self, operation: str, *more: str) -> str:
        """Runs an operation that has to fail with a reason for a person, and gives the reason."""
        said = self.ask(operation, *more)
        assert said.status == 1, (said.status, said.out[-2000:], said.err[-2000:])
        assert "Traceback" not in said.err
        assert "internal error" not in said.err
        return said.err

    def simulate(self, word: str, *more: str) -> str:
        """`gpuinfra simulate WORD FOLDER …`."""
        said = command("simulate", word, str(self.folder), *more)
        assert said.status == 0, said.err
        return said.out

    def edit(self, old: str, new: str, file: str = "cluster.yaml") -> None:
        """Changes the one place where a text stands in the spec."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert len(re.findall(old, text)) == 1, (old, text)
        path.write_text(re.sub(old, new, text), encoding="utf-8")

    @property
    def home(self) -> Home:
        return Home(self.folder)

    @property
    def state(self) -> dict[str, Any]:
        """The stack's state as the backend keeps it."""
        found = list(self.home.state.glob(f".pulumi/stacks/*/{self.stack}.json"))
        return json.loads(found[0].read_text())["checkpoint"]["latest"] if found else {}

    @contextmanager
    def world(self) -> Iterator[World]:
        """The simulated world, opened for a look."""
        opened = World(self.home.world)
        try:
            yield opened
        finally:
            opened.close()

    def agrees(self) -> None:
        """The state and the world hold the same resources, each once, with as many machines as their groups want."""
        with self.world() as world:
            there = Counter((t.urn, t.id) for t in world.things() if f":{self.stack}::" in t.urn)
        held = [r for r in self.state.get("resources", []) if r["custom"] and not r["type"].startswith("pulumi:")]
        known = Counter((r["urn"], r["id"]) for r in held)
        assert there == known
        twice = {urn: n for urn, n in Counter(urn for urn, _ in there.elements()).items() if n > 1}
        assert not twice, f"made twice: {twice}"
        for group in json.loads(self.simulate("show", "--format", "json"))["groups"]:
            assert group["running"] == group["wanted"], group

    def gone(self) -> None:
        """Nothing is left, in the state or in the world."""
        assert not self.state.get("resources"), [r["urn"] for r in self.state["resources"]]
        with self.world() as world:
            assert [t.name for t in world.things() if f":{self.stack}::" in t.urn] == []
            assert [n for n in world.nodes() if n.ended_at is None] == []


def copied(name: str, into: Path) -> Driven:
    """A copy of a shipped stack or template, in a folder of its own."""
    (source,) = [p for p in (ROOT / "stacks" / name, ROOT / "templates" / name) if p.is_dir()]
    target = into / name
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(".gpuinfra", "__pycache__"))
    project = target / "Pulumi.yaml"
    # What `pulumi new` fills in.
    text = project.read_text(encoding="utf-8")
    project.write_text(text.replace("${PROJECT}", name).replace("${DESCRIPTION}", "a test"), encoding="utf-8")
    return Driven(target)


def written(into: Path, name: str, program: str, spec: str | None = None) -> Driven:
    """A stack folder with a program of a test."""
    into.mkdir(parents=True)
    (into / "Pulumi.yaml").write_text(f"name: {name}\nruntime: python\n", encoding="utf-8")
    (into / "__main__.py").write_text(program, encoding="utf-8")
    if spec is not None:
        (into / "cluster.yaml").write_text(spec, encoding="utf-8")
    return Driven(into)
