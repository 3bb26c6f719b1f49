"""Prices of instances: one file a cloud, indexed once, parsed row by row.

A price table may be a hundred times longer than any other, so its lines stay lines: one pass finds region and type by
their commas, and a line is parsed when it is asked for.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from ..vocabulary import Provider
from .models import Price
from .reading import CatalogError, Row, Table, header

_FIRST = ["provider", "region", "instance_type"]
EVERYWHERE = "*"
# Region and type of a line whose last cell, the source, is not empty.
_LINE = re.compile(r"^[^,\n]*,([^,\n]*,[^,\n]*),.*[^,\n]$", re.MULTILINE)


class PriceLines:
    """The lines of a price file by region and type. A folder without the file has no prices.

    Refused when read: another order of the first three columns, a line without a source (the last column), a type that
    has two prices in one region. Each cell is checked when its line is parsed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns: dict[str, int] = {}
        self._lines: list[str] = []
        self._at: dict[str, int] = {}
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return
        except UnicodeDecodeError as error:
            raise CatalogError(path, 1, f"is not UTF-8: {error.reason} at byte {error.start}") from None
        self.index(text)

    def index(self, text: str) -> None:
        """Every line after the header is found by its region and type."""
        self._lines = text.removesuffix("\n").split("\n")
        self.columns = header(self.path, self._lines[0].split(","))
        names = list(self.columns)
        if names[:3] != _FIRST or names[-1] != "source":
            order = ",".join(_FIRST)
            raise CatalogError(self.path, 1, f"the columns of a price table begin with {order} and end with source")
        # One pass of the regular expression engine over the whole text takes half the time of a loop over its lines.
        keys = _LINE.findall(text, len(self._lines[0]))
        self._at = dict(zip(keys, range(1, len(keys) + 1), strict=True))
        if not len(self._at) == len(keys) == len(self._lines) - 1:
            raise self._faulty()

    def _faulty(self) -> CatalogError:
        seen: dict[str, int] = {}
        for number, line in enumerate(self._lines[1:], 2):
            cells = line.split(",", 3)
            if len(cells) < 4:
                return CatalogError(self.path, number, f"fewer cells than the header has columns: {line[:60]!r}")
            if line.endswith(","):
                return CatalogError(self.path, number, "the row has no source")
            key = f"{cells[1]},{cells[2]}"
            if key in seen:
                return CatalogError(self.path, number, f"repeats line {seen[key]}: {key}")
            seen[key] = number
        return CatalogError(self.path, 1, "cannot be parted into lines")

    @property
    def regions(self) -> tuple[str, ...]:
        """Every region that a row names, in table order."""
        return tuple(dict.fromkeys(key.partition(",")[0] for key in self._at))

    def find(self, region: str, name: str) -> Row | None:
        """The row of a type in a region."""
        at = self._at.get(f"{region},{name}")
        return None if at is None else self._row(at)

    def __iter__(self) -> Iterator[Row]:
        for at in self._at.values():
            yield self._row(at)

    def _row(self, at: int) -> Row:
        cells = next(csv.reader([self._lines[at]]))
        if len(cells) != len(self.columns):
            raise CatalogError(
                self.path, at + 1, f"{len(cells)} cells where the header has {len(self.columns)} columns"
            )
        row = Row(self.path, at + 1, self.columns, cells)
        if not row.text("as_of") and row.text("as_of_basis") != "undated":
            raise row.refuse("the row has no date: give as_of, or as_of_basis undated")
        return row


class Prices:
    """The prices of one cloud: those that were read, and those that follow from another size of the family."""

    def __init__(self, folder: Path) -> None:
        self._read = PriceLines(folder / "prices.csv")
        self._derived_path = folder / "prices_derived.csv"
        self._derived: dict[tuple[str, ...], Row] | None = None

    @property
    def regions(self) -> tuple[str, ...]:
        """Every region with a price that was read."""
        return tuple(r for r in self._read.regions if r != EVERYWHERE)

    def find(self, region: str, name: str) -> Price | None:
        """The price in a region: read there, else derived, else the list price that holds everywhere; else None."""
        row = self._read.find(region, name)
        if row is None:
            derived = self._derivation(region, name)
            if derived is not None:
                return derived
            row = self._read.find(EVERYWHERE, name)
        return None if row is None else price(row)

    def _derivation(self, region: str, name: str) -> Price | None:
        if self._derived is None:
            self._derived = Table(self._derived_path).by("region", "instance_type")
        row = self._derived.get((region, name))
        return None if row is None else price(row)

    def __iter__(self) -> Iterator[Price]:
        for row in self._read:
            yield price(row)


def price(row: Row) -> Price:
    """A price; an estimate where the row says by which method it was derived."""
    method = row.text("method")
    basis = row.text("basis_instance_type")
    return Price(
        provider=row.word("provider", Provider),
        region=row.needed_text("region"),
        instance_type=row.needed_text("instance_type"),
        on_demand_usd_hour=_money(row, "on_demand_usd_hour"),
        spot_usd_hour=_money(row, "spot_usd_hour"),
        as_of=row.text("as_of"),
        as_of_basis=row.text("as_of_basis"),
        spot_as_of=row.text("spot_as_of"),
        source=row.text("source"),
        estimate=bool(method),
        estimate_method=f"{method} (basis {basis})" if method else "",
        spot_weak="spot_usd_hour" in row.items("weak"),
    )


def _money(row: Row, column: str) -> float | None:
    found = row.number(column)
    if found == 0:
        raise row.refuse(f"column {column}: a price of 0 is no price; leave the cell empty where it is unknown")
    return found
