"""The examples of codes without a rule do what they say, and none is missing."""

from __future__ import annotations

import pytest
import yaml

from gpuinfra.policy.examples import BASE_SPEC, NOW, overlaid
from gpuinfra.policy.judgement import judge
from gpuinfra.reference import all_codes
from gpuinfra.reference.codes import rules_by_code
from gpuinfra.reference.examples import WrittenExample, written_examples
from gpuinfra.spec.load import load

EXAMPLES = {code: e for code, e in written_examples().items() if not e.none}


def codes_of(code: str, text: str) -> set[str]:
    """What is found in an example."""
    if not code.startswith("GI1"):
        text = yaml.safe_dump(overlaid(yaml.safe_load(BASE_SPEC), yaml.safe_load(text)), sort_keys=False)
    return {d.code for d in judge(load("cluster.yaml", text), NOW).diagnostics}


def test_every_code_has_a_rule_an_example_or_a_reason():
    assert set(written_examples()) == set(all_codes()) - set(rules_by_code())
    assert all((e.caught and e.right) or e.none for e in written_examples().values())
    assert len(EXAMPLES) > 90


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_is_caught_and_its_twin_passes(code: str):
    example: WrittenExample = EXAMPLES[code]
    assert code in codes_of(code, example.caught)
    assert code not in codes_of(code, example.right)
