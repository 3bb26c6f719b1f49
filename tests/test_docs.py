"""Every code block of the README and the guides is run or checked, in the order of its page.

`yaml` with `# file: NAME` in its first line becomes that file; `console` runs each `$` line (`# exit N` at its end names
the status, else 0); `python` runs; `sh` is parsed by bash, since it needs an account; `json` is parsed. A block of
another kind fails, so that nothing is shown unchecked.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted(p for p in (ROOT / "docs").rglob("*.md") if "reference" not in p.parts)]
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(m[1], m[2]) for m in BLOCK.finditer(page.read_text())]


def run_console(text: str, folder: Path, env: dict[str, str]) -> None:
    shown = shown_below(text)
    for line in text.splitlines():
        if not line.startswith("$ "):
            continue
        command, _, note = line[2:].partition("  # exit ")
        if command.startswith(("make ", "git ")):
            continue  # what `make demo` and `make test` run is what CI runs
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == int(note or 0), f"$ {command}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        assert_shown(shown.get(line, []), done.stdout + done.stderr)


def shown_below(text: str) -> dict[str, list[str]]:
    """The lines that a block shows below each command."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("$ "):
            found[line] = []
        elif found:
            found[next(reversed(found))].append(line)
    return found


def assert_shown(wanted: list[str], printed: str) -> None:
    """Each line that the page shows was printed, in that order. `…` stands for lines, or for the rest of one."""
    left = iter(printed.splitlines())
    for line in wanted:
        if line != "…":
            start, more = line.removesuffix("…"), line.endswith("…")
            assert any(p.startswith(start) if more else p == line for p in left), f"not printed: {line}\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_code_blocks(page: Path, tmp_path: Path):
    for name in ("stacks", "templates", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    shim = tmp_path / "bin"
    shim.mkdir()
    (shim / "gpuinfra").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gpuinfra "$@"\n')
    (shim / "gpuinfra").chmod(0o755)
    env = {**os.environ, "PATH": f"{shim}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    for kind, text in blocks(page):
        if kind == "yaml":
            first = re.match(r"# file: (\S+)\n", text)
            yaml.safe_load(text)
            if first:
                (tmp_path / first[1]).write_text(text)
        elif kind == "console":
            run_console(text, tmp_path, env)
        elif kind == "python":
            done = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, env=env, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        elif kind == "json":
            json.loads(text)
        elif kind == "sh":
            subprocess.run(["bash", "-n"], input=text, text=True, check=True)
        else:
            pytest.fail(f"a block of kind '{kind}' is not checked:\n{text}")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path):
    for target in LINK.findall(page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_guide_is_found_from_the_readme():
    text = (ROOT / "README.md").read_text()
    assert not [p for p in PAGES[1:] if str(p.relative_to(ROOT)) not in text]
