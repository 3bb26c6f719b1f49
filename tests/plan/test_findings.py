"""Codes of the plan: each one is used, and no two are alike."""

import re
from pathlib import Path

import pytest

import gpuinfra.plan
from gpuinfra.plan import findings, image_findings

FOLDER = Path(gpuinfra.plan.__file__).parent
USERS = "\n".join(p.read_text() for p in FOLDER.glob("*.py") if "findings" not in p.name)


@pytest.mark.parametrize("module", [findings, image_findings])
def test_every_code_is_used(module):
    # What follows the list of codes: the tables that give them to rules of the solver.
    own = Path(module.__file__).read_text().partition("CODES")[2].partition("\n)\n")[2]
    for name, code in vars(module).items():
        if code not in module.CODES:
            continue
        used = re.search(rf"\b{name}\b", USERS + own)
        assert used, f"{code.code} {name} is never found"


def test_codes_and_slugs_are_unique():
    codes = [*findings.CODES, *image_findings.CODES]
    assert len({c.code for c in codes}) == len(codes)
    assert len({c.slug for c in codes}) == len(codes)
    assert all(c.summary for c in codes)
