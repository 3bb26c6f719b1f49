"""Where output goes and how: plain text, JSON and CSV on standard output, notes on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

import click


class ReaderGoneError(Exception):
    """The program that reads our output has closed its end."""


class OutputError(Exception):
    """Standard output takes nothing: a full disk, a closed stream. The text says why."""


def write(text: str) -> None:
    """Writes to standard output and makes sure that it got there.

    Raises ReaderGoneError when nobody reads on, and OutputError when the text cannot be written.

    Click turns a broken pipe into exit status 1, which here means 'errors found'; hence an exception of our own.
    """
    try:
        click.echo(text, nl=False, color=use_colour(sys.stdout))
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGoneError from None
    except OSError as e:
        raise OutputError(e.strerror or str(e)) from None


def note(text: str) -> None:
    """One line for the person, on standard error, so that it mixes with no data.

    Where standard error takes nothing, the exit status is all that is left.
    """
    with contextlib.suppress(OSError):
        click.echo(printable(text), err=True)


def internal_error(error: Exception, where: str = "") -> None:
    """Says on standard error, in one line, that the tool is at fault; with GPUINFRA_DEBUG also where."""
    if os.environ.get("GPUINFRA_DEBUG"):
        import traceback

        traceback.print_exception(error)
    reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    place = f"{where}: " if where else ""
    note(
        f"gpuinfra: {place}internal error: {reason}; this is a fault of gpuinfra, please report it "
        "(GPUINFRA_DEBUG=1 shows where)"
    )


def use_colour(stream: TextIO) -> bool:
    """Whether to colour: never where NO_COLOR is set; else where FORCE_COLOR is, and on a terminal that is not dumb."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at the stream. None is a stream that was closed before the start."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def terminal_width(stream: TextIO) -> int | None:
    """Columns of the terminal that shows the stream; None where none does."""
    if not is_terminal(stream):
        return None
    import shutil

    return shutil.get_terminal_size((80, 24)).columns


def printable(text: str) -> str:
    """The text with control characters spelled out: a value from a file must not steer the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else _spelled(c) for c in text)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def as_json(value: Any) -> str:
    """JSON text with a final newline; ASCII only where the output's encoding has nothing else."""
    import json

    utf8 = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, indent=2, ensure_ascii=not utf8, allow_nan=False)
    # A lone surrogate (a file name that is no UTF-8) can be written as an escape only.
    return text + "\n" if text.isascii() or _encodes(text) else json.dumps(value, indent=2, allow_nan=False) + "\n"


def _encodes(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def as_csv(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """CSV with a header. Lists are joined by a semicolon, unknown is an empty cell, flags read yes and no."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(c)) for c in columns])
    return out.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ";".join(str(v) for v in value)  # type: ignore[misc]
    return number(value) if isinstance(value, float) else str(value)


def number(value: float) -> str:
    """A number as a person writes it: 80 and not 80.0, 0.54117 whole."""
    return str(int(value)) if float(value).is_integer() else repr(value)


def usd(value: float) -> str:
    """An amount for a person: cents from a dollar on, four digits below, thousands parted by commas."""
    return f"{value:,.2f}" if abs(value) >= 1 or value == 0 else f"{value:.4f}"
