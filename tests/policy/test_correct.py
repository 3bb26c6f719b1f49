"""Right clusters, rewritten from vendors' guides: no rule has an error, and each warning is one that the file explains."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.mistakes.ours import of_program, of_spec
from gpuinfra.diagnostics import Diagnostic, Severity

FILES = sorted((Path(__file__).parent / "correct").glob("*.yaml"))


def read(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def findings(case: dict[str, Any]) -> tuple[Diagnostic, ...]:
    return of_spec(yaml.safe_dump(case["spec"], sort_keys=False)) if "spec" in case else of_program(case["resources"])


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_right_cluster_gives_no_error(path: Path):
    case = read(path)
    found = findings(case)
    assert not [d for d in found if d.is_error]
    assert {d.code for d in found if d.severity is Severity.WARNING} <= set(case["warnings"])
    assert case["source"]
    assert case["what"]
    assert all(case["warnings"].values())


def test_there_are_thirty_of_all_clouds_and_kinds():
    kinds = Counter(tuple(p.stem.split("-")[:2]) for p in FILES)
    assert len(FILES) >= 30
    assert all(kinds[cloud, kind] >= 5 for cloud in ("aws", "gcp", "azure") for kind in ("spec", "program"))
    shapes = {read(p)["what"] for p in FILES}
    assert len(shapes) == len(FILES)
    assert sum("containerservice" in p.read_text() or "eks.NodeGroup" in p.read_text() for p in FILES) >= 6
    assert sum("container.NodePool" in p.read_text() for p in FILES) >= 4
