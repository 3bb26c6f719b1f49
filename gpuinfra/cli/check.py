"""`gpuinfra check`: every finding about a spec, offline."""

from __future__ import annotations

from datetime import datetime

import click

from ..diagnostics import Diagnostic, has_errors
from . import findings as rendering
from .judge import findings_text, format_option, judge, now_option
from .output import as_json, internal_error, write


@click.command("check")
@click.argument("specs", metavar="SPEC...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@format_option
@now_option
def command(specs: tuple[str, ...], format_: str, now: datetime | None) -> int:
    """Check specs: all findings at once, offline.

    SPEC is the path of a cluster.yaml, or - for standard input. Several may be given. The text form shows at most 100
    findings, errors first; the JSON form has all.

    \b
    Examples:
      gpuinfra check cluster.yaml
      gpuinfra check stacks/*/cluster.yaml --format json
    """
    paths = tuple(dict.fromkeys(specs))
    found: list[Diagnostic] = []
    judged: list[str] = []
    for path in paths:
        try:
            found += judge(path, now).findings
            judged.append(path)
        except Exception as e:
            # What is wrong with one file must not hide what was found in the others.
            internal_error(e, path)
    if format_ == "json":
        write(as_json(rendering.as_data(found)))
    else:
        write(findings_text(found, judged))
    if len(judged) < len(paths):
        return 2
    return 1 if has_errors(found) else 0
