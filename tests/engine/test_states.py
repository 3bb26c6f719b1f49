"""State that an older layout of the package left behind: today's code finds everything in it and changes nothing.

states/<cloud>/<n>/ holds a cluster and the stack that was exported after `up`. How to add the next is in states/README.md.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.engine import Engine
from gpuinfra.simulation.home import Home
from gpuinfra.simulation.world import World
from gpuinfra.vocabulary import Provider

STATES = Path(__file__).parent / "states"
STORED = sorted(p.parent for p in STATES.glob("*/*/cluster.yaml"))
NEW_VARIABLE = "GPUINFRA_WRITE_STATES"
MOMENT = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d")
PROGRAM = """
import yaml
from gpuinfra import GpuCluster

GpuCluster(yaml.safe_load(open("cluster.yaml"))["name"], "cluster.yaml")
"""


def test_every_cloud_has_a_state():
    assert {p.parent.name for p in STORED} == {str(p) for p in Provider}


@pytest.mark.parametrize("stored", STORED, ids=lambda p: f"{p.parent.name}-{p.name}")
def test_todays_code_changes_nothing(
    stored: Path, tmp_path: Path, engine: Engine, deploy: Callable[..., dict[str, Any]]
) -> None:
    folder = stack(tmp_path / "stack", stored)
    state = stored / "state.json"
    if os.environ.get(NEW_VARIABLE) and not state.exists():
        deploy("up", folder)
        state.write_text(readable(pulumi(engine, folder, "stack", "export")), encoding="utf-8")
    text = state.read_text(encoding="utf-8")
    assert not re.search(r'"ciphertext"|"plaintext"|/pytest-of-|PRIVATE KEY', text), "a state here holds no secret"
    fresh = stack(tmp_path / "again", stored)
    # A stack to put the state into, and a world that is not taken for one which was lost.
    at_its_time(fresh, text)
    deploy("up", fresh)
    pulumi(engine, fresh, "stack", "import", "--file", str(state))
    held = json.loads(text)["deployment"]["resources"]
    wanted = Counter("same" for r in held if not r["type"].startswith("pulumi:providers:"))
    assert deploy("preview", fresh)["changes"] == wanted


def at_its_time(folder: Path, text: str) -> None:
    """Gives the stack a world in which the stored `up` was just now: its lease, a matter of hours, ended long ago."""
    began = min(datetime.fromisoformat(found).replace(tzinfo=UTC) for found in MOMENT.findall(text))
    world = World(Home(folder).world)
    world.set_meta("ahead_s", str((began - datetime.now(UTC)).total_seconds()))
    world.close()


def stack(folder: Path, stored: Path) -> Path:
    """A stack of a stored cluster."""
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: states\nruntime: python\n", encoding="utf-8")
    (folder / "__main__.py").write_text(PROGRAM, encoding="utf-8")
    shutil.copyfile(stored / "cluster.yaml", folder / "cluster.yaml")
    return folder


def pulumi(engine: Engine, folder: Path, *words: str) -> str:
    """Runs the engine's own command line on the simulated stack."""
    done = subprocess.run(
        [str(engine.command), *words, "--stack", "dev"],
        cwd=Home(folder).root / "settings",
        env={**os.environ, **Home(folder).environment()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def readable(exported: str) -> str:
    """The state without what says only when and where it was made."""
    state = json.loads(exported)
    deployment = state["deployment"]
    deployment.pop("manifest", None)
    deployment.pop("secrets_providers", None)
    for resource in deployment["resources"]:
        for key in ("created", "modified", "sourcePosition", "stackTrace"):
            resource.pop(key, None)
        # What the cloud computed and the SDK calls secret (labels, with Google) is no input, and no diff reads it.
        outputs = resource.get("outputs", {})
        resource["outputs"] = {k: v for k, v in outputs.items() if "ciphertext" not in json.dumps(v)}
    return json.dumps(state, indent=1, sort_keys=True) + "\n"
