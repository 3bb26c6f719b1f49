"""The file that holds what an account allows: written by `--save`, judged by `--account`."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from ..diagnostics import Diagnostic, Source
from ..plan.models import ClusterPlan
from ..policy.account_facts import FORMAT, AccountFacts
from ..spec.findings import TOO_LARGE
from ..spec.quantities import format_moment, printable
from ..spec.reading import read_text, shown_file
from ..spec.wanted import wanted
from . import findings as f

_OLD = timedelta(hours=24)
_AHEAD = timedelta(minutes=5)
_IN_DAYS = 72
"""From so many hours on an age is said in days."""
_SUBSCRIPTION = re.compile(r"/subscriptions/([^/]+)/", re.IGNORECASE)


def read_account_file(path: str) -> AccountFacts | Diagnostic:
    """The facts that a file holds, or the finding that says why not. Never raises for what the file holds."""
    source = Source(shown_file(path))
    text = read_text(path)
    if isinstance(text, Diagnostic):
        if text.code == TOO_LARGE.code:
            return f.UNREADABLE.at("", "the file is larger than 1 MiB; no account's facts are").located(source)
        return text
    try:
        data: Any = json.loads(text)
    except json.JSONDecodeError as e:
        cut = not text.strip() or e.pos >= len(text.rstrip())
        what = "the file is cut short" if cut else f"the file is not JSON: {e.msg}"
        return f.UNREADABLE.at("", what).located(Source(source.file, e.lineno, e.colno))
    except (ValueError, RecursionError):
        return f.UNREADABLE.at("", "the file is not JSON that can be read").located(source)
    form = cast("dict[str, Any]", data).get("format") if isinstance(data, dict) else None
    if form != FORMAT:
        said = f"its format is '{printable(form, 40)}'" if isinstance(form, str) else "it names no format"
        return f.UNREADABLE.at("", f"the file is no account's facts: {said}, and {FORMAT} is wanted").located(source)
    try:
        facts = AccountFacts.model_validate(data)
        wrong = next(_contradictions(facts), "")
        return f.UNREADABLE.at("", wrong).located(source) if wrong else facts
    except ValidationError as e:
        errors = e.errors(include_url=False, include_input=False)
        first = errors[0]
        place = printable(".".join(str(p) for p in first["loc"]), 120)
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        said = wanted(cast("dict[str, Any]", first))
        return f.UNREADABLE.at("", f"{place}: {said}{more}").located(source)


def _contradictions(facts: AccountFacts) -> Iterator[str]:
    """What no cloud says of a reservation; a reader would make it unknown, and here somebody wrote it."""
    for name, reservation in (facts.reservations or {}).items():
        for n, member in enumerate(reservation.members if reservation else ()):
            place = f"reservations.{printable(name, 60)}.members.{n}"
            if member.total is not None and member.free is not None and member.free > member.total:
                yield f"{place}.free: {member.free} machines are free, of {member.total} in all"
            if member.starts is not None and member.ends is not None and member.ends < member.starts:
                yield f"{place}.ends: it ends before it starts"


def write_account_file(path: str, facts: AccountFacts) -> None:
    """Writes the file whole or not at all, readable by its owner alone: it names the account. Raises OSError."""
    text = json.dumps({"format": FORMAT, **facts.model_dump(mode="json", exclude_unset=True)}, indent=2) + "\n"
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def place_findings(plan: ClusterPlan, facts: AccountFacts, path: str, now: datetime) -> tuple[Diagnostic, ...]:
    """Whether the facts are of the spec's own place and of today."""
    source = Source(shown_file(path))
    found: list[Diagnostic] = []
    if facts.provider != plan.provider:
        found.append(
            f.OTHER_PLACE.at("location.provider", f"the file is of {facts.provider}, and the spec of {plan.provider}")
        )
    elif facts.region != plan.region:
        text = f"the file is of {printable(facts.region, 60)}, and the spec of {plan.region}"
        found.append(f.OTHER_PLACE.at("location.region", text))
    else:
        found += _other_account(plan, facts)
    age = now - facts.as_of
    if age > _OLD:
        hours = int(age.total_seconds() // 3600)
        ago = f"{hours} hours" if hours < _IN_DAYS else f"{hours // 24} days"
        found.append(f.OLD.at("", f"the file was read {format_moment(facts.as_of)}, {ago} ago"))
    elif age < -_AHEAD:
        text = f"the file was read {format_moment(facts.as_of)}, which is later than {format_moment(now)}"
        found.append(f.OLD.at("", text))
    return tuple(d.located(source) for d in found)


def _other_account(plan: ClusterPlan, facts: AccountFacts) -> list[Diagnostic]:
    project = getattr(plan.spec.location, "project", None)
    if project is not None and facts.account and facts.account != project:
        text = f"the file is of project {printable(facts.account, 60)}, and the spec of {project}"
        return [f.OTHER_PLACE.at("location.project", text)]
    # A machine and its network are always of one subscription.
    named = _SUBSCRIPTION.match(plan.network.existing_subnet)
    if named and facts.account and named[1].lower() != facts.account.lower():
        text = f"the file is of subscription {masked(facts.account)}, and the network of {masked(named[1])}"
        return [f.OTHER_PLACE.at("network.existing.subnet", text)]
    return []


def masked(account: str) -> str:
    """An account's number for a person: enough to tell two apart. A project's name stays as it is."""
    plain = account.replace("-", "")
    if plain.isdigit() or re.fullmatch(r"[0-9a-fA-F]{32}", plain):
        return f"…{account[-4:]}"
    return printable(account, 60)
