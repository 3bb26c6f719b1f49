"""What the tests of the command line share."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.cli import main

NOW = "2026-11-30T09:00:00Z"

SPEC = """\
api_version: gpuinfra/v1
name: acme
workload: training
location: {provider: aws, region: us-east-2, zone: use2-az1}
node_pools:
  - {name: gpu, instance_type: p5.48xlarge, count: 2}
image: {container: "nvcr.io/nvidia/pytorch:25.08-py3"}
budget: {per_month_usd: 90000, contacts: [ml@example.com]}
shutdown: {idle_after: 30m, lease: 72h}
"""


@dataclass(frozen=True)
class Ran:
    """What one call of the command line did."""

    status: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Calls the command line in this process."""
    for name in ("NO_COLOR", "FORCE_COLOR", "GPUINFRA_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def call(*args: str | Path) -> Ran:
        capsys.readouterr()
        status = main([str(a) for a in args])
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return Ran(status, said.out, said.err)

    return call


@pytest.fixture
def spec_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes a spec, with replacements made in SPEC, and returns its path."""

    def make(*changes: tuple[str, str], name: str = "cluster.yaml") -> Path:
        text = SPEC
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return make
