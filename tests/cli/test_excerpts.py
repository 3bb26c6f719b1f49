"""The line of a finding, as it fits a terminal: the mark stays under its value."""

from __future__ import annotations

import re

import pytest

from gpuinfra.cli import findings as rendering
from gpuinfra.diagnostics import Diagnostic, Severity, Source


def shown(line: str, value: str, width: int | None = None) -> tuple[str, str]:
    """The line as it is shown, and what stands above the mark."""
    source = Source("a.yaml", 1, line.index(value) + 1)
    found = Diagnostic("GI2001", Severity.ERROR, "", "is wrong", "", source)
    text = re.sub(r"\x1b\[[0-9;]*m", "", rendering.as_text([found], {"a.yaml": [line]}, width))
    rows = text.splitlines()
    at = next(n for n, row in enumerate(rows) if row.lstrip().startswith("1 | "))
    above, mark = rows[at], rows[at + 1]
    if width is not None:
        assert max(len(above), len(mark)) <= width
    begin = mark.index("^")
    return above, above[begin : begin + mark.count("^")]


LONG = "node_pools: [" + ", ".join(f"{{name: pool{n:02}, instance_type: p5.48xlarge}}" for n in range(40)) + "]"


@pytest.mark.parametrize("width", [100, 80, 40, None])
@pytest.mark.parametrize("value", ["node_pools", "pool00", "pool01", "pool20", "pool39"])
def test_a_long_line_is_cut_around_the_mark(width: int | None, value: str):
    line, marked = shown(LONG, value, width)
    assert marked == value
    assert "…" in line
    if value in {"pool20", "pool39"}:
        assert "| …" in line
    else:
        assert line.endswith("…")


def test_a_line_that_fits_is_whole():
    line = "name: acme, instance_type: p5.49xlarge, count: 2"
    assert shown(line, "p5.49xlarge", len(line) + 8) == (f"    1 | {line}", "p5.49xlarge")
    assert shown(line, "p5.49xlarge", len(line) + 7)[0].endswith("…")


def test_a_value_longer_than_the_terminal_is_marked_as_far_as_it_is_shown():
    line, marked = shown("name: " + "x" * 300, "x" * 300, 60)
    assert line.startswith("    1 | …")
    assert set(marked) == {"x"}
    assert len(marked) > 40


def test_tabs_are_as_wide_as_they_are_shown():
    assert shown("a:\t[one,\ttwo]\t# " + "long " * 30, "two", 60)[1] == "two"


def test_a_secret_in_a_part_that_would_be_cut_hides_the_line():
    secret = "hf_" + "a1B2" * 9
    with pytest.raises(StopIteration):
        shown("name: acme, " + "x" * 300 + f", token: {secret}", "acme", 60)
