"""The findings that an old stack is known to have: new ones count, those do not, and those that went away are said."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from ..diagnostics import Code, Diagnostic, Severity, Source, Suppressed, Suppression
from ..spec.reading import shown_file

FORM = "gpuinfra-baseline/v1"
_MAX_BYTES = 64 * 2**20
"""A finding takes 300 bytes."""

BROKEN = Code(
    "GI1070",
    "baseline-unreadable",
    Severity.ERROR,
    "A baseline that is missing, cut short, or of another tool.",
    why="Without it every old finding counts, and with half of it some do: neither is what was asked for.",
    fix="Write it anew with --write-baseline FILE, and look at what has changed.",
)
GONE = Code(
    "GI1071",
    "baseline-entry-gone",
    Severity.INFO,
    "An entry of the baseline that no longer occurs.",
    why="The fault is mended; while the entry stays, the same fault may come back unseen.",
    fix="Write the baseline anew with --write-baseline FILE.",
)
CODES = (BROKEN, GONE)


@dataclass(frozen=True)
class Entry:
    """One known finding."""

    code: str
    file: str
    path: str
    resource: str
    type: str

    @property
    def fingerprint(self) -> str:
        """The same for a finding of one code at one place, whatever its words and its line."""
        text = "\0".join((self.code, self.file, self.path, self.resource, self.type))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def where(self) -> str:
        return self.path or self.resource or self.file or "the whole document"


@dataclass(frozen=True)
class Baseline:
    """The known findings, each with how often it occurs."""

    file: str
    entries: Mapping[Entry, int] = field(default_factory=dict[Entry, int])


def entry_of(d: Diagnostic, file: str) -> Entry:
    """The entry that stands for a finding of a file."""
    return Entry(d.code, file, d.path, d.resource, d.resource_type)


def fingerprint(d: Diagnostic, file: str) -> str:
    """The print of a finding that outlives new words and other lines."""
    return entry_of(d, file).fingerprint


def known_as(file: str, baseline: str) -> str:
    """A file as a baseline names it: from the baseline's own folder, with slashes. Standard input has no name."""
    if file in ("", "-"):
        return ""
    return os.path.relpath(os.path.abspath(file), os.path.dirname(os.path.abspath(baseline))).replace(os.sep, "/")


def written(found: Iterable[tuple[Diagnostic, str]], baseline: str) -> str:
    """The text of a baseline file that knows these findings, each with its file. An info counts for nothing and is left
    out."""
    counts = Counter(entry_of(d, known_as(file, baseline)) for d, file in found if d.severity is not Severity.INFO)
    rows = [
        {
            "code": e.code,
            "file": e.file,
            "path": e.path,
            "resource": e.resource,
            "type": e.type,
            "count": n,
            "fingerprint": e.fingerprint,
        }
        for e, n in sorted(counts.items(), key=lambda item: tuple(vars(item[0]).values()))
    ]
    return json.dumps({"form": FORM, "findings": rows}, indent=1, ensure_ascii=False) + "\n"


def read_file(path: str) -> Baseline | Diagnostic:
    """The baseline in a file, or the finding that says why there is none."""
    shown = shown_file(path)
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            said = f"the baseline cannot be used: it is larger than {_MAX_BYTES // 2**20} MiB"
            return BROKEN.at("", said).located(Source(shown))
        text = data.decode("utf-8-sig")
    except OSError as e:
        return BROKEN.at("", f"the baseline cannot be read: {e.strerror or e}").located(Source(shown))
    except ValueError:
        return BROKEN.at("", "the baseline cannot be used: it is no text").located(Source(shown))
    return read(text, path)


def read(text: str, file: str) -> Baseline | Diagnostic:
    """The baseline in a text, or the finding that says why it is none."""

    def broken(why: str, line: int = 0, column: int = 0) -> Diagnostic:
        place = Source(shown_file(file), line, column)
        return BROKEN.at("", f"the baseline cannot be used: {why}").located(place)

    try:
        data: Any = json.loads(text)
    except json.JSONDecodeError as e:
        return broken("it is empty" if not text.strip() else "it is no JSON, or cut short", e.lineno, e.colno)
    except (RecursionError, ValueError):
        return broken("it is no JSON that can be read")
    if not isinstance(data, dict) or cast("dict[str, Any]", data).get("form") != FORM:
        return broken(f"it is not a file of --write-baseline, which begins with the form {FORM}")
    rows: Any = cast("dict[str, Any]", data).get("findings")
    if not isinstance(rows, list):
        return broken("it has no list of findings")
    entries: Counter[Entry] = Counter()
    for n, row in enumerate(cast("list[Any]", rows)):
        cells: Mapping[str, Any] = cast("dict[str, Any]", row) if isinstance(row, dict) else {}
        names = [cells.get(k) for k in ("code", "file", "path", "resource", "type")]
        count = cells.get("count", 1)
        if not all(isinstance(x, str) for x in names) or not isinstance(count, int) or not 0 < count < 1_000_000:
            return broken(f"entry {n + 1} has not the keys code, file, path, resource, type and count")
        entry = Entry(*cast("list[str]", names))
        if cells.get("fingerprint", entry.fingerprint) != entry.fingerprint:
            return broken(f"entry {n + 1} ({entry.code}) was changed by hand: its fingerprint is of another place")
        entries[entry] += count
    return Baseline(file, entries)


@dataclass
class Matching:
    """Goes through the findings of a run and takes the weight of those that are known."""

    baseline: Baseline
    _left: Counter[Entry] = field(init=False)

    def __post_init__(self) -> None:
        self._left = Counter(dict(self.baseline.entries))

    def known(self, d: Diagnostic, file: str) -> Diagnostic | None:
        """The finding without its weight, where the baseline has it; one more than it has is new."""
        entry = entry_of(d, known_as(file, self.baseline.file))
        if d.severity is Severity.INFO or self._left[entry] <= 0:
            return None
        self._left[entry] -= 1
        why = Suppression(Suppressed.BASELINE, d.severity, "known from the baseline", by=self.baseline.file)
        return replace(d, severity=Severity.INFO, suppression=why)

    def of_others(self, files: Iterable[str]) -> bool:
        """Whether no entry is about any of the judged files: it is the baseline of another stack."""
        judged = {known_as(file, self.baseline.file) for file in files}
        return bool(self.baseline.entries) and not any(e.file in judged for e in self.baseline.entries)

    def gone(self, files: Iterable[str], not_judged: tuple[str, ...] = ()) -> tuple[Diagnostic, ...]:
        """A finding for each entry about one of the judged files that did not occur; of codes whose rules ran."""
        judged = {known_as(file, self.baseline.file) for file in files}
        left = [
            (e, n)
            for e, n in self._left.items()
            if n > 0 and e.file in judged and not e.code.startswith(not_judged or ("-",))
        ]
        return tuple(
            GONE.at(
                "", f"{e.code} at {e.where} is in the baseline and no longer found" + (f" ({n} times)" if n > 1 else "")
            ).located(Source(self.baseline.file))
            for e, n in sorted(left, key=lambda item: tuple(vars(item[0]).values()))
        )
