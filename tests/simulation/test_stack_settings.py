"""The settings of a stack, as the engine finds them in the simulation's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuinfra.engine.deployment import StackFolder
from gpuinfra.simulation.stack_settings import lay_out

SALT = "v1:1AcnozuXIVU=:v1:MnnPYIZO6s3uFtet:oIMl6/aehJr9jGW+vdcvoHHVDHjmUg=="
SECRET = {"app:token": {"secure": "v1:abc"}}


@pytest.fixture
def folder(tmp_path: Path) -> StackFolder:
    (tmp_path / "Pulumi.yaml").write_text("name: app\nruntime: python\n")
    (tmp_path / "__main__.py").write_text("")
    return StackFolder.at(str(tmp_path))


def _given(folder: StackFolder, stack: str = "dev", **settings: Any) -> None:
    (folder.path / f"Pulumi.{stack}.yaml").write_text(yaml.safe_dump(settings))


def _laid(folder: StackFolder, stack: str = "dev") -> dict[str, Any]:
    work = folder.path / "work"
    lay_out(folder, stack, work)
    file = work / f"Pulumi.{stack}.yaml"
    return yaml.safe_load(file.read_text()) if file.exists() else {}


def _engine_wrote(folder: StackFolder, **settings: Any) -> None:
    (folder.path / "work/Pulumi.dev.yaml").write_text(yaml.safe_dump(settings))


def test_the_config_is_the_users(folder: StackFolder):
    assert _laid(folder) == {}
    _given(folder, config={"app:size": "3"})
    assert _laid(folder) == {"config": {"app:size": "3"}}
    assert (folder.path / "work/Pulumi.yaml").read_text() == "name: app\nruntime: python\n"


def test_a_changed_config_keeps_the_salt_of_what_was_deployed(folder: StackFolder):
    _given(folder, config={"app:size": "3"})
    _laid(folder)
    _engine_wrote(folder, config={"app:size": "3"}, encryptionsalt=SALT)
    _given(folder, config={"app:size": "4"})
    assert _laid(folder) == {"config": {"app:size": "4"}, "encryptionsalt": SALT}
    (folder.path / "Pulumi.dev.yaml").unlink()
    assert _laid(folder) == {"encryptionsalt": SALT}, "a config that was taken away is gone"


def test_a_passphrase_of_a_config_without_secrets_is_not_asked_for(folder: StackFolder):
    _given(folder, config={"app:size": "3"}, encryptionsalt="theirs", secretsprovider="awskms://alias/x")
    assert _laid(folder) == {"config": {"app:size": "3"}}


def test_secrets_are_read_by_what_they_were_made_with(folder: StackFolder):
    _laid(folder)
    _engine_wrote(folder, encryptionsalt=SALT)
    _given(folder, config=SECRET, encryptionsalt="theirs")
    assert _laid(folder) == {"config": SECRET, "encryptionsalt": "theirs"}
    _given(folder, config={"app:list": [{"secure": "v1:abc"}]}, encryptionsalt="theirs")
    assert _laid(folder)["encryptionsalt"] == "theirs"


def test_their_salt_does_not_outlive_their_secrets(folder: StackFolder):
    _given(folder, config=SECRET, encryptionsalt="theirs")
    _laid(folder)
    _given(folder, config={}, encryptionsalt="theirs")
    assert _laid(folder) == {"config": {}}


def test_another_stack_is_left_alone(folder: StackFolder):
    _laid(folder)
    _engine_wrote(folder, encryptionsalt=SALT)
    _given(folder, "prod", config={"app:size": "9"})
    assert _laid(folder, "prod") == {"config": {"app:size": "9"}}
    assert yaml.safe_load((folder.path / "work/Pulumi.dev.yaml").read_text()) == {"encryptionsalt": SALT}


@pytest.mark.parametrize("stack", ["../x", "a b", ""])
def test_a_name_that_is_none_reads_nothing(folder: StackFolder, stack: str):
    (folder.path.parent / "Pulumi...").mkdir(exist_ok=True)
    assert _laid(folder) == {}
    lay_out(folder, stack, folder.path / "work")
    assert [p.name for p in (folder.path / "work").iterdir()] == ["Pulumi.yaml"]


def test_settings_that_cannot_be_read_are_the_engines_to_refuse(folder: StackFolder):
    for text in ("config: [", "- a"):
        (folder.path / "Pulumi.dev.yaml").write_text(text)
        lay_out(folder, "dev", folder.path / "work")
        assert (folder.path / "work/Pulumi.dev.yaml").read_text() == text


def test_a_folder_of_their_own(tmp_path: Path):
    (tmp_path / "Pulumi.yaml").write_text("name: app\nruntime: python\nstackConfigDir: config\n")
    (tmp_path / "__main__.py").write_text("")
    (tmp_path / "config").mkdir()
    (tmp_path / "config/Pulumi.dev.yaml").write_text("config: {app:size: '3'}\n")
    lay_out(StackFolder.at(str(tmp_path)), "dev", tmp_path / "work")
    assert yaml.safe_load((tmp_path / "work/config/Pulumi.dev.yaml").read_text()) == {"config": {"app:size": "3"}}
