"""Filters of the listing commands: what each keeps, and what to say when nothing is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..diagnostics import nearest
from .output import number
from .rows import Row


@dataclass(frozen=True)
class Filter:
    """One option of a listing. `values` are a row's own, in the terms of the option."""

    option: str
    wanted: Any
    values: Callable[[Row], Iterable[Any]]
    keep: Callable[[Any], bool]
    closed: bool = False
    """The value must occur somewhere in the table: another is a slip of the pen."""
    also_known: tuple[str, ...] = ()
    """Words that may be meant though no row has them as they stand."""

    def keeps(self, row: Row) -> bool:
        return any(self.keep(v) for v in self.values(row))


class UnknownValueError(Exception):
    """A filter's value that occurs nowhere in the table. The text names the nearest ones."""


def one_of(option: str, wanted: str | None, column: str) -> list[Filter]:
    """The column equals the wanted word, case aside."""
    if wanted is None:
        return []
    fold = wanted.casefold()
    return [Filter(option, wanted, _column(column), lambda v: str(v).casefold() == fold, closed=True)]


def among(option: str, wanted: str | None, column: str) -> list[Filter]:
    """The list in the column holds the wanted word, case aside."""
    if wanted is None:
        return []
    fold = wanted.casefold()
    return [Filter(option, wanted, lambda r: r[column] or [], lambda v: str(v).casefold() == fold, closed=True)]


_SAME_ARCH = {
    "amd64": "x86_64",
    "x86-64": "x86_64",
    "x64": "x86_64",
    "aarch64": "arm64",
    "arm_64": "arm64",
    "arm": "arm64",
}
"""Spellings of the two CPU architectures in package and container names."""


def cpu_arch(wanted: str | None) -> str | None:
    """The catalog's spelling of a CPU architecture; another word stays as it is."""
    return None if wanted is None else _SAME_ARCH.get(wanted.casefold(), wanted)


def contains(option: str, wanted: str | None, column: str) -> list[Filter]:
    """The column holds the wanted text, case aside."""
    if wanted is None:
        return []
    fold = wanted.casefold()
    return [Filter(option, wanted, _column(column), lambda v: fold in str(v).casefold(), closed=True)]


def version(option: str, wanted: str | None, column: str) -> list[Filter]:
    """The column is the wanted version or one inside it: 12 and 12.8 keep 12.8.1."""
    if wanted is None:
        return []
    return [
        Filter(option, wanted, _column(column), lambda v: v == wanted or str(v).startswith(f"{wanted}."), closed=True)
    ]


def gpu_model(option: str, wanted: str | None, models: Iterable[str], column: str = "gpu_model") -> list[Filter]:
    """That model; for a family (H100, A100) each of its forms."""
    if wanted is None:
        return []
    fold = wanted.casefold()
    known = tuple(models)
    families = tuple({m.partition("-")[0] for m in known if "-" in m})
    exact = any(m.casefold() == fold for m in known)

    def keep(value: Any) -> bool:
        model = str(value).casefold()
        return model == fold or (not exact and model.startswith(f"{fold}-"))

    return [Filter(option, wanted, _column(column), keep, closed=True, also_known=families)]


def exactly(option: str, wanted: float | None, column: str) -> list[Filter]:
    """The number in the column is the wanted one."""
    return [] if wanted is None else [Filter(option, wanted, _column(column), lambda v: v == wanted)]


def at_least(option: str, wanted: float | None, column: str) -> list[Filter]:
    """The number in the column is the wanted one or more. Unknown is not kept."""
    return [] if wanted is None else [Filter(option, wanted, _column(column), lambda v: v >= wanted)]


def at_most(option: str, wanted: float | None, column: str) -> list[Filter]:
    """The number in the column is the wanted one or less. Unknown is not kept."""
    return [] if wanted is None else [Filter(option, wanted, _column(column), lambda v: v <= wanted)]


def _column(column: str) -> Callable[[Row], Iterable[Any]]:
    return lambda row: () if row.get(column) is None else (row[column],)


def apply(rows: Sequence[Row], filters: Sequence[Filter]) -> list[Row]:
    """Rows that every filter keeps. Raises UnknownValueError for a word that occurs nowhere."""
    for f in filters:
        if f.closed and not any(f.keeps(row) for row in rows):
            raise UnknownValueError(_unknown(f, rows))
    return [row for row in rows if all(f.keeps(row) for f in filters)]


def _unknown(f: Filter, rows: Sequence[Row]) -> str:
    known = sorted({str(v) for row in rows for v in f.values(row)})
    near = nearest(f.wanted, (*f.also_known, *known))
    if near:
        return f"{f.option}: '{f.wanted}' is not known here; did you mean {' or '.join(near)}?"
    most = 12 if sum(map(len, known[:12])) < 200 else 3
    few = ", ".join(known) if len(known) <= most else f"{', '.join(known[:most])} and {len(known) - most} more"
    return f"{f.option}: '{f.wanted}' is not known here; known: {few}"


def why_empty(rows: Sequence[Row], filters: Sequence[Filter]) -> str:
    """Why nothing is left, and the nearest value of a filter with which something would be."""
    for f in sorted(filters, key=lambda f: f.closed):
        others = [g for g in filters if g is not f]
        left = [row for row in rows if all(g.keeps(row) for g in others)]
        values = {v for row in left for v in f.values(row)}
        if values:
            return f"nothing matches. The nearest: {f.option} {_nearest_value(f.wanted, values)}, with the other filters as they are"
    return "nothing matches" + ("; take a filter away" if filters else "")


def _nearest_value(wanted: Any, values: set[Any]) -> str:
    if isinstance(wanted, (int, float)):
        best = min(values, key=lambda v: (abs(v - wanted), v))
        return number(float(best))
    known = sorted(str(v) for v in values)
    near = nearest(str(wanted), known)
    return " or ".join(near or known[:3])
