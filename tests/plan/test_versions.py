"""Versions of drivers and toolkits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.plan.versions import at_least, minor, newest_first, numbers

VERSIONS = st.lists(st.integers(0, 999), min_size=1, max_size=4).map(lambda n: ".".join(map(str, n)))


@pytest.mark.parametrize(
    ("have", "need", "answer"),
    [
        ("595.58.03", "570.26", True),
        ("570.26", "570.124.06", False),
        ("570.124.06", "570.26", True),
        ("580", "580", True),
        ("580", "575.57.08", True),
        ("580", "580.65.06", None),
        ("570", "580.65.06", False),
        ("580.65.06", "580", True),
        ("12.10", "12.9", True),
        ("", "580", None),
        ("535 or 550", "525", True),
        ("latest", "525", None),
    ],
)
def test_at_least(have: str, need: str, answer: bool | None) -> None:
    assert at_least(have, need) is answer


@given(VERSIONS, VERSIONS)
def test_one_of_two_versions_is_at_least_the_other_or_a_branch_of_it(a: str, b: str) -> None:
    answers = {at_least(a, b), at_least(b, a)}
    assert True in answers
    if answers == {True}:
        shared = min(len(numbers(a)), len(numbers(b)))
        assert numbers(a)[:shared] == numbers(b)[:shared]


def test_parts_of_a_version() -> None:
    assert numbers("12.8.0.038") == (12, 8, 0, 38)
    assert numbers("2.6.0a0+df5bbc09d1") == (2, 6, 0)
    assert numbers("9" * 5000) == ()
    assert minor("12") is None
    assert minor("13.0") == (13, 0)


def test_newest_comes_first_and_no_version_last() -> None:
    assert sorted(["580.65.06", "", "595.58.03", "580"], key=newest_first) == ["595.58.03", "580.65.06", "580", ""]
