"""Getting an engine: the project's own installer, and where its host cannot be reached a build from published modules.

No Python package carries the engine. The modules are pinned by the go.mod and go.sum in `recipe/cli` (with their
checksums), so that a build gives the same program on every machine.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from .locate import CACHED, TESTED, Engine, EngineError, cache_folder, cached_command, status

Progress = Callable[[str], None]
"""Takes a line for a person: what goes on, and for how long already."""
_GO = (1, 26)
_MODULE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
_VERSION_VARIABLE = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"
_SAY_EVERY_S = 10.0


class InstallError(EngineError):
    """The engine could not be had. The text names each way that was tried and why it failed."""


def install(say: Progress, *, ways: tuple[str, ...] = ("download", "build")) -> Engine:
    """The engine in the cache, put there first where it is not. Raises InstallError.

    Two callers at once: the second waits and finds it there. What fails leaves nothing in the cache.
    """
    folder = cache_folder() / TESTED
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _installed(folder, say, ways)
    except OSError as e:
        raise InstallError(
            f"{e.filename or folder}: the cache cannot be used: {e.strerror or e}; name another folder in GPUINFRA_CACHE"
        ) from e


def _installed(folder: Path, say: Progress, ways: tuple[str, ...]) -> Engine:
    with _alone(folder / ".lock", say):
        found = _cached()
        if found is not None:
            return found
        tried: list[str] = []
        for way in ways:
            try:
                _WAYS[way](folder, say)
            except InstallError as e:
                tried.append(f"{way}: {e}")
                say(f"{way} failed: {e}")
                continue
            found = _cached()
            if found is not None:
                return found
            tried.append(f"{way}: what came does not run")
        raise InstallError("no engine could be had: " + "; ".join(tried))


def _cached() -> Engine | None:
    command = cached_command()
    if not os.access(command, os.X_OK):
        return None
    version = next((what for place, what in status().seen if place == CACHED), "")
    match = re.search(r"version (\S+)$", version)
    return Engine(command, match[1], CACHED) if match else None


def _download(folder: Path, say: Progress) -> None:
    from pulumi.automation import PulumiCommand
    from semver import VersionInfo

    say(f"downloading the Pulumi engine {TESTED} with the Automation API's installer")
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        try:
            PulumiCommand.install(root=scratch, version=VersionInfo.parse(TESTED))
        except Exception as e:
            # The installer raises whatever its download, its shell or its version check does.
            raise InstallError(_one_line(e)) from e
        _take_over(Path(scratch) / "bin", folder)


def _build(folder: Path, say: Progress) -> None:
    go = shutil.which("go")
    if go is None:
        raise InstallError(f"Go {_GO[0]}.{_GO[1]} or newer is not installed")
    _check_go(go)
    say(f"building the Pulumi engine {TESTED} from its published modules: about four minutes, 2 GB of memory")
    with (
        as_file(files(__package__ or "").joinpath("recipe", "cli")) as recipe,
        tempfile.TemporaryDirectory() as scratch,
    ):
        work = Path(scratch) / "cli"
        shutil.copytree(recipe, work)
        target = Path(scratch) / "bin"
        target.mkdir()
        command = [go, "build", "-mod=readonly", "-trimpath", "-tags", "osusergo,grpcnotrace"]
        # Without its version the Automation API refuses the program.
        command += ["-ldflags", f"-s -w -X {_VERSION_VARIABLE}=v{TESTED}", "-o", str(target / "pulumi"), _MODULE]
        _run(command, work, say)
        _take_over(target, folder)


_WAYS: dict[str, Callable[[Path, Progress], None]] = {"download": _download, "build": _build}


def _check_go(go: str) -> None:
    said = subprocess.run([go, "version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"go(\d+)\.(\d+)", said)
    if match is None or (int(match[1]), int(match[2])) < _GO:
        raise InstallError(f"Go {_GO[0]}.{_GO[1]} or newer is needed, and this is {match[0] if match else 'unknown'}")


def _run(command: list[str], folder: Path, say: Progress) -> None:
    """Runs a build and says every few seconds that it goes on."""
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        env = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=output, stderr=subprocess.STDOUT)
        try:
            while True:
                try:
                    code = process.wait(_SAY_EVERY_S)
                    break
                except subprocess.TimeoutExpired:
                    say(f"still building, {time.monotonic() - began:.0f} s")
        except BaseException:
            process.terminate()
            process.wait()
            raise
        if code:
            output.seek(0)
            raise InstallError(_one_line(output.read()[-600:]) or f"go build ended with {code}")


def _take_over(come: Path, folder: Path) -> None:
    """Moves a finished program into the cache in one step: nobody ever finds half of one."""
    staged = Path(tempfile.mkdtemp(dir=folder)) / "bin"
    shutil.copytree(come, staged)
    os.chmod(staged / "pulumi", 0o755)
    final = folder / "bin"
    shutil.rmtree(final, ignore_errors=True)
    os.replace(staged, final)
    staged.parent.rmdir()


@contextmanager
def _alone(path: Path, say: Progress) -> Generator[None]:
    with open(path, "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another installation runs; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:300]
