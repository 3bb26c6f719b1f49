"""Prices of instances: one file a cloud, indexed once, parsed row by row.

A price table may be a hundred times longer than any other, so its lines stay lines: one pass finds region and type by
their commas, and a line is parsed when it is asked for.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from ..vocabulary import Provider
from .models import Price
from .reading import CatalogError, Row, Table, header

_FIRST = ["provider", "region", "instance_type"]
EVERYWHERE = "*"


class PriceLines:
    """The lines of a price file by region and type. A folder without the file has no prices.

    Refused when read: another order of the first three columns, a line without a source (the last column), a type that
    has two prices in one region. Each cell is checked when its line is parsed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns: dict[str, int] = {}
        self._at: dict[str, tuple[int, str]] = {}
        self._regions: dict[str, None] = {}
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except FileNotFoundError:
            return
        except UnicodeDecodeError as error:
            raise CatalogError(path, 1, f"is not UTF-8: {error.reason} at byte {error.start}") from None
        self.columns = header(path, lines[0].split(","))
        names = list(self.columns)
        if names[:3] != _FIRST or names[-1] != "source":
            raise CatalogError(path, 1, f"the columns of a price table begin with {','.join(_FIRST)} and end with source")
        self._index(lines)

    def _index(self, lines: list[str]) -> None:
        at, regions = self._at, self._regions
        for number, line in enumerate(lines[1:], 2):
            if not line:
                continue
            if line[-1] == ",":
                raise CatalogError(self.path, number, "the row has no source")
            try:
                # The key keeps the comma: a slice of the line is cheaper than a tuple of two texts.
                begin = line.index(",") + 1
                middle = line.index(",", begin)
                key = line[begin : line.index(",", middle + 1)]
            except ValueError:
                raise CatalogError(self.path, number, f"fewer cells than the header has columns: {line[:60]!r}") from None
            if key in at:
                raise CatalogError(self.path, number, f"repeats line {at[key][0]}: {key}")
            at[key] = (number, line)
            regions[line[begin:middle]] = None

    @property
    def regions(self) -> tuple[str, ...]:
        """Every region that a row names, in table order."""
        return tuple(self._regions)

    def find(self, region: str, name: str) -> Row | None:
        """The row of a type in a region."""
        found = self._at.get(f"{region},{name}")
        return self._row(*found) if found else None

    def __iter__(self) -> Iterator[Row]:
        for number, line in self._at.values():
            yield self._row(number, line)

    def _row(self, number: int, line: str) -> Row:
        cells = next(csv.reader([line]))
        if len(cells) != len(self.columns):
            raise CatalogError(
                self.path, number, f"{len(cells)} cells where the header has {len(self.columns)} columns"
            )
        row = Row(self.path, number, self.columns, cells)
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
