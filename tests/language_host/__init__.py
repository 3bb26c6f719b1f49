"""A Python language host for machines that have none: what the engine starts when `pulumi up` runs in a folder with
`runtime: python`. It comes with Pulumi's installer and with no package, so the engine tier brings this stand-in and says so.

It does what the tier needs, which is to run a program and a policy pack, and nothing else: no generated code, no debugger.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOST = Path(__file__).parent / "host.py"
NAME = "pulumi-language-python"


def real(engine: Path) -> str | None:
    """The true host, on PATH or beside the engine; None where there is none."""
    beside = engine.parent / NAME
    return shutil.which(NAME) or (str(beside) if os.access(beside, os.X_OK) else None)


def install(folder: Path) -> Path:
    """Writes the stand-in's program into a folder, which then belongs at the front of PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / NAME
    # The checkout that holds this very file is the one under test, whatever is installed.
    lines = (f'PYTHONPATH="{ROOT}"; export PYTHONPATH', f'exec "{sys.executable}" -W ignore "{HOST}" "$@"')
    program.write_text("\n".join(("#!/bin/sh", *lines, "")))
    program.chmod(0o755)
    return program
