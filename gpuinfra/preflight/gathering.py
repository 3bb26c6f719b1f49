"""Facts of an account, gathered part by part: a part that is refused is unknown, and the others still are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from ..plan.models import ClusterPlan
from ..policy.account_facts import AccountFacts
from ..redaction import redacted
from ..spec.quantities import printable


class ReadingError(Exception):
    """Nothing of the account can be read: no SDK, no credentials, no network. The text is one line for a person."""


class RefusedError(Exception):
    """The cloud refused one question. The text is the reason, for a person; `missing` says that what was asked for is not
    there."""

    def __init__(self, reason: str, *, missing: bool = False, fatal: bool = False) -> None:
        self.reason = reason
        self.missing = missing
        self.fatal = fatal
        """The credentials themselves are no good: no other question will be answered."""
        super().__init__(reason)


def renewing(token: Callable[[], str]) -> Callable[[], str]:
    """A token that is renewed where it has to be; where it cannot be, no question is answered any more."""

    def asked() -> str:
        try:
            return token()
        except Exception as e:
            raise RefusedError(
                f"the credentials cannot be renewed ({type(e).__name__}): sign in again", fatal=True
            ) from None

    return asked


@dataclass
class Gathering:
    """What was read so far, and why the rest was not."""

    progress: Callable[[str], None]
    """Is told what is read next, in a few words."""
    parts: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    unknown: dict[str, str] = field(default_factory=dict[str, str])

    def part(self, part: str, what: str, read: Callable[[], Mapping[str, Any]]) -> None:
        """Reads several entries of a part at once."""
        self.progress(what)
        try:
            rows = read()
        except Exception as e:
            self.unknown[part] = reason_of(e)
        else:
            self.parts.setdefault(part, {}).update(rows)

    def entry(self, part: str, name: str, read: Callable[[], Any]) -> None:
        """Reads one entry of a part; what is not there is None."""
        self.progress(f"{part.replace('_', ' ')}: {name}")
        rows = self.parts.setdefault(part, {})
        try:
            rows[name] = read()
        except RefusedError as e:
            if e.missing:
                rows[name] = None
            else:
                self.unknown[f"{part}/{name}"] = reason_of(e)
        except Exception as e:
            self.unknown[f"{part}/{name}"] = reason_of(e)

    def facts(self, plan: ClusterPlan, account: str, now: datetime) -> AccountFacts:
        """What was read, in the form of the file. An entry that has another form than the cloud documents is unknown."""
        start: dict[str, Any] = {"provider": plan.provider, "region": plan.region, "account": account, "as_of": now}
        try:
            return AccountFacts.model_validate({**start, **self.parts, "unknown": self.unknown})
        except ValidationError as e:
            for part, name in {(str(d["loc"][0]), str(d["loc"][1])) for d in e.errors() if len(d["loc"]) > 1}:
                self.parts[part].pop(name, None)
                self.unknown[f"{part}/{name}"] = "the cloud's answer has another form than expected"
        return AccountFacts.model_validate({**start, **self.parts, "unknown": self.unknown})


def reason_of(error: Exception) -> str:
    """Why something could not be read, in one line and without secrets. Raises ReadingError where nothing can be."""
    if isinstance(error, RefusedError):
        if error.fatal:
            raise ReadingError(error.reason) from error
        return error.reason
    if isinstance(error, TimeoutError):
        return "the cloud did not answer in time"
    if isinstance(error, OSError):
        return f"the cloud cannot be reached: {printable(redacted(str(error)), 200)}"
    return f"the cloud's answer has another form than expected ({type(error).__name__}: {printable(redacted(str(error)), 120)})"
