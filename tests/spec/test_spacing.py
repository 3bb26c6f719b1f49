"""What the eye passes over is named, on its own line: spaces that are none, colons without a space."""

from __future__ import annotations

import pytest

from gpuinfra.spec.document import compose
from gpuinfra.spec.load import load
from gpuinfra.spec.spacing import spacing_fault
from tests.spec.specs import HEAD, only, place

REST = "location: {provider: aws, region: us-east-2}\nnode_pools: [{name: gpu, instance_type: g6.xlarge}]\n"
NO_SPACE = "no space follows the colon behind '{}'"
UNSEEN = "the character U+00A0 stands behind the colon of '{}', where a space is wanted"

CASES = [
    ("name:llama\n" + REST, "GI1007", (1, 6), NO_SPACE.format("name"), "write name: llama"),
    ("name:\u00a0llama\n" + REST, "GI1046", (1, 6), UNSEEN.format("name"), "type a space in its place"),
    ("# x\n\nname:llama\n\n" + REST, "GI1007", (3, 6), NO_SPACE.format("name"), "write name: llama"),
    ("workload: training\nname:llama\n", "GI1007", (2, 6), NO_SPACE.format("name"), "write name: llama"),
    ("workload: training\nname:\u00a0llama\n" + REST, "GI1046", (2, 6), UNSEEN.format("name"), "a space"),
    ("name:a\nworkload:b\n" + REST, "GI1007", (1, 6), NO_SPACE.format("name"), "write name: a"),
    (HEAD + "labels:\n  team:nlp\n  x: y\n", "GI1007", (7, 8), NO_SPACE.format("team"), "write team: nlp"),
    (HEAD + "labels:\n  x: y\n  team:nlp\n", "GI1007", (8, 8), NO_SPACE.format("team"), "write team: nlp"),
    (HEAD + "  - name:x\n    count: 4\n", "GI1007", (6, 10), NO_SPACE.format("name"), "write name: x"),
    (HEAD + "    count:\u20074\nlabels: {a: b}\n", "GI1046", (6, 11), "U+2007", "a space"),
    (HEAD + "labels: \u200b{a: b}\n", "GI1046", (6, 9), "the line holds the character U+200B", "delete it"),
    (HEAD + "labels\uff1a x\n", "GI1007", (6, 7), "is U+FF1A (fullwidth colon)", "write labels: x"),
]


@pytest.mark.parametrize("pure_python", [False, True], ids=["libyaml", "python"])
@pytest.mark.parametrize(("text", "code", "where", "message", "hint"), CASES)
def test_the_line_and_the_character_are_named(
    text: str, code: str, where: tuple[int, int], message: str, hint: str, pure_python: bool
):
    (found,) = compose(text, "f", pure_python=pure_python).diagnostics
    assert (found.code, place(found)) == (code, where)
    assert message in found.message
    assert hint in found.hint


@pytest.mark.parametrize(
    ("text", "code", "where", "said", "hint"),
    [
        # Text that is YAML all the same.
        ("name:llama\n", "GI1007", (1, 6), NO_SPACE.format("name"), "write name: llama"),
        ("name:\u00a0llama\n", "GI1046", (1, 6), "U+00A0", "a space"),
        (HEAD + "labels:\n  team:nlp\n", "GI1032", (7, 3), "'team:nlp' is text", "write team: nlp"),
        (HEAD + "labels: {team:nlp}\n", "GI1032", (6, 18), "there is no value", "write team: nlp"),
        (HEAD + "labels: {team:\u00a0nlp}\n", "GI1046", (6, 19), "U+00A0", "type the value anew"),
        (HEAD + "  - name:x\n", "GI1032", (6, 5), "'name:x' is text", "write name: x"),
        (HEAD + "  - {name:x}\n", "GI1030", (6, 6), "unknown key 'name:x'", "write name: x"),
        (HEAD + "\u00a0\u00a0count: 4\n", "GI1030", (6, 1), "U+00A0", "type the spaces before the key anew"),
        (HEAD + "labels:\u00a0{a: b}\n", "GI1030", (6, 1), "U+00A0", "did you mean labels?"),
        (HEAD + 'labels: {a: "\\ud800"}\n', "GI1007", (6, 16), "stands for no character", "the character itself"),
    ],
)
def test_the_same_where_yaml_has_no_complaint(text: str, code: str, where: tuple[int, int], said: str, hint: str):
    found = only(load("c.yaml", text))
    assert (found.code, place(found)) == (code, where)
    assert said in found.message
    assert hint in found.hint


@pytest.mark.parametrize("line", ["https://x", "name: x", "name:", "- a", "x", "", "a b:c", "'x':y"])
def test_what_is_right_has_no_fault(line: str):
    assert spacing_fault(line) is None


def test_another_fault_keeps_its_words():
    (found,) = compose("a: b: c\n", "f").diagnostics
    assert "a colon stands where no key can begin" in found.message
    (found,) = compose("x: y\n  https://z\n  a: b\n", "f").diagnostics
    assert (found.code, found.source and found.source.line) == ("GI1007", 3)
