"""Which engine is taken, and why: PATH, then the cache. No engine is needed here."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuinfra.engine import CACHED, ON_PATH, TESTED, EngineError, find, install, status
from gpuinfra.engine.install import InstallError
from gpuinfra.engine.locate import cache_folder, cached_command


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH, beside an empty cache."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("GPUINFRA_CACHE", str(tmp_path / "cache"))
    return folder


def _fake(file: Path, version: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\necho {version}\n")
    file.chmod(0o755)
    return file


def test_the_one_on_path_comes_first(path: Path) -> None:
    _fake(cached_command(), f"v{TESTED}")
    _fake(path / "pulumi", "v3.300.0")
    found = find()
    assert (found.source, found.version) == (ON_PATH, "3.300.0")


@pytest.mark.parametrize("version", ["v3.259.9", "v2.900.0", "banana", ""])
def test_one_that_will_not_do_is_passed_over(version: str, path: Path) -> None:
    _fake(path / "pulumi", version)
    _fake(cached_command(), f"v{TESTED}")
    assert find().source == CACHED
    assert dict(status().seen)[ON_PATH].startswith(str(path / "pulumi"))


@pytest.mark.parametrize("version", ["v3.260.0", "3.274.1", "v3.280.0-alpha.1", "v4.0.0"])
def test_one_that_is_new_enough(version: str, path: Path) -> None:
    _fake(path / "pulumi", version)
    assert find().version == version.removeprefix("v")


def test_one_that_does_not_run(path: Path) -> None:
    broken = path / "pulumi"
    broken.write_bytes(b"\x7fELF nonsense")
    broken.chmod(0o755)
    with pytest.raises(EngineError, match="does not"):
        find()


def test_none_at_all(path: Path) -> None:
    with pytest.raises(EngineError, match="gpuinfra engine install"):
        find()


@pytest.mark.parametrize(("own", "xdg", "end"), [
    ("/a", "/b", "/a/engine"),
    (None, "/b", "/b/gpuinfra/engine"),
    (None, None, "/home/me/.cache/gpuinfra/engine"),
])  # fmt: skip
def test_where_the_cache_is(own: str | None, xdg: str | None, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    for name, value in (("GPUINFRA_CACHE", own), ("XDG_CACHE_HOME", xdg)):
        monkeypatch.delenv(name, raising=False)
        if value:
            monkeypatch.setenv(name, value)
    assert str(cache_folder()) == end


def test_an_engine_in_the_cache_is_not_fetched_again(path: Path) -> None:
    _fake(cached_command(), f"v{TESTED}")
    said: list[str] = []
    assert install(said.append, ways=()).source == CACHED
    assert said == []


def test_where_no_way_leads_to_one_each_is_named(path: Path) -> None:
    said: list[str] = []
    with pytest.raises(InstallError, match=r"build: Go 1\.26 or newer is not installed"):
        install(said.append, ways=("build",))
    _fake(path / "go", "go version go1.20 linux/amd64")
    with pytest.raises(InstallError, match=r"this is go1\.20"):
        install(said.append, ways=("build",))
    assert not cached_command().exists()
    assert [p.name for p in (cache_folder() / TESTED).iterdir()] == [".lock"], "what fails leaves nothing behind"
