"""`gpuinfra preview|up|refresh|destroy`: a stack folder through the engine, on the real clouds or on simulated ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from ..clock import current_moment
from .judge import format_option
from .outcome_view import outcome_data, outcome_text
from .output import as_json, is_terminal, note, write

if TYPE_CHECKING:
    from ..engine import Engine
    from ..engine.deployment import Deployment, Protected, StackFolder

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
    from ..engine import EngineError
    from ..engine.deployment import DeploymentError, unusable

    try:
        with _ended_gently():
            return _operate(asked)
    except DeploymentError as e:
        return _failed(asked, str(e), 1)
    except EngineError as e:
        return _failed(asked, str(e), 2)
    except OSError as e:
        return _failed(asked, unusable(e, asked.folder), 1)
    except (click.Abort, KeyboardInterrupt):
        _told(asked, "interrupted; the same command again goes on", 130)
        raise
    except Exception as e:
        _told(asked, f"internal error: {type(e).__name__}; standard error says more", 2)
        raise


@contextmanager
def _ended_gently() -> Generator[None]:
    """An order to end, and a terminal that is closed, are taken as Ctrl-C: the engine finishes what it has begun and writes it
    down. Killed with its engine at work, a stack of a real cloud keeps a lock, and resources that nobody knows of."""
    import signal
    import threading

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # One that the caller wants ignored, as `nohup` does, stays so.
    named = (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP"))
    kept = {one: signal.SIG_DFL for one in named if one is not None and signal.getsignal(one) is signal.SIG_DFL}
    for one in kept:
        signal.signal(one, stop)
    try:
        yield
    finally:
        for one, before in kept.items():
            signal.signal(one, before)


def _failed(asked: Asked, message: str, status: int) -> int:
    """Says why there is no outcome: to the person, and where a program reads, to it too."""
    note(f"gpuinfra: {message}")
    _told(asked, message.removeprefix(_no_success(asked)), status)
    return status


def _told(asked: Asked, message: str, status: int) -> None:
    if asked.format_ == "json":
        about = {"operation": asked.operation, "stack": asked.stack, "simulated": asked.simulate}
        write(as_json({**about, "error": {"message": message, "status": status}}))


def _no_success(asked: Asked) -> str:
    return f"{asked.operation} did not succeed:\n"


def _operate(asked: Asked) -> int:
    import sys

    from ..engine import find
    from ..engine.deployment import DeploymentError, StackFolder
    from ..policy.aside import told_aside

    folder = StackFolder.at(asked.folder)
    engine = find()
    if asked.operation in _CHANGES and not asked.simulate and not asked.yes:
        if not is_terminal(sys.stdin):
            return _failed(asked, f"{asked.operation} changes real resources: give --yes where nobody can be asked", 2)
        click.confirm(
            f"{asked.operation} {asked.folder} (stack {asked.stack}) on the real clouds?", abort=True, err=True
        )
    try:
        # Standard output is for the outcome: what the program prints goes where the engine's lines go.
        with told_aside(), _surroundings(asked, folder, engine) as deployment:
            outcome = deployment.run(asked.operation, _progress(asked.format_), protected=asked.protected)
    except DeploymentError as e:
        raise DeploymentError(f"{_no_success(asked)}{e}") from e
    if asked.format_ == "json":
        write(as_json(outcome_data(outcome, asked.simulate, _now(deployment))))
    else:
        write(outcome_text(outcome, asked.simulate, _now(deployment)))
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
    return current_moment({**os.environ, **deployment.environment})


preview = _command("preview", "Show what `up` would do to a stack.")
up = _command("up", "Deploy a stack.")
refresh = _command("refresh", "Bring a stack's state up to what its cloud has.")
destroy = _command("destroy", "Remove everything that a stack made.")
