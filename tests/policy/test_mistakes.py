"""The mistakes benchmark, gpuinfra's side: every mistake is said with the right code at the right place, and no twin has
an error."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.mistakes.ours import of_program, of_spec, verdicts
from benchmarks.mistakes.table import CLOUDS, Case, cases, programs
from gpuinfra.policy.registry import all_rules


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.id)
def test_a_mistake_is_seen_and_its_twin_is_let_be(case: Case):
    found = verdicts(case)
    assert found, "a case without a spec and without a program"
    assert not {kind: v.faults for kind, v in found.items() if v.faults}


@pytest.mark.parametrize("program", programs(), ids=lambda p: f"{p[0]}-{p[1]}")
def test_the_programs_that_the_cases_change_are_right(program: tuple[str, str, str]):
    assert not [d for d in of_program(program[2]) if d.is_error]


def test_there_are_enough_cases_and_each_is_told_once():
    assert len(cases()) >= 60
    per_cloud = Counter(c.cloud for c in cases())
    assert all(per_cloud[cloud] >= 20 for cloud in CLOUDS)
    assert not [i for i, n in Counter(c.id for c in cases()).items() if n > 1]
    assert all(c.id.startswith(f"{c.cloud}-") for c in cases())
    assert not [c.id for c in cases() for f in (c.spec, c.program) if f is not None and f.bad == f.good]


def test_codes_that_cases_expect_are_codes_of_rules_or_of_deciding():
    rules = {r.code.code for r in all_rules()}
    expected = {f.code for c in cases() for f in (c.spec, c.program) if f is not None}
    assert not [code for code in expected if code.startswith("GI3") and code not in rules]


def test_a_verdict_can_fail():
    case = next(c for c in cases() if c.spec is not None)
    assert case.spec is not None
    assert not [d for d in of_spec(case.spec.good) if d.is_error]
    assert [d for d in of_spec(case.spec.bad) if d.code == case.spec.code and d.path == case.spec.path]
