"""Six clusters from public recipes, each as it was meant and with one fault: the fault is seen where it stands, and
nothing else is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuinfra.diagnostics import Diagnostic
from gpuinfra.policy.examples import NOW
from gpuinfra.policy.judgement import judge
from gpuinfra.spec.load import load

FOLDER = Path(__file__).parent / "clusters"
FAULTS = {
    "aws-03-b200-demand-sft": ("GI2107", "image.container"),
    "aws-12-t4-workstations": ("GI2206", "budget.alerts_percent"),
    "azure-06-mi300x-serving": ("GI2103", "image.container"),
    "azure-12-volta-simulation": ("GI2126", "image.node"),
    "gcp-03-b200-flex-slurm": ("GI2062", "storage[1].size_gib"),
    "gcp-08-l4-lifescience": ("GI2260", "storage[2].mount"),
}


def errors(path: Path) -> list[Diagnostic]:
    return [d for d in judge(load(str(path)), NOW).diagnostics if d.is_error]


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_seen_and_the_twin_is_clean(name: str):
    wrong = FOLDER / f"{name}.wrong.yaml"
    (found,) = errors(wrong)
    assert (found.code, found.path) == FAULTS[name]
    # The case names words that the message must hold: the field, and the value or the way out.
    want = next(line for line in wrong.read_text().splitlines() if line.startswith("# want:"))
    said = f"{found.path} {found.message} {found.hint}".lower()
    assert all(word.lower() in said for word in want.removeprefix("# want:").split())
    assert not errors(FOLDER / f"{name}.yaml")
