"""Every stack and template lives a whole life on the simulated clouds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .driving import STACKS, Driven


@pytest.mark.parametrize("name", STACKS)
def test_a_whole_life(name: str, stack: Callable[[str], Driven]) -> None:
    it = stack(name)
    planned = it.do("preview")["changes"]
    assert set(planned) == {"create"}
    made = it.do("up")
    assert made["changes"] == planned
    assert len(made["resources"]) == planned["create"] - 1, "all but the stack itself"
    it.agrees()
    assert it.changes("preview") == {}
    it.simulate("advance", "1h")
    assert it.changes("preview") == {}, "an hour later"
    assert it.changes("refresh") == {}
    assert it.changes("up") == {}
    assert it.changes("destroy", "--unprotect") == {"delete": planned["create"]}
    it.gone()
