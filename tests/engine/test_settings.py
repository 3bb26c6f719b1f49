"""What a stack is told in Pulumi.dev.yaml comes to its program, in the simulation and on the user's own backend."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuinfra.engine import Engine

from .driving import Driven, Said, command, written

PROGRAM = "import pulumi\npulumi.export('size', pulumi.Config().require('size'))\n"


@pytest.fixture
def told(engine: Engine, tmp_path: Path) -> Driven:
    it = written(tmp_path / "told", "told", PROGRAM)
    (it.folder / "Pulumi.dev.yaml").write_text("config:\n  told:size: '3'\n")
    return it


def test_the_config_of_the_stack(told: Driven):
    before = (told.folder / "Pulumi.dev.yaml").read_text()
    told.do("preview")
    assert told.do("up")["outputs"] == {"size": "3"}
    told.edit("'3'", "'4'", "Pulumi.dev.yaml")
    assert told.do("up")["outputs"] == {"size": "4"}
    told.edit("'4'", "'3'", "Pulumi.dev.yaml")
    assert (told.folder / "Pulumi.dev.yaml").read_text() == before, (
        "what the engine writes stays out of the user's file"
    )
    said = Driven(told.folder, "other").refused("up")
    assert "ConfigMissingError" in said
    assert "told:size" in said


def _really(told: Driven, tmp_path: Path, operation: str, **env: str) -> Said:
    (tmp_path / "backend").mkdir(exist_ok=True)
    words = (operation, str(told.folder), "--yes", "--format", "json")
    surroundings = {
        "PULUMI_BACKEND_URL": f"file://{tmp_path / 'backend'}",
        "PULUMI_HOME": str(tmp_path / "home"),
        "PULUMI_CONFIG_PASSPHRASE": "right",
        **env,
    }
    return command(*words, env=surroundings)


def test_the_same_without_a_simulation(told: Driven, tmp_path: Path):
    file = told.folder / "Pulumi.dev.yaml"
    before = file.read_text()
    assert _really(told, tmp_path, "preview").status == 0
    assert file.read_text() == before, "whoever only looks leaves nothing behind"
    assert _really(told, tmp_path, "up").data["outputs"] == {"size": "3"}
    assert "encryptionsalt" in file.read_text(), "as `pulumi up` writes it"
    said = _really(told, tmp_path, "up", PULUMI_CONFIG_PASSPHRASE="wrong")
    assert said.status == 1
    assert "PULUMI_CONFIG_PASSPHRASE is not the passphrase" in said.err
    assert _really(told, tmp_path, "destroy").status == 0


def test_a_look_makes_no_settings(told: Driven, tmp_path: Path):
    (told.folder / "Pulumi.dev.yaml").unlink()
    (told.folder / "__main__.py").write_text("")
    assert _really(told, tmp_path, "preview").status == 0
    assert not (told.folder / "Pulumi.dev.yaml").exists()


@pytest.mark.parametrize(
    "settings",
    [
        "config: {told:size: '3', told:token: {secure: AAABAHxY3hJ8lq6Wc6vTKyPYH6yd}}\n",
        "secretsprovider: awskms://alias/x\nencryptedkey: AQIDAHi\nconfig: {told:size: {secure: 'v1:AAAB:c6vT'}}\n",
    ],
)
def test_secrets_that_cannot_be_decrypted(told: Driven, settings: str):
    (told.folder / "Pulumi.dev.yaml").write_text(settings)
    said = told.refused("up")
    assert "cannot be decrypted here" in said
    assert "code: 1" not in said


@pytest.mark.parametrize(("status", "fine"), [("0", True), ("None", True), ("4", False), ("'no'", False)])
def test_a_program_that_ends_itself(told: Driven, status: str, fine: bool):
    (told.folder / "__main__.py").write_text(f"import sys\nsys.exit({status})\n")
    if fine:
        told.do("up")
    else:
        assert f"the program ended itself, with status {status.strip(chr(39))}" in told.refused("up")
