"""Every stack and template lives a whole life on the simulated clouds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
STACKS = sorted(p.parent.name for kind in ("stacks", "templates") for p in ROOT.glob(f"{kind}/*/Pulumi.yaml"))


@pytest.mark.parametrize("name", STACKS)
def test_a_whole_life(
    name: str, stack_copy: Callable[[str], Path], deploy: Callable[..., dict[str, Any]], gpuinfra: Callable[..., Any]
) -> None:
    folder = stack_copy(name)
    planned = deploy("preview", folder)["changes"]
    assert set(planned) == {"create"}
    made = deploy("up", folder)
    assert made["changes"] == planned
    assert len(made["resources"]) == planned["create"] - 1, "all but the stack itself"
    assert set(deploy("preview", folder)["changes"]) == {"same"}
    gpuinfra("simulate", "advance", str(folder), "1h")
    assert set(deploy("preview", folder)["changes"]) == {"same"}, "an hour later"
    assert set(deploy("refresh", folder)["changes"]) == {"same"}
    assert set(deploy("up", folder)["changes"]) == {"same"}
    assert deploy("destroy", folder, "--unprotect")["changes"] == {"delete": planned["create"]}
    assert deploy("refresh", folder)["resources"] == []
    seen = gpuinfra("simulate", "show", str(folder), "--format", "json").stdout
    assert '"resources": 0' in seen
