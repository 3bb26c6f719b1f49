"""A stack folder on the simulated clouds: its world, and deployments into it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..clock import NOW_VARIABLE
from ..engine import Engine
from ..engine.deployment import Deployment, DeploymentError, Outcome, Protected, StackFolder, unusable
from ..spec.quantities import format_moment
from .clockwork import all_clouds
from .home import Home
from .lost import refusal
from .plugin import CLOUDS
from .recovery import Recovery
from .stack_settings import lay_out
from .world import World


def open_world(folder: StackFolder) -> World:
    """The world of a folder, made where there is none. Raises DeploymentError."""
    home = Home(folder.path)
    try:
        home.prepare()
        if gone := refusal(home.world):
            raise DeploymentError(gone)
        world = World(home.world, searched=True)
        if gone := refusal(home.world, world):
            world.close()
            raise DeploymentError(gone)
        with world.step():
            owner = world.meta("project") or folder.project
            world.set_meta("project", owner)
    except OSError as e:
        raise DeploymentError(unusable(e, home.root)) from e
    if owner != folder.project:
        raise DeploymentError(
            f"{home.root}: the simulated world belongs to project '{owner}', and Pulumi.yaml names '{folder.project}'; give the "
            f"project its old name, or remove {home.root} to start anew"
        )
    return world


def simulated(folder: StackFolder, engine: Engine, stack: str, world: World) -> Deployment:
    """A deployment that the simulated clouds answer, at the world's own time."""
    home = Home(folder.path)
    # Settings that the engine writes (a salt for secrets) stay in the simulation's folder and out of the user's files.
    work = home.root / "settings"
    lay_out(folder, stack, work)
    environment = {**home.environment(), NOW_VARIABLE: format_moment(world.now)}
    recovery = Recovery(home, world, all_clouds(CLOUDS), folder.project, stack)
    return _Simulated(folder, engine, stack, environment, Path(work), recovery)


class _Simulated(Deployment):
    """A deployment whose lock lies in the simulation's folder, where `pulumi cancel` does not look."""

    def run(self, operation: str, say: Callable[[str], None], *, protected: Protected = "refuse") -> Outcome:
        from pulumi.automation import ConcurrentUpdateError

        try:
            return super().run(operation, say, protected=protected)
        except DeploymentError as e:
            if not isinstance(e.__cause__, ConcurrentUpdateError):
                raise
            raise DeploymentError(locked(Home(self.folder.path), self.folder.project, self.stack)) from e


def locked(home: Home, project: str, stack: str) -> str:
    """What to do about a simulated stack that another update holds."""
    folder = home.locks(project, stack)
    files = sorted(folder.glob("*.json")) or [folder]
    return (
        f"{home.stack_dir}: the simulated stack {stack} is locked by another update: {', '.join(map(str, files))} says by which "
        "process. Wait for it; where that process is gone, remove the file and run the command again"
    )
