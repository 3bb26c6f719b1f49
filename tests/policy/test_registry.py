"""The registry: every rule is one file, named after its code, with texts and examples."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpuinfra.diagnostics import Severity
from gpuinfra.policy import registry
from gpuinfra.policy.rule import Rule, described

ROOT = Path(__file__).parents[2]
FACT = re.compile(r"(AWS|AZ) [A-Z]+\d?-\d\d|GCP-[A-Z]+-\d\d")


_BY_FOLDER: dict[str, tuple[Rule, ...]] = {
    "plan": registry.plan_rules(),
    "resource": registry.resource_rules(),
    "account": registry.account_rules(),
}


def test_every_file_of_the_folders_is_a_rule():
    for folder, rules in _BY_FOLDER.items():
        files = sorted(p.stem for p in (ROOT / "gpuinfra/policy/rules" / folder).glob("gi*.py"))
        assert files == [f"{r.code.code.lower()}_{r.code.slug.replace('-', '_')}" for r in rules]
        assert len(files) > 20


def test_codes_are_unique_and_in_their_range():
    codes = [r.code.code for r in registry.all_rules()]
    assert len(set(codes)) == len(codes)
    assert all(2200 <= int(r.code.code[2:]) < 3000 for r in registry.plan_rules())
    assert all(3000 < int(r.code.code[2:]) < 4000 for r in registry.resource_rules())
    assert all(4000 < int(r.code.code[2:]) < 4900 for r in registry.account_rules())


def test_slugs_are_unique_within_a_kind():
    for rules in _BY_FOLDER.values():
        slugs = [r.code.slug for r in rules]
        assert len(set(slugs)) == len(slugs)


@pytest.mark.parametrize("rule", registry.all_rules(), ids=lambda r: r.code.code)
def test_a_rule_says_what_why_and_how_to_mend_it(rule: Rule):
    doc = registry.module_of(rule).__doc__ or ""
    for heading in ("What: ", "Why: ", "Fix: ", "References: "):
        assert f"\n{heading}" in doc
    assert rule.code.summary
    assert rule.code.why
    assert rule.code.fix
    assert rule.code.references
    assert rule.tags


@pytest.mark.parametrize("rule", registry.all_rules(), ids=lambda r: r.code.code)
def test_fact_rows_are_spelt_as_the_facts_spell_them(rule: Rule):
    assert [f for f in rule.code.facts if not FACT.fullmatch(f)] == []


def test_a_rule_is_found_by_its_code_case_aside():
    found = registry.rule("gi2201")
    assert found is not None
    assert found.code.slug == "nodes-without-end"
    assert registry.rule("GI2999") is None


def test_texts_come_from_the_docstring():
    doc = "Title.\n\nWhat: a thing\nin two lines.\nWhy: because.\nFix: mend it.\nReferences: one; two\n"
    code = described("GI9001", "x", Severity.INFO, doc)
    assert (code.summary, code.why, code.fix) == ("a thing in two lines.", "because.", "mend it.")
    assert code.references == ("one", "two")


def test_a_rule_without_docstring_has_empty_texts():
    assert described("GI9001", "x", Severity.INFO, None).summary == ""


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("gi2999_right_name", "RULE = None", "has no RULE"),
        ("helpers", "", "is not named as a rule"),
        ("gi2998_other_slug", "from gpuinfra.policy.registry import plan_rules\n", "has no RULE"),
    ],
)
def test_a_file_that_breaks_the_form_is_refused(tmp_path: Path, name: str, body: str, said: str):
    (tmp_path / f"{name}.py").write_text(body)
    out = _run(
        "import gpuinfra.policy.rules.plan as p\n"
        f"p.__path__.append({str(tmp_path)!r})\n"
        "from gpuinfra.policy import registry\nregistry.plan_rules()"
    )
    assert "RegistryError" in out
    assert said in out


def test_a_code_taken_twice_is_refused(tmp_path: Path):
    (tmp_path / "gi2201_nodes_without_end.py").write_text("")
    source = (ROOT / "gpuinfra/policy/rules/plan/gi2239_scheduler_not_built.py").read_text()
    (tmp_path / "gi2239_other.py").write_text(source.replace('"scheduler-not-built"', '"other"'))
    out = _run(
        "import gpuinfra.policy.rules.plan as p\n"
        f"p.__path__.append({str(tmp_path)!r})\n"
        "from gpuinfra.policy import registry\nregistry.plan_rules()"
    )
    assert "GI2239 is taken twice" in out


def test_plan_rules_load_without_the_other_rules_and_heavy_packages():
    out = _run(
        "import sys\nfrom gpuinfra.policy.registry import plan_rules\nplan_rules()\n"
        "print(sorted(m for m in sys.modules if m.startswith(('pulumi', 'jinja2', 'rich', 'boto')) "
        "or '.rules.resource.' in m or '.rules.account.' in m))"
    )
    assert out.strip() == "[]"


def test_a_rule_with_two_severities_says_when():
    """The reference shows what is printed: a severity that the code gives, its documentation names."""
    import re

    from gpuinfra.policy import registry

    for rule in registry.all_rules():
        source = Path(registry.module_of(rule).__file__ or "").read_text()
        own = str(rule.code.severity).upper()
        others = {
            word for call in re.findall(r"severity=([^\n]+)", source) for word in re.findall(r"Severity\.(\w+)", call)
        }
        others -= {own}
        named = {s for s in ("ERROR", "WARNING", "INFO") if s.lower() in rule.code.varies}
        assert others <= named, (rule.code.code, others, rule.code.varies)
        assert bool(rule.code.varies) == ("severity=" in source), rule.code.code


def test_the_reference_says_it_once():
    from gpuinfra.policy import registry
    from gpuinfra.reference.codes import rule_page

    rule = registry.rule("GI2213")
    assert rule is not None
    page = rule_page(rule.code, rule)
    assert "*error; warning where the lease is a duration" in page
    assert page.count("where the lease is a duration") == 1


def test_a_code_that_was_ever_there_is_there_still_or_retired():
    from gpuinfra.policy.retired_codes import RETIRED
    from gpuinfra.reference.codes import all_codes
    from tests.policy.taken_codes import taken

    now = {code: c.slug for code, c in all_codes().items()} | {r.code: r.slug for r in RETIRED}
    gone = {code: slug for code, slug in taken().items() if now.get(code) != slug}
    assert gone == {}, "a code never goes and never changes its slug: put it into gpuinfra/policy/retired_codes.py"


def test_every_code_is_in_the_list_of_those_taken():
    from gpuinfra.reference.codes import all_codes
    from tests.policy.taken_codes import taken

    new = sorted(set(all_codes()) - set(taken()))
    assert new == [], "run python -m tests.policy.taken_codes"


def test_a_retired_code_is_not_taken_again():
    from gpuinfra.policy.retired_codes import RETIRED
    from gpuinfra.reference.codes import all_codes

    assert len({r.code for r in RETIRED}) == len(RETIRED)
    codes = all_codes()
    for r in RETIRED:
        assert r.code not in codes
        assert not r.instead or r.instead in codes


@pytest.mark.parametrize("rule", registry.all_rules(), ids=lambda r: r.code.code)
def test_a_rule_has_all_its_metadata(rule: Rule):
    code = rule.code
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code.slug)
    assert rule.providers
    assert all(re.fullmatch(r"[a-z]+", tag) for tag in rule.tags)
    assert len(set(rule.tags)) == len(rule.tags)
    assert len(set(code.facts)) == len(code.facts)
    assert code.summary.endswith(".")
    assert code.why.endswith((".", "!", ":"))


def test_every_rule_can_be_a_key():
    assert len(set(registry.all_rules())) == len(registry.all_rules())


def test_the_codes_of_doors_above_are_known():
    from gpuinfra.lint.findings import CODES as LINT
    from gpuinfra.policy.registry import DOOR_CODES, house_codes
    from gpuinfra.preflight.findings import CODES as PREFLIGHT

    assert {c.code for c in (*LINT, *PREFLIGHT)} == DOOR_CODES
    assert house_codes() >= DOOR_CODES
