"""What a command writes must be none of what it reads: a slip of the pen would cost the user's own file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

import click

from .output import printable

_OWN = re.compile(r"gpuinfra\.ya?ml|Pulumi(\..+)?\.(ya?ml|json)")
"""Files that belong to a stack and are read by their name."""


def refuse_inputs(
    targets: Mapping[str, str | None],
    inputs: Iterable[str],
    programs: Iterable[str] = (),
    allowed: Iterable[tuple[str, str]] = (),
) -> None:
    """Raises click.UsageError where a target, by its option, is an input, or a file of the stack beside it.

    `programs` are folders of code. `allowed` are pairs of an option and an input that it may renew.
    """
    read = [path for path in inputs if path != "-"]
    folders = list(programs)
    renewed = set(allowed)
    seen: dict[str, str] = {}
    for option, target in targets.items():
        if target is None:
            continue
        shown = printable(target)
        if any(_same(target, path) for path in read if (option, path) not in renewed):
            raise click.UsageError(f"{option}: {shown} is an input, and would be overwritten: name another file")
        if _of_a_stack(target, read) or any(_of_a_program(target, folder) for folder in folders):
            raise click.UsageError(
                f"{option}: {shown} is an input, as a file of the stack's own, and would be overwritten: name another file"
            )
        other = next((o for o, path in seen.items() if _same(path, target)), None)
        if other is not None:
            raise click.UsageError(f"{other} and {option} name the same file, {shown}: give each its own")
        seen[option] = target


def _same(one: str, other: str) -> bool:
    """Whether two paths are one file: by what lies there, or where nothing does, by their real names. A device or a pipe
    keeps nothing that could be lost."""
    try:
        if os.path.exists(one) and not os.path.isfile(one):
            return False
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return _real(one) == _real(other)


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _of_a_stack(target: str, inputs: Iterable[str]) -> bool:
    """Whether a target is a settings or project file beside an input or above it."""
    place = _real(target)
    if not os.path.isfile(place) or not _OWN.fullmatch(os.path.basename(place)):
        return False
    home = os.path.dirname(place)
    starts = [os.path.dirname(_real(path)) for path in inputs] or [_real(os.curdir)]
    return any(_inside(start, home) for start in starts)


def _of_a_program(target: str, folder: str) -> bool:
    """Whether a target is code of a program, or a file that Pulumi or gpuinfra reads for it."""
    place, home = _real(target), _real(folder)
    if not os.path.isfile(place):
        return False
    name = os.path.basename(place)
    if name.endswith(".py"):
        return _inside(place, home)
    return bool(_OWN.fullmatch(name)) and (_inside(place, home) or _inside(home, os.path.dirname(place)))


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
