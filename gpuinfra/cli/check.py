"""`gpuinfra check`: every finding about a spec, offline."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import datetime

import click

from .governing import Governing, governed
from .judge import judge, now_option
from .output import internal_error, note

NOT_JUDGED = ("GI3", "GI4")
"""Beginnings of the codes about resources and about the account, whose rules do not run here."""


@click.command("check")
@click.argument("specs", metavar="SPEC...", nargs=-1, required=True, type=click.Path(allow_dash=True, readable=False))
@click.option(
    "--only-specs",
    is_flag=True,
    help="Pass over files that are no spec by their name or their api_version: for hooks that hand over every YAML file.",
)
@governed
@now_option
def command(specs: tuple[str, ...], only_specs: bool, governing: Governing, now: datetime | None) -> int:
    """Check specs: all findings at once, offline.

    SPEC is the path of a cluster.yaml, or - for standard input. Several may be given. The text form shows at most 100
    findings, errors first; the JSON form has all.

    \b
    Examples:
      gpuinfra check cluster.yaml
      gpuinfra check stacks/*/cluster.yaml --format sarif --output findings.sarif
    """
    failed = False
    wanted = [path for path in _each_once(specs) if not only_specs or _is_spec(path)]
    if not wanted:
        note(f"gpuinfra: no spec is among the {len(specs)} files: nothing was checked")
    for path in wanted:
        try:
            ruling = governing.ruling(path)
            judged = judge(path, now, ruling)
            governing.take(path, ruling, judged.findings, now=now)
        except Exception as e:
            # What is wrong with one file must not hide what was found in the others.
            internal_error(e, path)
            failed = True
    status = governing.finish(not_judged=NOT_JUDGED)
    return 2 if failed else status


def _each_once(paths: Iterable[str]) -> Iterable[str]:
    """The paths without those that name a file again, as ./cluster.yaml does. A `..` may lead out of a link, and is let be."""
    found: dict[str, str] = {}
    for path in paths:
        found.setdefault(path if ".." in path else os.path.normpath(path), path)
    return found.values()


_NAMED = re.compile(r"(?:.*[.-])?cluster\.ya?ml")
_OURS = re.compile(rb"""^[{ ]*["']?api_version["']?[ ]*:[ ]*["']?gpuinfra/""", re.MULTILINE)


def _is_spec(path: str) -> bool:
    """Whether a file is a spec by its name, as cluster.yaml or training.cluster.yaml, or says so itself."""
    if path == "-" or _NAMED.fullmatch(os.path.basename(path)):
        return True
    try:
        with open(path, "rb") as file:
            return bool(_OURS.search(file.read(2**20)))
    except OSError:
        # It is for `check` to say why it cannot be read.
        return True
