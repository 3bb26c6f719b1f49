"""Five hundred faulty specs of the fuzzer; `benchmarks/fuzz_specs.py --count 20000` runs more."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parent.parent.parent / "benchmarks" / "fuzz_specs.py"


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_specs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_nothing_raises_and_every_finding_can_be_shown(fuzz: ModuleType):
    failures, seen = fuzz.run(seed=7, count=500)
    assert [f"case {f.case}: {f.what}" for f in failures] == []
    # The cases reach every stage: a fuzzer whose specs are all refused at the door proves little.
    assert seen["refused on reading"] > 100
    assert seen["planned, clean"] > 30
    assert seen["planned, with errors"] > 50


def test_a_case_is_its_seed_and_number(fuzz: ModuleType):
    def cases(step: int) -> list[str]:
        return [re.sub(r"0x[0-9a-f]+", "", repr(fuzz.make_case(3, n))) for n in range(0, 300, step)]

    assert cases(1)[::3] == cases(3)


def test_a_failure_is_reported(fuzz: ModuleType):
    def raises(_spec: object) -> list[object]:
        raise RuntimeError("broken")

    right = ("text", (fuzz.SPECS[-1]).read_text())
    failures = fuzz.run_case(right, 5, raises, fuzz.Counter())
    assert [(f.case, f.stage) for f in failures] == [(5, "plan")]
    assert "RuntimeError: broken" in failures[0].what
