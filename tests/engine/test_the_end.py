"""Through the engine: a cluster whose lease is over is expired and not missing, and a cloud's no is heard and mended."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuinfra.engine import Engine

ROOT = Path(__file__).parents[2]


def run(*words: str, status: int = 0) -> str:
    """Both streams of a command line."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "gpuinfra", *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=dict(os.environ),
        check=False,
    )
    assert done.returncode == status, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout if "json" in words else done.stdout + done.stderr


def folder_of(name: str, tmp_path: Path) -> Path:
    target = tmp_path / name
    shutil.copytree(ROOT / "stacks" / name, target, ignore=shutil.ignore_patterns(".gpuinfra", "__pycache__"))
    return target


def deployed(operation: str, folder: Path, *more: str) -> dict[str, Any]:
    return json.loads(run(operation, str(folder), "--simulate", "--yes", "--format", "json", *more))


@pytest.mark.parametrize("name", ["aws-l4-inference", "gcp-l4-inference", "azure-a10-rendering"])
def test_after_the_lease_nothing_is_bought(name: str, engine: Engine, tmp_path: Path) -> None:
    folder = folder_of(name, tmp_path)
    assert deployed("up", folder)["expired"] is False
    run("simulate", "advance", str(folder), "3000h")
    said = run("preview", str(folder), "--simulate", "--yes")
    assert "the cluster has expired" in said
    assert "expired 20" in said, "and in the last lines too"
    again = deployed("up", folder)
    assert again["expired"] is True
    assert {*again["changes"]} <= {"same", "update"}
    assert {*deployed("preview", folder)["changes"]} == {"same"}
    world = json.loads(run("simulate", "show", str(folder), "--format", "json"))
    assert world["groups"]
    assert {(g["state"], g["running"]) for g in world["groups"]} == {("expired", 0)}


def test_a_no_at_apply_is_heard_and_the_next_up_completes(engine: Engine, tmp_path: Path) -> None:
    folder = folder_of("azure-a10-rendering", tmp_path)
    size = yaml.safe_load((folder / "cluster.yaml").read_text(encoding="utf-8"))["node_pools"][0]["instance_type"]
    stock = tmp_path / "stock.yaml"
    stock.write_text(yaml.safe_dump({"zones": {"*": {size: 0}}}), encoding="utf-8")
    said = run("up", str(folder), "--simulate", "--yes", "--stock", str(stock), status=1)
    assert "AllocationFailed" in said
    stock.write_text(yaml.safe_dump({"zones": {"*": {size: 50}}}), encoding="utf-8")
    made = deployed("up", folder, "--stock", str(stock))["changes"]
    assert made["create"] >= 1
    assert made["same"] > 5, "what stood stays"
    assert {*deployed("preview", folder)["changes"]} == {"same"}
