"""What a killed operation leaves in the files of the backend, put right without an engine."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gpuinfra.engine.deployment import DeploymentError
from gpuinfra.simulation.home import Home
from gpuinfra.simulation.recovery import Recovery
from gpuinfra.simulation.world import Thing, World


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    (made.state / ".pulumi/stacks/project").mkdir(parents=True)
    return made


def _recover(home: Home) -> list[str]:
    said: list[str] = []
    Recovery(home, World(home.world), (), "project", "dev").files(said.append)
    return said


def _state(home: Home) -> Path:
    return home.state / ".pulumi/stacks/project/dev.json"


def _lock(home: Home, pid: int, host: str) -> Path:
    lock = home.state / ".pulumi/locks/organization/project/dev/a.json"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text(json.dumps({"pid": pid, "hostname": host}))
    return lock


def _ended() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_state_that_is_gone_while_its_world_stands_is_not_begun_anew(home: Home) -> None:
    world = World(home.world)
    urn = "urn:pulumi:dev::project::aws:ec2/vpc:Vpc::v"
    with world.step():
        world.keep(Thing("aws:ec2/vpc:Vpc", "vpc-1", "v", urn, {}, {}, world.now))
    with pytest.raises(DeploymentError, match=r"still hold 1 of its resources.*To start anew remove the folder"):
        _recover(home)
    # Packed by the backend it is there, and another stack's resources are none of this one's.
    packed = _state(home).with_name("dev.json.gz")
    packed.write_bytes(b"")
    assert _recover(home) == []
    packed.unlink()
    with world.step():
        world.keep(Thing("aws:ec2/vpc:Vpc", "vpc-1", "v", urn.replace(":dev:", ":prod:"), {}, {}, world.now))
    assert _recover(home) == []


def test_a_lock_is_taken_off_when_its_holder_is_gone(home: Home) -> None:
    lock = _lock(home, _ended(), socket.gethostname())
    assert "lock is taken off" in _recover(home)[0]
    assert not lock.exists()


def test_a_lock_of_somebody_who_may_live_is_left(home: Home) -> None:
    for pid, host in ((os.getpid(), socket.gethostname()), (_ended(), "elsewhere")):
        lock = _lock(home, pid, host)
        _state(home).write_text('{"half')
        assert _recover(home) == []
        assert lock.exists()
        assert _state(home).read_text() == '{"half', "and what it writes is left to it"


@pytest.mark.parametrize("half", ["", '{"version": 3, "check'])
def test_a_half_written_state_gives_way_to_the_one_before(half: str, home: Home) -> None:
    _state(home).write_text(half)
    _state(home).with_name("dev.json.attrs").write_text("")
    _state(home).with_name("dev.json.bak").write_text('{"n": 1}')
    assert len(_recover(home)) == 1
    assert json.loads(_state(home).read_text()) == {"n": 1}
    assert not _state(home).with_name("dev.json.attrs").exists()


def test_where_the_backup_is_half_too_the_state_before_the_operation_is_taken(home: Home) -> None:
    _state(home).write_text('{"n": 1}')
    assert _recover(home) == []
    _state(home).write_text("")
    _state(home).with_name("dev.json.bak").write_text('{"n"')
    assert len(_recover(home)) == 1
    assert json.loads(_state(home).read_text()) == {"n": 1}


def test_a_stack_that_was_never_whole_begins_anew(home: Home) -> None:
    _state(home).write_text("")
    _recover(home)
    assert not _state(home).exists()


def test_a_whole_state_with_half_a_checksum_stays(home: Home) -> None:
    _state(home).write_text('{"n": 1}')
    _state(home).with_name("dev.json.attrs").write_text("")
    assert _recover(home) == []
    assert json.loads(_state(home).read_text()) == {"n": 1}
    assert not _state(home).with_name("dev.json.attrs").exists()


def test_nothing_is_begun_where_the_copy_cannot_be_written(home: Home) -> None:
    _state(home).write_text('{"n": 1}')
    (home.root / "saved").write_text("in the way")
    with pytest.raises(DeploymentError, match="nothing was begun"):
        _recover(home)
