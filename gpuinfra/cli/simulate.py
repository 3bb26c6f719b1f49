"""`gpuinfra simulate`: look into the simulated clouds of a stack folder, and move them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from .judge import format_option
from .output import as_json, note, printable, write

if TYPE_CHECKING:
    from ..simulation.cloud import Cloud
    from ..simulation.world import World


@click.group("simulate", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """The simulated clouds of a stack folder: what is in them, and what happens to them."""


class DurationParam(click.ParamType):  # type: ignore[type-arg]
    """A length of time, on the command line."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        from ..spec.quantities import DURATION_PATTERN, QuantityError, parse_duration

        try:
            return value if isinstance(value, timedelta) else parse_duration(str(value))
        except QuantityError:
            pass
        if re.fullmatch(r"\s*(0+(\.0+)?\s*[smhdw]\s*)+", str(value)):
            self.fail(f"'{value}' is zero: the time would stay where it is; write 3h, 45m or 2d", param, ctx)
        if re.fullmatch(DURATION_PATTERN, str(value)):
            self.fail(f"'{value}' is too far: ten years (3650d) at most at once", param, ctx)
        return self.fail(f"'{value}' is not a duration; write 3h, 45m or 2d", param, ctx)


def _in_world(
    folder: str, do: Callable[[World, list[Cloud]], Any], *, fresh: bool = False, format_: str = "text"
) -> int:
    """Opens a folder's world and does something with it. A folder without a world is told so, but for `fresh`."""
    from ..engine.deployment import DeploymentError, StackFolder, unusable
    from ..simulation.clockwork import all_clouds
    from ..simulation.home import Home
    from ..simulation.lost import refusal
    from ..simulation.plugin import CLOUDS
    from ..simulation.session import open_world

    try:
        found = StackFolder.at(folder)
        if not fresh and not Home(found.path).world.exists():
            if gone := refusal(Home(found.path).world):
                raise DeploymentError(gone)
            raise DeploymentError(f"{folder}: nothing was simulated here yet; run gpuinfra up {folder} --simulate")
        world = open_world(found)
        try:
            do(world, all_clouds(CLOUDS))
        finally:
            world.close()
    except (DeploymentError, OSError) as e:
        said = unusable(e, folder) if isinstance(e, OSError) else str(e)
        note(f"gpuinfra: {said}")
        if format_ == "json":
            write(as_json({"error": {"message": said, "status": 1}}))
        return 1
    return 0


@command.command("env")
@click.argument("folder", metavar="STACK_DIR")
def env(folder: str) -> int:
    """Print the environment in which a plain `pulumi up` in the folder runs against the simulated clouds.

    \b
    Example:
      eval "$(gpuinfra simulate env stacks/aws-h100-training)" && cd stacks/aws-h100-training && pulumi up
    """
    import os
    import shutil

    from ..engine import EngineError, find
    from ..engine.deployment import DeploymentError, StackFolder, unusable
    from ..simulation.home import Home, as_exports
    from ..simulation.session import open_world

    try:
        found = StackFolder.at(folder)
        engine = find()
        open_world(found).close()
    except DeploymentError as e:
        note(f"gpuinfra: {e}")
        return 1
    except OSError as e:
        note(f"gpuinfra: {unusable(e, folder)}")
        return 1
    except EngineError as e:
        note(f"gpuinfra: {e}")
        return 2
    beside = engine.command.parent / "pulumi-language-python"
    if shutil.which("pulumi-language-python") is None and not os.access(beside, os.X_OK):
        note(
            "gpuinfra: no Python language host (pulumi-language-python) is installed, so `pulumi up` cannot run the program; "
            f"gpuinfra up {folder} --simulate needs none"
        )
        return 2
    path = f"{engine.command.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    write(as_exports({**Home(found.path).environment(), "PATH": path}))
    return 0


