"""YAML text to plain data: positions, the core schema, and everything that is refused, by both parsers."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.spec import findings as f
from gpuinfra.spec.document import MAX_DEPTH, MAX_NODES, Document, compose
from gpuinfra.spec.scalars import resolve_scalar

both_parsers = pytest.mark.parametrize("pure_python", [False, True], ids=["libyaml", "python"])


def codes(document: Document) -> list[str]:
    return [d.code for d in document.diagnostics]


def test_libyaml_is_the_parser_where_it_is_installed():
    assert yaml.__with_libyaml__, "PyYAML without libyaml: the tests of the first parser would test the second"


@both_parsers
def test_every_key_and_value_has_its_place(pure_python: bool):
    document = compose("a: 1\nb:\n  - x: [10, {y: 2}]\n  - z\n", "f.yaml", pure_python=pure_python)
    at = document.positions.of
    assert document.data == {"a": 1, "b": [{"x": [10, {"y": 2}]}, "z"]}
    places = {
        ("a",): (1, 4), ("b", 0, "x"): (3, 8), ("b", 0, "x", 0): (3, 9), ("b", 0, "x", 1, "y"): (3, 17), ("b", 1): (4, 5),
        ("b",): (2, 1), ("b", 0): (3, 5),
    }  # fmt: skip
    for path, (line, column) in places.items():
        source = at(path)
        assert (source.file, source.line, source.column) == ("f.yaml", line, column), path
    key = at(("b", 0, "x"), key=True)
    assert (key.line, key.column) == (3, 5)


def test_a_path_that_is_not_there_gets_the_longest_part_that_is():
    at = compose("a:\n  b: {c: 1}\n", "f").positions.of
    assert (at(("a", "b", "x", "y")).line, at(("a", "b", "x", "y")).column) == (2, 3)
    assert (at(("a", 7)).line, at(("a", 7)).column) == (1, 1)
    assert (at(("z",)).line, at(("z",)).column) == (1, 1)
    assert at(()).line == 0


@both_parsers
def test_words_are_yaml_1_2(pure_python: bool):
    text = "a: no\nb: 2026-12-01\nc: 010\nd: 12:30\ne: 'true'\nf: \"1\"\ng: ~\nh: |\n  1\n"
    assert compose(text, "f", pure_python=pure_python).data == {
        "a": "no", "b": "2026-12-01", "c": 10, "d": "12:30", "e": "true", "f": "1", "g": None, "h": "1\n",
    }  # fmt: skip


@both_parsers
def test_keys_are_their_text(pure_python: bool):
    assert compose("1: a\ntrue: b\n~: c\n'': d\n", "f", pure_python=pure_python).data == {
        "1": "a", "true": "b", "~": "c", "": "d",
    }  # fmt: skip


@both_parsers
def test_anchors_aliases_and_merge_keys(pure_python: bool):
    text = "base: &b {x: 1, y: 2}\nmore: &m {y: 3, z: 4}\nc: {<<: *b, x: 9}\nd: {<<: [*b, *m]}\ne: *b\n"
    document = compose(text, "f", pure_python=pure_python)
    assert document.diagnostics == ()
    assert document.data == {
        "base": {"x": 1, "y": 2}, "more": {"y": 3, "z": 4}, "c": {"x": 9, "y": 2}, "d": {"x": 1, "y": 2, "z": 4},
        "e": {"x": 1, "y": 2},
    }  # fmt: skip
    merged = document.positions.of(("c", "y"))
    assert (merged.line, merged.column) == (1, 20)
    alias = document.positions.of(("e",))
    assert (alias.line, alias.column) == (5, 4)


BAD = [
    pytest.param("a: 1\nb: 2\na: 3\n", f.DUPLICATE_KEY, (3, 1), id="duplicate"),
    pytest.param("x:\n  - {a: 1, 'a': 2}\n", f.DUPLICATE_KEY, (2, 12), id="duplicate-flow"),
    pytest.param("a: !!python/object/apply:os.system [id]\n", f.TAG, (1, 4), id="python-tag"),
    pytest.param("a: !Ref x\n", f.TAG, (1, 4), id="own-tag"),
    pytest.param("a: !!str 1\n", f.TAG, (1, 4), id="core-tag"),
    pytest.param("a: !u!x 1\n", f.TAG, (1, 4), id="unknown-handle"),
    pytest.param("a: *b\n", f.ALIAS, (1, 4), id="unknown-alias"),
    pytest.param("a: &a [1, *a]\n", f.ALIAS, (1, 11), id="self-reference"),
    pytest.param("a: &a {b: {c: *a}}\n", f.ALIAS, (1, 15), id="deep-self-reference"),
    pytest.param("a: 1\n---\nb: 2\n", f.SEVERAL_DOCUMENTS, (2, 1), id="documents"),
    pytest.param("? [a, b]\n: c\n", f.BAD_KEY, (1, 3), id="list-key"),
    pytest.param("a: {{ region }}\n", f.BAD_KEY, (1, 5), id="template"),
    pytest.param("x: &x [1]\n*x : 2\n", f.BAD_KEY, (2, 1), id="alias-key"),
    pytest.param("<<: 3\n", f.MERGE, (1, 5), id="merge-number"),
    pytest.param("a: &a {}\nb: {<<: [*a, 1]}\n", f.MERGE, (2, 9), id="merge-list"),
    pytest.param("a:\n\t- b\n", f.TAB, (2, 1), id="tab"),
    pytest.param("\ta: b\n", f.TAB, (1, 1), id="tab-first"),
    pytest.param("a: b: c\n", f.NOT_YAML, (1, 5), id="colon"),
    pytest.param("a: 1\n  b: 2\n", f.NOT_YAML, (2, 4), id="indent"),
    pytest.param("a:\n  b: 1\n c: 2\n", f.NOT_YAML, (3, 2), id="dedent"),
    pytest.param("a: @x\n", f.NOT_YAML, (1, 4), id="at"),
    pytest.param("a: 'b' c\n", f.NOT_YAML, (1, 8), id="after-quote"),
    pytest.param("- a\nb: c\n", f.NOT_YAML, (2, 1), id="list-then-key"),
    pytest.param("a: x\nb: \x00\n", f.CONTROL_CHARACTER, (2, 4), id="nul"),
    pytest.param("a: \x1b[2J\n", f.CONTROL_CHARACTER, (1, 4), id="escape"),
]


@both_parsers
@pytest.mark.parametrize(("text", "code", "where"), BAD)
def test_what_is_refused_and_where(text: str, code: f.Code, where: tuple[int, int], pure_python: bool):
    document = compose(text, "f", pure_python=pure_python)
    assert codes(document) == [code.code]
    source = document.diagnostics[0].source
    assert source is not None
    assert (source.line, source.column) == where
    assert document.diagnostics[0].hint


@both_parsers
@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n", "---\n...\n"])
def test_a_file_with_nothing_in_it(text: str, pure_python: bool):
    assert codes(compose(text, "f", pure_python=pure_python)) == ["GI1006"]


@both_parsers
def test_a_duplicate_names_the_first_and_its_path(pure_python: bool):
    found = compose("p:\n  - n: 1\n  - n: 1\n    m: 2\n    n: 3\n", "f", pure_python=pure_python).diagnostics[0]
    assert found.path == "p[1].n"
    assert found.message == "the key 'n' stands twice; it is on line 3 already"


def test_all_faults_that_leave_a_document_are_found_at_once():
    document = compose("a: !x 1\na: 2\nb: !y 3\n", "f")
    assert codes(document) == ["GI1011", "GI1010", "GI1011"]
    assert document.data == {"a": 1, "b": 3}


def test_the_same_fault_a_thousand_times_is_cut():
    document = compose("a: 1\n" * 1000, "f")
    assert len(document.diagnostics) == 101
    assert document.diagnostics[-1].code == "GI1098"


@both_parsers
def test_nesting_has_an_end(pure_python: bool):
    fits = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert compose(fits, "f", pure_python=pure_python).diagnostics == ()
    for text in (f"[{fits}]", "[" * 20_000, "- " * 20_000, "{a: " * 20_000):
        assert codes(compose(text, "f", pure_python=pure_python)) == ["GI1014"]


@both_parsers
def test_a_few_lines_of_aliases_do_not_explode(pure_python: bool):
    bomb = "a0: &a0 [" + ", ".join("x" * 9) + "]\n"
    bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
    assert codes(compose(bomb, "f", pure_python=pure_python)) == ["GI1013"]


def test_merging_does_not_explode_either():
    wide = "b: &b {" + ", ".join(f"k{i}: 1" for i in range(1000)) + "}\n"
    assert codes(compose(wide + "c: {<<: [" + ", ".join(["*b"] * 1000) + "]}\n", "f")) == ["GI1013"]


def test_aliases_within_the_limit_are_no_fault():
    hundred = "a: &a [" + ", ".join("x" * 100) + "]\n"
    many = MAX_NODES // 101 - 10
    assert compose(hundred + f"b: [{', '.join(['*a'] * (many // 2))}]\n", "f").diagnostics == ()


@settings(max_examples=200)
@given(st.text(st.sampled_from("ab1-:#{}[],&*!|>'\"%@`\n\t ?~<.") | st.characters(codec="utf-8"), max_size=60))
def test_no_text_raises(text: str):
    for pure_python in (False, True):
        document = compose(text, "f", pure_python=pure_python)
        assert document.diagnostics or document.complete


# The dumper quotes what YAML 1.1 reads as something else; 0E0 is a number in YAML 1.2 alone.
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C"])).filter(
    lambda text: not text or isinstance(resolve_scalar(text), str)
)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc_", min_size=1), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=100)
@given(st.dictionaries(st.text("abc_", min_size=1), PLAIN, min_size=1, max_size=4))
def test_what_a_dumper_writes_is_read_back(data: dict[str, object]):
    document = compose(yaml.safe_dump(data, allow_unicode=True), "f")
    assert document.diagnostics == ()
    assert document.data == data


@given(st.dictionaries(st.text("abc_", min_size=1), PLAIN, min_size=1, max_size=4))
def test_both_parsers_agree(data: dict[str, object]):
    text = yaml.safe_dump(data)
    first, second = compose(text, "f"), compose(text, "f", pure_python=True)
    assert first.data == second.data
