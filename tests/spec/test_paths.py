"""Paths survive their text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.spec.paths import Path, parse_path, path_text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("node_pools", 1, "instance_type"), "node_pools[1].instance_type"),
        (("labels", "a.b"), 'labels["a.b"]'),
        (("labels", ""), 'labels[""]'),
        (("labels", 'x"]\n'), r'labels["x\"]\n"]'),
        (("kubernetes-io",), "kubernetes-io"),
        (("labels", "größe"), 'labels["größe"]'),
        (("labels", "a\u202eb"), r'labels["a\u202eb"]'),
    ],
)
def test_path_and_text(path: Path, text: str):
    assert path_text(path) == text
    assert parse_path(text) == path


@given(
    st.lists(st.text(max_size=20) | st.integers(0, 10**6), max_size=6).filter(
        lambda steps: not steps or isinstance(steps[0], str)
    )
)
def test_every_path_survives(steps: list[str | int]):
    text = path_text(tuple(steps))
    assert text.isprintable()
    assert parse_path(text) == tuple(steps)


@given(st.text())
def test_any_text_can_be_parsed(text: str):
    assert isinstance(parse_path(text), tuple)


@pytest.mark.parametrize(
    ("text", "path"), [("a[", ("a",)), ("a[-1]", ("a",)), ("a..b", ("a",)), ('a["\\q"]', ("a",)), ("a[x]", ("a",))]
)
def test_what_is_no_path_ends_it(text: str, path: Path):
    assert parse_path(text) == path


def test_a_long_key_is_cut():
    assert len(path_text(("labels", "x" * 10_000))) < 120
