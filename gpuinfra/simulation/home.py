"""Where a simulation lives: a folder inside the stack's own, with the world, the state, and an isolated Pulumi home.

Nothing outside the folder is touched: no login, no network, no setting of the user's.
"""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .plugin import CLOUDS, WORLD_VARIABLE
from .schema import Sdk

FOLDER = ".gpuinfra"
_PASSPHRASE = "gpuinfra-simulation"
"""Guards what a simulated stack calls secret, which no cloud knows; a user's own PULUMI_CONFIG_PASSPHRASE is used first."""


@dataclass(frozen=True)
class Home:
    """The simulation of one stack folder."""

    stack_dir: Path

    @property
    def root(self) -> Path:
        return self.stack_dir / FOLDER / "simulation"

    @property
    def world(self) -> Path:
        return self.root / "world.sqlite"

    @property
    def pulumi_home(self) -> Path:
        return self.root / "home"

    @property
    def state(self) -> Path:
        return self.root / "state"

    def locks(self, project: str, stack: str) -> Path:
        """Where the file backend keeps the locks of a stack."""
        return self.state / ".pulumi" / "locks" / "organization" / project / stack

    def environment(self) -> dict[str, str]:
        """What an engine must see so that it deploys to the simulated clouds."""
        return {
            "PULUMI_HOME": str(self.pulumi_home),
            "PULUMI_BACKEND_URL": f"file://{self.state}",
            "PULUMI_CONFIG_PASSPHRASE": os.environ.get("PULUMI_CONFIG_PASSPHRASE", _PASSPHRASE),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "1",
            "PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS": "1",
            WORLD_VARIABLE: str(self.world),
        }

    def prepare(self) -> None:
        """Makes the folder, and a plugin for each package whose SDK is installed, in the version that it asks for."""
        for folder in (self.pulumi_home, self.state):
            folder.mkdir(parents=True, exist_ok=True)
        ignore = self.stack_dir / FOLDER / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        for package in CLOUDS:
            version = Sdk(package).version
            folder = self.pulumi_home / "plugins" / f"resource-{package}-v{version}"
            _write_program(folder / f"pulumi-resource-{package}", package)


def _write_program(path: Path, package: str) -> None:
    # The folder that holds this very package: a checkout need not be installed.
    source = Path(__file__).parents[2]
    text = (
        "#!/bin/sh\n"
        f"PYTHONPATH={shlex.quote(str(source))}${{PYTHONPATH:+:$PYTHONPATH}} exec {shlex.quote(sys.executable)} -c "
        f'\'import sys; from gpuinfra.simulation.plugin import main; sys.exit(main("{package}"))\' "$@"\n'
    )
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Of this process alone: two stacks of a folder may start at once.
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text(text, encoding="utf-8")
    fresh.chmod(fresh.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    os.replace(fresh, path)


def as_exports(environment: Mapping[str, str]) -> str:
    """The environment as lines for a shell."""
    return "".join(f"export {key}={shlex.quote(value)}\n" for key, value in environment.items())
