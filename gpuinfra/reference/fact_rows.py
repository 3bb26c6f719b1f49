"""The rows of the rule tables, each with the codes that stand for it, or with the reason why none does.

The table names rows by the tables' own ids (`AWS NET-16`), with a title in our words, so that the reference needs
nothing from outside. A row that only the account can decide is marked live.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ..diagnostics import Code


@dataclass(frozen=True)
class FactRow:
    """One row of a cloud's rule table."""

    row: str
    cloud: str
    live: bool
    """Whether it can be decided in full only by asking the account."""
    title: str
    """What is right."""
    reason: str
    """Why no code stands for it; empty where one does."""


@cache
def fact_rows() -> tuple[FactRow, ...]:
    """Every row, in the order of the tables."""
    text = (files("gpuinfra.reference") / "data" / "fact_rows.csv").read_text(encoding="utf-8")
    return tuple(
        FactRow(r["row"], r["cloud"], r["live"] == "yes", r["title"], r["reason"])
        for r in csv.DictReader(text.splitlines())
    )


def codes_by_row(codes: Iterable[Code]) -> dict[str, tuple[str, ...]]:
    """The codes that stand for each row, in order."""
    found: dict[str, list[str]] = {}
    for code in codes:
        for row in code.facts:
            found.setdefault(row, []).append(code.code)
    return {row: tuple(sorted(named)) for row, named in found.items()}


def fact_table(codes: Iterable[Code]) -> str:
    """The Markdown of all rows: what is right, and which codes say so when it is not."""
    by_row = codes_by_row(codes)
    out = [
        "## Rows of the rule tables\n",
        "Each row is something that is known to go wrong on a cloud. A finding in JSON names the rows that it stands "
        "for. *Live* rows can be decided in full only by asking the account.\n",
        f"{_counted(by_row)}\n",
        "| row | what is right | codes |",
        "| --- | --- | --- |",
    ]
    for r in fact_rows():
        linked = ", ".join(f"[{c}](#{c.lower()})" for c in by_row.get(r.row, ()))
        live = " *(live)*" if r.live else ""
        out.append(f"| {r.row} | {r.title}{live} | {linked or f'none: {r.reason}'} |")
    return "\n".join(out) + "\n"


def _counted(by_row: dict[str, tuple[str, ...]]) -> str:
    """How many rows have a code, by cloud."""
    rows = Counter(r.cloud for r in fact_rows())
    held = Counter(r.cloud for r in fact_rows() if r.row in by_row)
    parts = ", ".join(f"{held[c]} of {n} on {c}" for c, n in _in_order(rows))
    live = sum(r.live for r in fact_rows())
    return f"{sum(held.values())} of {sum(rows.values())} rows have a code ({parts}); {live} are live."


def _in_order(counts: Counter[str]) -> Iterator[tuple[str, int]]:
    yield from sorted(counts.items())
