"""`gpuinfra engine`: which Pulumi engine is used, and how to get one."""

from __future__ import annotations

import click

from .judge import format_option
from .output import as_json, note, write


@click.group("engine", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """The Pulumi engine that deploys: found on PATH, else in gpuinfra's cache."""


@command.command("status")
@format_option
def status(format_: str) -> int:
    """Show which engine is used and why. Exit status 2 where there is none."""
    from ..engine import status as look

    found = look()
    if format_ == "json":
        engine = found.engine
        data = {
            "engine": None
            if engine is None
            else {"command": str(engine.command), "version": engine.version, "source": engine.source},
            "seen": [{"place": place, "what": what} for place, what in found.seen],
        }
        write(as_json(data))
    else:
        lines = [f"{place}: {what}" for place, what in found.seen]
        used = found.engine
        last = (
            f"used: {used.command} ({used.version}, {used.source})"
            if used
            else "used: none; get one with: gpuinfra engine install"
        )
        write("\n".join([*lines, last]) + "\n")
    return 0 if found.engine else 2


@command.command("install")
def install() -> int:
    """Put an engine into the cache, where none is found yet.

    The Automation API's own installer comes first; where its host cannot be reached and Go 1.26 or newer is there, the
    engine is built from its published modules, which takes about four minutes.
    """
    from ..engine import InstallError
    from ..engine import install as get
    from ..engine import status as look

    found = look().engine
    if found is None:
        try:
            found = get(lambda line: note(f"gpuinfra: {line}"))
        except InstallError as e:
            note(f"gpuinfra: {e}")
            return 2
    write(f"{found.command} ({found.version}, {found.source})\n")
    return 0
