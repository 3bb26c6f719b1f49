"""What `gpuinfra plan` says of a whole cluster, on each cloud. GPUINFRA_REWRITE_GOLDENS=1 rewrites the goldens.

The resources of a room have goldens of their own beside these; here are the decisions, the cost and the findings.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpuinfra.testing import compare_golden

ROOT = Path(__file__).parent.parent
GOLDENS = ROOT / "tests" / "golden"
CASES = sorted(p.name for p in GOLDENS.iterdir() if (p / "cluster.yaml").exists())


def test_every_cloud_has_a_minimal_and_a_complex_case():
    assert sorted(f"{cloud}-{size}" for cloud in ("aws", "azure", "gcp") for size in ("minimal", "complex")) == CASES


@pytest.mark.parametrize("case", CASES)
def test_decisions_cost_and_findings(case: str):
    command = [sys.executable, "-m", "gpuinfra", "plan", f"tests/golden/{case}/cluster.yaml", "--format", "json"]
    done = subprocess.run(
        [*command, "--now", "2026-11-30T09:00:00Z"], cwd=ROOT, capture_output=True, text=True, env={**os.environ}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    plan = json.loads(done.stdout)
    assert plan["decisions"]
    # Rooms have their own goldens; a cloud without one yet has no resources.
    plan.pop("resources")
    compare_golden(plan, GOLDENS / case / "plan.json")
