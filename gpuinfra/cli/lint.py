"""`gpuinfra lint`: plain Pulumi programs, judged by their preview, their state, or their own code."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from ..diagnostics import has_errors
from ..vocabulary import Provider
from . import findings as rendering
from .judge import findings_text, format_option, now_option
from .output import as_json, note, printable, write
from .plan import progress

if TYPE_CHECKING:
    from ..lint import Linted, Source
    from ..policy.rule import Undecided

_FILE = click.Path(allow_dash=True)
_SHOWN = 20


@click.command("lint")
@click.option("--preview", metavar="FILE", type=_FILE, help="What `pulumi preview --json` wrote; - is standard input.")
@click.option("--state", metavar="FILE", type=_FILE, help="What `pulumi stack export` wrote; - is standard input.")
@click.option(
    "--program", metavar="DIR", type=click.Path(), help="The folder of a program in Python; no engine is needed."
)
@click.option(
    "--stack", metavar="NAME", help="With --program: the stack whose config it runs with. Else the only one, or dev."
)
@click.option(
    "--config",
    "-c",
    "config",
    metavar="KEY=VALUE",
    multiple=True,
    help="With --program: a config value. May be repeated.",
)
@click.option(
    "--provider",
    "providers",
    multiple=True,
    type=click.Choice([p.value for p in Provider]),
    help="Only the rules for this cloud. May be repeated.",
)
@format_option
@now_option
def command(
    preview: str | None,
    state: str | None,
    program: str | None,
    stack: str | None,
    config: tuple[str, ...],
    providers: tuple[str, ...],
    format_: str,
    now: datetime | None,
) -> int:
    """Check a plain Pulumi program, which needs to know nothing of gpuinfra.

    Give one of --preview, --state and --program. What is unknown before the deployment, and options that a preview or a
    state does not carry, are undecided: never a pass, never a finding.

    \b
    Examples:
      pulumi preview --json --show-sames > preview.json; gpuinfra lint --preview preview.json
      pulumi stack export | gpuinfra lint --state -
      gpuinfra lint --program infra/training --stack prod
    """
    source = _source(preview, state, program, stack, config)
    from ..lint import lint
    from ..lint.program import MissingSdkError

    try:
        with progress(f"Reading the {source.kind} and judging it …"):
            done = lint(source, now=now, providers=[Provider(p) for p in providers])
    except MissingSdkError as e:
        note(f"gpuinfra: {e}")
        return 2
    if format_ == "json":
        write(as_json(as_data(done)))
    else:
        write(as_text(done, source))
    return 1 if has_errors(done.findings) else 0


def _source(
    preview: str | None, state: str | None, program: str | None, stack: str | None, config: tuple[str, ...]
) -> Source:
    from ..lint import Kind, Source

    given = {Kind.PREVIEW: preview, Kind.STATE: state, Kind.PROGRAM: program}
    asked = [(kind, path) for kind, path in given.items() if path is not None]
    if len(asked) != 1:
        raise click.UsageError("give one of --preview FILE, --state FILE and --program DIR")
    ((kind, path),) = asked
    if kind is not Kind.PROGRAM and (stack is not None or config):
        raise click.UsageError("--stack and --config are for --program")
    values: dict[str, str] = {}
    for entry in config:
        key, equals, value = entry.partition("=")
        if not equals or not key:
            raise click.UsageError("--config takes KEY=VALUE")
        values[key] = value
    return Source(kind, path, stack, values)


def as_text(done: Linted, source: Source) -> str:
    """The findings, what is undecided, and the summary."""
    return undecided_text(done.undecided) + findings_text(done.findings, [source.path]) + _seen(done)


def _seen(done: Linted) -> str:
    if done.graph is None:
        return ""
    n = len(done.graph.resources)
    open_ = len(done.undecided)
    judged = f"{n} resource{'' if n == 1 else 's'} judged"
    return click.style(f"{judged}{f', {open_} verdicts undecided' if open_ > 1 else ', 1 verdict undecided' if open_ else ''}\n",
                       dim=True)  # fmt: skip


def undecided_text(undecided: Sequence[Undecided]) -> str:
    """One line for each verdict that must wait; the JSON form has all."""
    if not undecided:
        return ""
    lines = [f"  {u.code} {printable(u.resource)}: {printable(u.reason)}\n" for u in undecided[:_SHOWN]]
    left = len(undecided) - len(lines)
    more = f"  … and {left} more (the JSON form lists all)\n" if left else ""
    return click.style("undecided until it is deployed:\n", bold=True) + "".join(lines) + more


def as_data(done: Linted) -> dict[str, Any]:
    """The JSON form."""
    return {
        **rendering.as_data(done.findings),
        "resources": len(done.graph.resources) if done.graph is not None else None,
        "undecided": [{"code": u.code, "resource": u.resource, "reason": u.reason} for u in done.undecided],
    }