@command.command("show")
@click.argument("folder", metavar="STACK_DIR")
@format_option
def show(folder: str, format_: str) -> int:
    """Show what is in the simulated clouds: groups and their machines, money, what is left, and what happened.

    No machine boots there: idle limits never fire, and leases, budgets and schedules do, as the clouds' own.
    """

    def look(world: World, clouds: list[Cloud]) -> None:
        from ..simulation.showing import seen

        data = seen(world, clouds)
        if format_ == "json":
            write(as_json(data))
            return
        from .simulate_view import world_text

        write(world_text(data))

    return _in_world(folder, look, format_=format_)


@command.command("advance")
@click.argument("folder", metavar="STACK_DIR")
@click.argument("by", metavar="DURATION", type=DurationParam())
def advance(folder: str, by: timedelta) -> int:
    """Move the simulated time forward: leases end, schedules fire, budgets are spent.

    \b
    Example:
      gpuinfra simulate advance stacks/aws-h100-training 72h
    """

    def move(world: World, clouds: list[Cloud]) -> None:
        from ..simulation.clockwork import advance as onward

        before, ran = len(world.events()), {n.id for n in world.nodes() if n.ended_at is None}
        onward(world, clouds, by)
        told = [
            (event.at, f"{event.what} {event.subject} {event.detail}".rstrip())
            for event in world.events()[before + 1 :]
        ]
        told += _ended(world, ran)
        for moment, what in sorted(told, key=lambda one: one[0]):
            write(printable(f"{moment:%Y-%m-%d %H:%M} {what}") + "\n")
        write(f"it is {world.now:%Y-%m-%d %H:%M} UTC\n")

    return _in_world(folder, move)


def _ended(world: World, ran: set[int]) -> list[tuple[datetime, str]]:
    """Which of the machines that ran stand no more, and why: those of a kind that went together in one line."""
    gone = Counter(
        (n.ended_at, n.instance_type, n.zone or n.region, n.why)
        for n in world.nodes()
        if n.id in ran and n.ended_at is not None
    )
    return [(at, f"end {count} × {type_} in {zone}: {why}") for (at, type_, zone, why), count in gone.items()]


@command.command("reclaim")
@click.argument("folder", metavar="STACK_DIR")
@click.argument("pool")
@click.option("--count", type=click.IntRange(1), default=1, show_default=True, help="How many machines.")
def reclaim(folder: str, pool: str, count: int) -> int:
    """Take spot machines of a pool away; its group then does what that cloud's groups do. POOL is a pool of the spec, or the
    logical name of the group where two pools have one name or a program has none."""

    def take(world: World, clouds: list[Cloud]) -> None:
        from ..simulation.clockwork import reclaim as away

        taken = away(world, clouds, pool, count)
        write(f"{taken} machine{'s' if taken != 1 else ''} of '{pool}' reclaimed\n")

    return _in_world(folder, take)


@command.command("exhaust")
@click.argument("folder", metavar="STACK_DIR")
@click.argument("zone")
@click.argument("instance_type", metavar="TYPE")
def exhaust(folder: str, zone: str, instance_type: str) -> int:
    """Leave a zone without another machine of a type. TYPE may be '*'."""

    def empty(world: World, clouds: list[Cloud]) -> None:
        from ..engine.deployment import DeploymentError
        from ..simulation.places import type_fault, zone_fault

        if fault := zone_fault(zone) or type_fault(zone, instance_type):
            raise DeploymentError(fault)
        from ..simulation.supply import exhaust as without_more

        without_more(world, zone, instance_type)
        what = "machines of any type" if instance_type == "*" else instance_type
        write(f"{'no zone' if zone == '*' else zone} has {'any' if zone == '*' else 'no'} more {what}\n")

    return _in_world(folder, empty, fresh=True)


@command.command("drift")
@click.argument("folder", metavar="STACK_DIR")
@click.argument("resource")
@click.argument("path", metavar="PROPERTY")
@click.argument("value")
def drift(folder: str, resource: str, path: str, value: str) -> int:
    """Change a property from outside, as a person in the cloud's console does. RESOURCE is its logical name; VALUE is JSON
    or text."""

    def change(world: World, clouds: list[Cloud]) -> None:
        from ..simulation.drifting import drift as moved

        parsed = moved(world, resource, path, value)
        write(f"{resource}.{path} is {json.dumps(parsed)} now\n")

    return _in_world(folder, change)
