"""Unquoted words are read by YAML 1.2, and hints write them so that they read back."""

from __future__ import annotations

import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.spec.document import compose
from gpuinfra.spec.scalars import quoted, resolve_scalar, write_inline


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None), ("~", None), ("null", None), ("NULL", None), ("true", True), ("False", False), ("TRUE", True),
        ("1", 1), ("-17", -17), ("+3", 3), ("010", 10), ("0o17", 15), ("0x1F", 31), ("1.5", 1.5), (".5", 0.5), ("1.", 1.0),
        ("1e3", 1000.0), ("-2.5E-3", -0.0025), (".inf", math.inf), ("-.Inf", -math.inf), ("1e999", math.inf),
    ],
)  # fmt: skip
def test_words_of_the_core_schema(text: str, value: object):
    found = resolve_scalar(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    ["yes", "No", "on", "OFF", "y", "nUll", "tRue", "12:30", "1:30:00", "2026-12-01", "2026-12-01T00:00:00Z", "1_000", "0b11",
     "017o", "0xZZ", "1.2.3", "+", "-", ".", "1e", "inf", "nan", "10.0.0.0/8", "9" * 301, "=", "<<"],
)  # fmt: skip
def test_what_other_readers_change_stays_text(text: str):
    assert resolve_scalar(text) == text


def test_not_a_number_is_a_number():
    assert math.isnan(resolve_scalar(".nan"))  # type: ignore[arg-type]


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.text(st.characters(codec="utf-8", exclude_categories=["C"])),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.from_regex(r"[a-z]{1,6}", fullmatch=True), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(PLAIN)
def test_a_hint_reads_back_as_the_value_it_shows(value: object):
    text = write_inline({"key": value})
    document = compose(f"x: {text}", "f")
    assert document.diagnostics == ()
    assert document.data == {"x": {"key": value}}
    assert "\n" not in text


@given(st.text(st.characters(codec="utf-8")))
def test_quoted_text_is_printable_and_reads_back(text: str):
    written = quoted(text)
    assert written.isprintable()
    assert yaml.safe_load(written) == text
