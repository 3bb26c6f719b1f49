"""The rows of the rule tables: none without a code or a reason, and no code of a row that does not exist."""

from __future__ import annotations

import re

import pytest

from gpuinfra.diagnostics import Code, Severity
from gpuinfra.reference.codes import all_codes
from gpuinfra.reference.fact_rows import codes_by_row, fact_rows, fact_table

ROW = re.compile(r"(AWS|AZ) [A-Z]+-\d\d|GCP-[A-Z]+-\d\d")
PREFIX = {"aws": "AWS ", "gcp": "GCP-", "azure": "AZ "}


@pytest.fixture(scope="module")
def by_row() -> dict[str, tuple[str, ...]]:
    return codes_by_row(all_codes().values())


def test_rows_are_unique_and_well_formed():
    rows = fact_rows()
    assert len({r.row for r in rows}) == len(rows) == 300
    for r in rows:
        assert ROW.fullmatch(r.row), r.row
        assert r.row.startswith(PREFIX[r.cloud]), r.row
        assert r.title, r.row


def test_every_row_has_a_code_or_a_reason(by_row: dict[str, tuple[str, ...]]):
    assert [r.row for r in fact_rows() if r.row not in by_row and not r.reason] == []


def test_a_row_with_a_code_has_no_reason_against_one(by_row: dict[str, tuple[str, ...]]):
    assert [r.row for r in fact_rows() if r.row in by_row and r.reason] == []


def test_no_code_names_a_row_that_does_not_exist(by_row: dict[str, tuple[str, ...]]):
    assert set(by_row) - {r.row for r in fact_rows()} == set()


def test_nearly_every_row_that_can_be_decided_offline_has_a_code(by_row: dict[str, tuple[str, ...]]):
    without = {r.row for r in fact_rows() if r.row not in by_row and not r.live}
    assert without == {"AWS FSX-16", "AZ PUL-04"}


def test_the_table_links_the_codes_and_says_why_there_is_none():
    codes = (Code("GI3001", "a", Severity.ERROR, "A.", facts=("AWS NET-01",)),)
    table = fact_table(codes)
    assert "| AWS NET-01 | the interface list is the type's | [GI3001](#gi3001) |" in table
    assert "| AZ PUL-04 | the API version stays | none: a type's API version" in table
    assert "1 of 300 rows have a code (1 of 112 on aws, 0 of 95 on azure, 0 of 93 on gcp)" in table


def test_every_row_stands_in_the_page():
    from gpuinfra.reference.generate import rules_page

    page = rules_page()
    assert [r.row for r in fact_rows() if f"| {r.row} |" not in page] == []
