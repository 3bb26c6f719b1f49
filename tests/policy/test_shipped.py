"""Every shipped stack and template passes every rule: no error, and each warning is one that its README explains
(a template's spec)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuinfra.diagnostics import Diagnostic, Severity
from gpuinfra.policy import check_graph
from gpuinfra.policy.examples import NOW
from gpuinfra.policy.judgement import judge
from gpuinfra.spec.load import load
from gpuinfra.testing import record

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(p.parent for kind in ("stacks", "templates") for p in ROOT.glob(f"{kind}/*/Pulumi.yaml"))


def findings(folder: Path) -> list[Diagnostic]:
    """What all plan rules say of the folder's specs, and all resource rules of what its program registers."""
    judged = [judge(load(str(p)), NOW) for p in sorted(folder.glob("*.yaml")) if not p.name.startswith("Pulumi")]
    found = [d for j in judged for d in j.diagnostics]
    plans = [j.plan for j in judged]
    for preview in (True, False):
        graph = record(folder, preview=preview)
        found += check_graph(graph, plans[0] if len(plans) == 1 else None, now=NOW).diagnostics
    return found


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: f"{p.parent.name}-{p.name}")
def test_it_passes_every_rule(folder: Path):
    found = findings(folder)
    assert not [d for d in found if d.is_error]
    # A template has no README: `pulumi new` copies its spec, whose comments explain.
    files = [folder / "README.md", *folder.glob("cluster*.yaml")]
    readme = "".join(p.read_text(encoding="utf-8") for p in files if p.exists())
    warned = {d.code for d in found if d.severity is Severity.WARNING}
    assert not {code for code in warned if code not in readme}
