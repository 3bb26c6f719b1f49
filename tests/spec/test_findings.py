"""The codes: well formed, unique, explained, and each of them reached by some test of this folder."""

from __future__ import annotations

import re
from pathlib import Path

from gpuinfra.diagnostics import Code
from gpuinfra.spec import findings


def test_codes_are_unique_and_in_their_range():
    codes = [c.code for c in findings.CODES]
    assert codes == sorted(set(codes))
    assert all(re.fullmatch(r"GI10\d\d", code) for code in codes)
    slugs = [c.slug for c in findings.CODES]
    assert len(set(slugs)) == len(slugs)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug) for slug in slugs)


def test_every_code_is_listed():
    assert {c.code for c in vars(findings).values() if isinstance(c, Code)} == {c.code for c in findings.CODES}


def test_every_code_says_what_and_what_to_do_or_why():
    for code in findings.CODES:
        assert code.summary.endswith(".")
        assert code.fix or code.why, code.code


def test_every_code_has_a_test():
    tests = "\n".join(
        p.read_text(encoding="utf-8") for p in Path(__file__).parent.glob("test_*.py") if p.name != Path(__file__).name
    )
    names = {c.code: name for name, c in vars(findings).items() if isinstance(c, Code)}
    unreached = [code for code, name in names.items() if code not in tests and f"f.{name}" not in tests]
    assert unreached == ["GI1099"], "GI1099 is the net below all others: nothing known reaches it"
