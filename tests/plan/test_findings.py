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
    own = Path(module.__file__).read_text()
    for name, code in vars(module).items():
        if code not in module.CODES:
            continue
        # Used by another module, or given to a rule of the solver in the module's own tables.
        used = re.search(rf"\b{name}\b", USERS) or re.search(rf"Rule\.\w+: {name}\b", own)
        assert used, f"{code.code} {name} is never found"


def test_codes_and_slugs_are_unique():
    codes = [*findings.CODES, *image_findings.CODES]
    assert len({c.code for c in codes}) == len(codes)
    assert len({c.slug for c in codes}) == len(codes)
    assert all(c.summary for c in codes)
