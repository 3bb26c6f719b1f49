"""`gpuinfra preflight`: whether the account allows what a spec wants, before anything exists."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from ..clock import current_moment
from ..diagnostics import Diagnostic, has_errors, in_order
from .governing import Governing, Ruling, governed
from .judge import judge, now_option
from .output import is_terminal, note, printable

if TYPE_CHECKING:
    from ..plan.models import ClusterPlan
    from ..policy.account_facts import AccountFacts
    from ..policy.engine import AccountReport
    from ..policy.rule import Unsure


@dataclass(frozen=True)
class Seen:
    """What came of looking at the account. `report` is None where its facts are of another place, or could not be read."""

    facts: AccountFacts | None
    report: AccountReport | None
    findings: tuple[Diagnostic, ...]


@click.command("preflight")
@click.argument("spec", metavar="SPEC", type=click.Path(allow_dash=True, readable=False))
@click.option(
    "--account",
    metavar="FILE",
    type=click.Path(readable=False),
    help="Judge by a saved file and ask no cloud: works offline.",
)
@click.option("--save", metavar="FILE", type=click.Path(), help="Keep what was read in a file, for --account.")
@governed
@now_option
def command(spec: str, account: str | None, save: str | None, governing: Governing, now: datetime | None) -> int:
    """Check a spec against the account: quotas, zones, reservations, what it names.

    Reads the account with your own credentials and read-only calls, and changes nothing. Each question is answered by a
    fault, by a pass, or by unknown with its reason: a call that is denied leaves its part unknown, and the others go on.
    Errors of `check` are shown too. The account's number is masked in what is printed; the file of --save has it whole.

    SPEC is the path of a cluster.yaml, or - for standard input. Reading needs a library of the cloud:
    pip install 'gpuinfra[preflight-aws]' (or preflight-gcp, preflight-azure).

    \b
    Examples:
      gpuinfra preflight cluster.yaml --save account.json
      gpuinfra preflight cluster.yaml --account account.json --format json
    """
    if account and save:
        raise click.UsageError("--account judges a file, and --save writes what was read: give one of them")
    ruling = governing.ruling(spec)
    judged = judge(spec, now, ruling)
    seen = Seen(None, None, ())
    if judged.plan is not None and account:
        seen = _from_file(judged.plan, account, ruling)
    elif judged.plan is not None:
        from ..preflight.gathering import ReadingError

        try:
            facts = _read(judged.plan)
        except ReadingError as e:
            note(f"gpuinfra: {e}")
            return 2
        if save and not _save(save, facts):
            return 2
        seen = _judged(judged.plan, facts, (), ruling)
    # What check warns of is its own to say.
    own = judged.findings if judged.plan is None else tuple(d for d in judged.findings if d.is_error)
    found = in_order((*own, *(judged.loaded.locate(d) for d in seen.findings)))
    governing.take(spec, ruling, found, now=now)
    status = governing.finish(before=_before(seen), after=_after(seen), extra=as_data(seen), not_judged=_NOT_JUDGED)
    if judged.plan is not None and seen.report is None:
        # No settings make a file right that cannot be read, or is of another place.
        return status or 1
    if seen.facts is not None and not seen.facts.known:
        why = "; ".join(dict.fromkeys(seen.facts.unknown.values())) or "none is in the file"
        note(f"gpuinfra: no fact about the account is known, so that nothing was judged by it: {why}")
        return status or 2
    return status


_NOT_JUDGED = ("GI1", "GI2", "GI3")
"""Beginnings of the codes whose rules do not run here, or whose warnings are not shown."""


def _from_file(plan: ClusterPlan, path: str, ruling: Ruling) -> Seen:
    from ..preflight.account_file import place_findings, read_account_file

    facts = read_account_file(path)
    if isinstance(facts, Diagnostic):
        return Seen(None, None, (facts,))
    found = place_findings(plan, facts, path, plan.now)
    return Seen(facts, None, found) if has_errors(found) else _judged(plan, facts, found, ruling)


def _judged(plan: ClusterPlan, facts: AccountFacts, found: tuple[Diagnostic, ...], ruling: Ruling) -> Seen:
    from ..policy.engine import check_account

    report = check_account(plan, facts, own=ruling.own, faults=ruling.faults)
    return Seen(facts, report, (*found, *report.diagnostics))


def _read(plan: ClusterPlan) -> AccountFacts:
    from ..preflight.reading import read_account

    with _progress() as tell:
        return read_account(plan, current_moment(), os.environ, tell)


def _save(path: str, facts: AccountFacts) -> bool:
    from ..preflight.account_file import write_account_file

    try:
        write_account_file(path, facts)
    except (OSError, ValueError) as e:
        reason = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
        note(f"gpuinfra: {path}: the file cannot be written: {reason}")
        return False
    return True


def as_data(seen: Seen) -> dict[str, Any]:
    """What the JSON form has beside the findings: the account, what passed and what is unknown."""
    report = seen.report
    return {
        "account": _account(seen.facts),
        "passed": [{"code": p.code, "path": p.path, "said": p.said} for p in report.passed] if report else [],
        "unknown": [{"code": u.code, "path": u.path, "reason": u.reason} for u in report.unsure] if report else [],
    }


def _account(facts: AccountFacts | None) -> dict[str, Any] | None:
    if facts is None:
        return None
    from ..preflight.account_file import masked
    from ..spec.quantities import format_moment

    return {
        "provider": str(facts.provider),
        "region": facts.region,
        "account": masked(facts.account),
        "as_of": format_moment(facts.as_of),
    }


def _before(seen: Seen) -> str:
    """The text form above the findings: the account, what passed and what is unknown."""
    account, report = _account(seen.facts), seen.report
    out: list[str] = []
    if account:
        who = f"{account['provider']} account {account['account'] or 'unknown'}"
        out.append(printable(f"{who}, {account['region']}, read {account['as_of']}"))
    if report:
        out += [_line("pass   ", "green", (p.code,), (p.path,), p.said) for p in report.passed]
        # One call that is denied leaves many rules without an answer.
        why: dict[str, list[Unsure]] = {}
        for u in report.unsure:
            why.setdefault(u.reason, []).append(u)
        for reason, left in why.items():
            codes, paths = dict.fromkeys(u.code for u in left), dict.fromkeys(u.path for u in left)
            out.append(_line("unknown", "yellow", codes, paths, reason))
    return "".join(f"{line}\n" for line in out)


def _after(seen: Seen) -> str:
    report = seen.report
    return f"{len(report.passed)} passed, {len(report.unsure)} unknown\n" if report else "no account was judged\n"


def _line(word: str, colour: str, codes: Iterable[str], paths: Iterable[str], said: str) -> str:
    return f"{click.style(word, fg=colour)} {', '.join(codes)} {printable(', '.join(paths))}: {printable(said)}"


@contextmanager
def _progress() -> Generator[Callable[[str], None]]:
    """What is read at the moment, on standard error where a person looks."""
    if not is_terminal(sys.stderr):
        yield lambda what: None
        return
    from .console import console

    with console(sys.stderr).status("Reading the account …") as status:
        yield lambda what: status.update(f"Reading the account: {printable(what)} …")
