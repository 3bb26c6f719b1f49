"""`gpuinfra lint`: plain Pulumi programs, judged by their preview, their state, or their own code."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from ..vocabulary import Provider
from .governing import Governing, governed
from .judge import now_option
from .output import note, printable
from .plan import progress
from .report import undecided_data

if TYPE_CHECKING:
    from ..lint import Linted, Source
    from ..policy.rule import Undecided

_FILE = click.Path(allow_dash=True, readable=False)
_SHOWN = 20


@click.command("lint")
@click.option("--preview", metavar="FILE", type=_FILE, help="What `pulumi preview --json` wrote; - is standard input.")
@click.option("--state", metavar="FILE", type=_FILE, help="What `pulumi stack export` wrote; - is standard input.")
@click.option(
    "--program",
    metavar="DIR",
    type=click.Path(readable=False),
    help="The folder of a program in Python; no engine is needed.",
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
@governed
@now_option
def command(
    preview: str | None,
    state: str | None,
    program: str | None,
    stack: str | None,
    config: tuple[str, ...],
    providers: tuple[str, ...],
    governing: Governing,
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
    from ..lint.source import MissingSdkError

    ruling = governing.ruling(source.path)
    try:
        with progress(f"Reading the {source.kind} and judging it …"):
            done = lint(
                source,
                now=now,
                providers=[Provider(p) for p in providers],
                own=ruling.own,
                options=ruling.options,
                faults=ruling.faults,
            )
    except MissingSdkError as e:
        note(f"gpuinfra: {e}")
        return 2
    governing.take(
        source.path,
        ruling,
        done.findings,
        now=now,
        graph=done.graph,
        undecided=done.undecided,
        sources=_sources(done, source),
    )
    status = governing.finish(
        before=undecided_text(done.undecided), after=judged_text(done), extra=as_data(done), not_judged=_NOT_JUDGED
    )
    # No settings make a file right that cannot be read.
    return status or (1 if done.graph is None else 0)


_NOT_JUDGED = ("GI1", "GI2", "GI4")
"""Beginnings of the codes about a spec and about the account, whose rules do not run here."""


def _sources(done: Linted, source: Source) -> tuple[str, ...]:
    """The files of a program that findings point into. Where a preview was made, nobody here knows."""
    if source.kind != "program":
        return ()
    return tuple(dict.fromkeys(d.source.file for d in done.findings if d.source is not None))


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


def judged_text(done: Linted) -> str:
    """How much was judged, how much of it is open, and what no rule looks at."""
    from ..policy.unjudged import unjudged

    if done.graph is None:
        return "nothing was judged\n"
    if not done.graph.resources:
        return "the stack is empty: no resource was judged\n"
    judged = _counted(len(done.graph.resources), "resource")
    left: dict[str, int] = {}
    for u in unjudged(done.graph):
        left[u.service] = left.get(u.service, 0) + len(u.resources)
    those = ", ".join(f"{service} ({n})" for service, n in left.items())
    beside = f"no rule looks at what is of {those}; silence about it is no pass\n" if left else ""
    return f"{beside}{judged} judged, {_counted(len(done.undecided), 'verdict')} undecided\n"


def _counted(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def undecided_text(undecided: Sequence[Undecided]) -> str:
    """One line for each verdict that must wait; the JSON form has all."""
    if not undecided:
        return ""
    lines = [f"  {u.code} {printable(u.resource)}: {printable(u.reason)}\n" for u in undecided[:_SHOWN]]
    left = len(undecided) - len(lines)
    more = f"  … and {left} more (the JSON form lists all)\n" if left else ""
    return (
        click.style("undecided, for want of a value or an option that is not shown here:\n", bold=True)
        + "".join(lines)
        + more
    )


def as_data(done: Linted) -> dict[str, Any]:
    """What the JSON form has beside the findings."""
    from ..policy.unjudged import unjudged

    return {
        "resources": len(done.graph.resources) if done.graph is not None else None,
        "not_judged": [
            {"service": u.service, "type": u.type, "resources": list(u.resources)}
            for u in (unjudged(done.graph) if done.graph is not None else ())
        ],
        "undecided": undecided_data(done.undecided),
    }
