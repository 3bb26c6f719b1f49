"""A world that is gone while the simulated state still holds resources: nothing is begun."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuinfra.engine.deployment import DeploymentError, StackFolder
from gpuinfra.simulation.home import Home
from gpuinfra.simulation.session import open_world


def _folder(path: Path, *types: str) -> StackFolder:
    (path / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    (path / "__main__.py").write_text("")
    state = Home(path.resolve()).state / ".pulumi/stacks/small/dev.json"
    state.parent.mkdir(parents=True)
    resources = [{"type": one, "custom": True, "urn": "u", "id": "i"} for one in types]
    state.write_text(json.dumps({"version": 3, "checkpoint": {"latest": {"resources": resources}}}))
    return StackFolder.at(str(path))


@pytest.mark.parametrize("emptied", [True, False])
def test_a_world_that_is_gone_is_refused_each_time(emptied: bool, tmp_path: Path) -> None:
    folder = _folder(tmp_path, "aws:sqs/queue:Queue")
    home = Home(folder.path)
    if emptied:
        home.world.write_bytes(b"")
    for _ in range(2):
        with pytest.raises(DeploymentError) as caught:
            open_world(folder)
        for told in (home.world, home.state, folder.path / ".gpuinfra"):
            assert str(told) in str(caught.value)
    assert not home.world.exists() or not home.world.stat().st_size


def test_a_state_that_holds_nothing_of_a_cloud_begins_a_world(tmp_path: Path) -> None:
    folder = _folder(tmp_path, "pulumi:providers:aws")
    open_world(folder).close()
    assert Home(folder.path).world.exists()
