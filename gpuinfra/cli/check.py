"""`gpuinfra check`: every finding about a spec, offline."""

from __future__ import annotations

from datetime import datetime

import click

from .governing import Governing, governed
from .judge import judge, now_option
from .output import internal_error

NOT_JUDGED = ("GI3", "GI4")
"""Beginnings of the codes about resources and about the account, whose rules do not run here."""


@click.command("check")
@click.argument("specs", metavar="SPEC...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@governed
@now_option
def command(specs: tuple[str, ...], governing: Governing, now: datetime | None) -> int:
    """Check specs: all findings at once, offline.

    SPEC is the path of a cluster.yaml, or - for standard input. Several may be given. The text form shows at most 100
    findings, errors first; the JSON form has all.

    \b
    Examples:
      gpuinfra check cluster.yaml
      gpuinfra check stacks/*/cluster.yaml --format sarif --output findings.sarif
    """
    failed = False
    for path in dict.fromkeys(specs):
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
