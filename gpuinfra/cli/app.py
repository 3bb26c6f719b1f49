"""The root of the command line: which commands there are, and the guard that keeps tracebacks from users."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from .output import OutputError, ReaderGoneError, internal_error, note, printable, write

_SELDOM = 100_000

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_FAULT = 2
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141

COMMANDS = {
    "check": "check",
    "plan": "plan",
    "lint": "lint",
    "preflight": "preflight",
    "compare": "compare",
    "instances": "instances",
    "gpus": "gpus",
    "prices": "prices",
    "images": "images",
    "regions": "regions",
    "schema": "schema",
    "rules": "rules",
    "explain": "explain",
    "completion": "completion",
    "preview": "deploy:preview",
    "up": "deploy:up",
    "refresh": "deploy:refresh",
    "destroy": "deploy:destroy",
    "policy-pack": "policy_pack",
    "simulate": "simulate",
    "engine": "engine",
    "docs": "docs",
}
"""Module of this package that holds each command, as an attribute named `command` or as the one after the colon."""


EPILOG = """\
Exit status: 0 no error; 1 errors found in a spec, or a spec that cannot be read; 2 wrong usage (also a word or a filter's
value that is not known), a missing SDK, or a fault of the tool.

Environment: NO_COLOR turns colours off, also where FORCE_COLOR turns them on for what is no terminal. GPUINFRA_NOW names a
moment that stands for the current one, as 2026-12-05T18:00:00Z.
"""


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is asked for, so that one command pays for no other."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, _, attribute = place.partition(":")
        return getattr(import_module(f".{module}", __package__), attribute or "command")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from ..diagnostics import did_you_mean

            guess = did_you_mean(args[0], COMMANDS)
            ctx.fail(f"no such command '{args[0]}'" + (f"; {guess}" if guess else "; see gpuinfra --help"))
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"gpuinfra {version()}")
        ctx.exit()


def version() -> str:
    """The version of the installed package; of a checkout that is not installed, the one in pyproject.toml."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("gpuinfra")
    except PackageNotFoundError:
        import tomllib
        from pathlib import Path

        project = Path(__file__).parents[2] / "pyproject.toml"
        return str(tomllib.loads(project.read_text("utf-8"))["project"]["version"]) if project.is_file() else "unknown"


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog=EPILOG,
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def root() -> None:
    """One typed spec becomes the right GPU cluster on AWS, Google Cloud and Azure.

    Checks, plans and tables work offline. `preflight` reads the account, and changes nothing; `pulumi up` deploys.
    """


def run() -> int:
    """The command line as a whole process. One that lives for a fraction of a second has no garbage worth a search: not
    while it works, and least of all at its end, where Python looks through everything (a sixth of the time of `check`)."""
    gc.set_threshold(_SELDOM)
    status = main()
    gc.freeze()
    return status


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit status. Nothing escapes: a fault of the tool is one line and a 2."""
    _make_streams_safe()
    if sys.stdout is None:  # type: ignore[comparison-overlap]
        # Python starts so where the caller closed the stream (`>&-`).
        return _cannot_write("it is closed")
    stdout = sys.stdout
    try:
        if "GPUINFRA_NOW" in os.environ:
            _take_the_moment()
        result: Any = root.main(args=args, prog_name="gpuinfra", standalone_mode=False)
        write("")
        return result if isinstance(result, int) else EXIT_OK
    except click.exceptions.Exit as e:
        return e.exit_code
    except click.ClickException as e:
        # Click repeats what was typed as it is, and a terminal obeys what is in it.
        e.message = printable(e.message)  # pyright: ignore[reportAttributeAccessIssue]
        with contextlib.suppress(OSError):
            e.show()
        return EXIT_FAULT
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        return EXIT_INTERRUPTED
    except SystemExit:
        # Click ends the program by itself after a completion, and where the reader of its help has gone: then it has put
        # a stream of its own in the place of standard output.
        if sys.stdout is stdout:
            raise
        _drop_output()
        return EXIT_BROKEN_PIPE
    except ReaderGoneError:
        # The reader has what it wanted (`… | head`).
        _drop_output()
        return EXIT_BROKEN_PIPE
    except OutputError as e:
        _drop_output()
        return _cannot_write(str(e))
    except OSError as e:
        if e.errno not in _WRITING or e.filename is not None:
            internal_error(e)
            return EXIT_FAULT
        # Click writes help and the version by itself.
        _drop_output()
        return _cannot_write(e.strerror or str(e))
    except Exception as e:
        internal_error(e)
        return EXIT_FAULT


_WRITING = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF, errno.EIO))


def _cannot_write(reason: str) -> int:
    _say(f"standard output cannot be written: {reason}")
    return EXIT_FAULT


def _drop_output() -> None:
    """Sends what is still buffered nowhere: Python would complain about it again when it closes the stream."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    note(f"gpuinfra: {text}")


def _make_streams_safe() -> None:
    # A terminal that is not UTF-8 shows an escape where it lacks a letter, instead of ending the program.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="backslashreplace")


def _take_the_moment() -> None:
    """Refuses a moment that is none before any work is done by it."""
    from ..clock import current_moment

    try:
        current_moment()
    except ValueError as e:
        raise click.UsageError(str(e)) from e
