"""`gpuinfra preview|up|refresh|destroy`: a stack folder through the engine, on the real clouds or on simulated ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from ..plan.clock import NOW_VARIABLE, current_moment
from .judge import format_option
from .output import as_json, is_terminal, note, usd, write

if TYPE_CHECKING:
    from ..engine import Engine
    from ..engine.deployment import Deployment, Outcome, Protected, StackFolder

_CHANGES = ("up", "refresh", "destroy")


_PROTECTED: tuple[Callable[[Any], Any], ...] = (
    click.option("--unprotect", is_flag=True, help="Take protected resources too, with the data that they hold."),
    click.option(
        "--keep-data", is_flag=True, help="Remove the nodes and all else but what is protected: the data stay."
    ),
)


def _of_protected(operation: str) -> Callable[[Any], Any]:
    """Gives an operation that removes resources the options about protected ones."""

    def with_options(run: Any) -> Any:
        for option in reversed(_PROTECTED if operation == "destroy" else ()):
            run = option(run)
        return run

    return with_options


def _command(operation: str, summary: str) -> click.Command:
    @click.command(operation, help=summary)
    @click.argument("folder", metavar="STACK_DIR")
    @click.option("--simulate", is_flag=True, help="Deploy to simulated clouds: no account, no network, no money.")
    @click.option("--stack", default="dev", show_default=True, help="Name of the stack.")
    @click.option("--stock", metavar="FILE", help="What the simulated zones have: a YAML file (with --simulate).")
    @click.option("--seed", type=int, help="Seed of what happens by chance in the simulated clouds (with --simulate).")
    @click.option("--yes", "-y", is_flag=True, help="Do not ask.")
    @_of_protected(operation)
    @format_option
    def run(**options: Any) -> int:
        asked = Asked(operation, **options)
        if asked.unprotect and asked.keep_data:
            raise click.UsageError("--unprotect removes the data, --keep-data keeps them: give one")
        if not asked.simulate and (asked.stock is not None or asked.seed is not None):
            raise click.UsageError("--stock and --seed are for --simulate")
        return _run(asked)

    return run


@dataclass(frozen=True)
class Asked:
    """An operation and its options."""

    operation: str
    folder: str
    simulate: bool
    stack: str
    stock: str | None
    seed: int | None
    yes: bool
    format_: str
    unprotect: bool = False
    keep_data: bool = False

    @property
    def protected(self) -> Protected:
        """What becomes of protected resources."""
        return "remove" if self.unprotect else "keep" if self.keep_data else "refuse"


def _run(asked: Asked) -> int:
    import sys

    from ..engine import EngineError, find
    from ..engine.deployment import DeploymentError, StackFolder
    from ..simulation.world import DamageError

    try:
        folder = StackFolder.at(asked.folder)
        engine = find()
    except DeploymentError as e:
        note(f"gpuinfra: {e}")
        return 1
    except EngineError as e:
        note(f"gpuinfra: {e}")
        return 2
    if asked.operation in _CHANGES and not asked.simulate and not asked.yes:
        if not is_terminal(sys.stdin):
            note(f"gpuinfra: {asked.operation} changes real resources: give --yes where nobody can be asked")
            return 2
        click.confirm(
            f"{asked.operation} {asked.folder} (stack {asked.stack}) on the real clouds?", abort=True, err=True
        )
    try:
        with _surroundings(asked, folder, engine) as deployment:
            outcome = deployment.run(asked.operation, _progress(asked.format_), protected=asked.protected)
    except DeploymentError as e:
        note(f"gpuinfra: {asked.operation} did not succeed:\n{e}")
        return e.status
    except DamageError as e:
        note(f"gpuinfra: {asked.operation} did not succeed:\n{e}")
        return 2
    if asked.format_ == "json":
        write(as_json(_data(outcome, asked.simulate, _now(deployment))))
    else:
        write(_text(outcome, asked.simulate, _now(deployment)))
    return 0


@contextmanager
def _surroundings(asked: Asked, folder: StackFolder, engine: Engine) -> Generator[Deployment]:
    """The deployment of a folder, on the real clouds or the simulated ones."""
    from ..engine.deployment import Deployment

    if not asked.simulate:
        yield Deployment(folder, engine, asked.stack)
        return
    from ..simulation.recovery import end
    from ..simulation.session import open_world, simulated
    from ..simulation.stock import fill

    world = open_world(folder)
    try:
        fill(world, asked.stock, asked.seed)
        yield simulated(folder, engine, asked.stack, world)
        end(world, asked.stack)
    finally:
        world.close()


def _progress(format_: str) -> Callable[[str], None]:
    """Takes the engine's lines: shown to a person, and to nobody where a program reads."""

    def show(line: str) -> None:
        if format_ != "json":
            note(line.rstrip("\n"))

    return show


def _now(deployment: Deployment) -> datetime:
    """The moment at which the operation took place: a simulated world has a time of its own."""
    named = deployment.environment.get(NOW_VARIABLE)
    return datetime.fromisoformat(named) if named else current_moment()


def _expired(outcome: Outcome, now: datetime) -> list[str]:
    """The outputs that name the end of a lease which is over; a program of several clusters has several."""
    ends = {k: v for k, v in outcome.outputs.items() if k.endswith("lease_end") and isinstance(v, str)}
    return sorted(k for k, v in ends.items() if datetime.fromisoformat(v) <= now)


def _data(outcome: Outcome, simulate: bool, now: datetime) -> dict[str, Any]:
    return {
        "operation": outcome.operation,
        "stack": outcome.stack,
        "simulated": simulate,
        "changes": dict(outcome.changes),
        "expired": bool(_expired(outcome, now)),
        "outputs": dict(outcome.outputs),
        "resources": [{"type": type_, "name": name} for type_, name in outcome.resources],
    }


def _text(outcome: Outcome, simulate: bool, now: datetime) -> str:
    lines = [", ".join(f"{n} {what}" for what, n in outcome.changes.items()) or "nothing to do"]
    if outcome.resources:
        where = "simulated " if simulate else ""
        left = " left" if outcome.operation == "destroy" else ""
        lines.append(f"{len(outcome.resources)} {where}resources{left}:")
        counted = Counter(_short(type_) for type_, _ in outcome.resources if not type_.startswith("gpuinfra:"))
        lines += [f"  {n:4} {type_}" for type_, n in sorted(counted.items())]
    if outcome.operation == "destroy":
        return "\n".join(lines) + "\n"
    price, least = outcome.outputs.get("usd_per_hour"), outcome.outputs.get("usd_per_hour_at_least")
    if isinstance(price, (int, float)):
        lines.append(f"costs {usd(price)} USD an hour" + (" on the real cloud" if simulate else ""))
    elif isinstance(least, (int, float)):
        lines.append(f"costs at least {usd(least)} USD an hour (some prices are unknown)")
    over = _expired(outcome, now)
    for name, end in outcome.outputs.items():
        if name.endswith("lease_end") and isinstance(end, str):
            whose = name.removesuffix("lease_end").rstrip("_")
            said = "expired {}: no node is started again until the lease is changed" if name in over else "ends {}"
            lines.append(f"{whose}: {said.format(end)}" if whose else said.format(end))
    return "\n".join(lines) + "\n"


def _short(type_: str) -> str:
    package, module, name = type_.split(":")
    return f"{package}:{module.split('/')[0]}:{name}"


preview = _command("preview", "Show what `up` would do to a stack.")
up = _command("up", "Deploy a stack.")
refresh = _command("refresh", "Bring a stack's state up to what its cloud has.")
destroy = _command("destroy", "Remove everything that a stack made.")
