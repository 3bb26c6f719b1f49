"""Reading of tables: CSV with a header, one row a fact, each row with its source and date.

CSV because the csv module parses it in C at more than a million cells a second, and one fact a line diffs well. Cells
stay text until somebody asks for them, so a look-up pays for the row that it returns and for no other.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

E = TypeVar("E", bound=StrEnum)

_YES_NO = {"yes": True, "no": False, "": None}


def _is_whole(cell: str) -> bool:
    return cell.isascii() and cell.isdigit()


class CatalogError(ValueError):
    """A table that cannot be trusted: says file, line and what is wrong. A defect of the data, not of the user."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        self.path = path
        self.line = line
        self.message = message
        super().__init__(f"{path}:{line}: {message}")


class Row:
    """One line of a table. Reads raise CatalogError with file and line when a cell is not what it should be."""

    __slots__ = ("cells", "columns", "line", "path")

    def __init__(self, path: Path, line: int, columns: dict[str, int], cells: list[str]) -> None:
        self.path = path
        self.line = line
        self.columns = columns
        self.cells = cells

    def refuse(self, message: str) -> CatalogError:
        """The error that names this line."""
        return CatalogError(self.path, self.line, message)

    def text(self, column: str) -> str:
        """The cell as it stands; empty where unknown, or where this table has no such column."""
        at = self.columns.get(column)
        return "" if at is None else self.cells[at]

    def number(self, column: str) -> float | None:
        """A number; None where unknown."""
        cell = self.text(column)
        if not cell:
            return None
        try:
            found = float(cell)
        except ValueError:
            raise self.refuse(f"column {column}: {cell!r} is not a number") from None
        if not 0 <= found < float("inf"):  # also refuses nan
            raise self.refuse(f"column {column}: {cell!r} is not a number of 0 or more")
        return found

    def integer(self, column: str) -> int | None:
        """A whole number; None where unknown."""
        cell = self.text(column)
        if not cell:
            return None
        if not _is_whole(cell):
            raise self.refuse(f"column {column}: {cell!r} is not a whole number")
        return int(cell)

    def needed_integer(self, column: str) -> int:
        """A whole number that must be known."""
        found = self.integer(column)
        if found is None:
            raise self.refuse(f"column {column} is empty, and must be known here")
        return found

    def needed_number(self, column: str) -> float:
        """A number that must be known."""
        found = self.number(column)
        if found is None:
            raise self.refuse(f"column {column} is empty, and must be known here")
        return found

    def needed_text(self, column: str) -> str:
        """A text that must be known."""
        found = self.text(column)
        if not found:
            raise self.refuse(f"column {column} is empty, and must be known here")
        return found

    def flag(self, column: str) -> bool | None:
        """yes or no; None where unknown."""
        cell = self.text(column)
        if cell not in _YES_NO:
            raise self.refuse(f"column {column}: {cell!r} is neither yes nor no")
        return _YES_NO[cell]

    def needed_flag(self, column: str) -> bool:
        """yes or no, and it must be known."""
        found = self.flag(column)
        if found is None:
            raise self.refuse(f"column {column} is empty, and must be yes or no here")
        return found

    def items(self, column: str) -> tuple[str, ...]:
        """A list whose entries are parted by semicolons; empty where unknown."""
        cell = self.text(column)
        return tuple(cell.split(";")) if cell else ()

    def integers(self, column: str) -> tuple[int, ...]:
        """A list of whole numbers, where 1-16 stands for all from 1 to 16."""
        found: list[int] = []
        for item in self.items(column):
            first, dash, last = item.partition("-")
            if not _is_whole(first) or (dash and not _is_whole(last)):
                raise self.refuse(f"column {column}: {item!r} is neither a whole number nor a range of them")
            found.extend(range(int(first), int(last) + 1) if dash else (int(first),))
        return tuple(found)

    def word(self, column: str, words: type[E]) -> E:
        """One word of an enum."""
        cell = self.text(column)
        try:
            return words(cell)
        except ValueError:
            known = ", ".join(words)
            raise self.refuse(f"column {column}: {cell!r} is none of {known}") from None


class Table:
    """The rows of one file, checked for shape when it is read: every row has each column, a source and a date.

    A row without a date must say so itself: as_of_basis `undated`. A folder without the file is a table without rows
    (not every cloud has every table).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns: dict[str, int] = {}
        self._lines: list[tuple[int, list[str]]] = []
        self._read()

    def _read(self) -> None:
        try:
            with self.path.open(encoding="utf-8", newline="") as file:
                self._take(csv.reader(file, strict=True))
        except FileNotFoundError:
            return
        except UnicodeDecodeError as error:
            raise CatalogError(self.path, 1, f"is not UTF-8: {error.reason} at byte {error.start}") from None

    def _take(self, reader: Iterator[list[str]]) -> None:
        line = 0
        try:
            for cells in reader:
                line = getattr(reader, "line_num", line + 1)
                if self.columns:
                    self._check(line, cells)
                    self._lines.append((line, cells))
                else:
                    self.columns = header(self.path, cells)
        except csv.Error as error:
            raise CatalogError(self.path, getattr(reader, "line_num", line), str(error)) from None
        if not self.columns:
            raise CatalogError(self.path, 1, "has no header")

    def _check(self, line: int, cells: list[str]) -> None:
        columns = self.columns
        if len(cells) != len(columns):
            raise CatalogError(self.path, line, f"{len(cells)} cells where the header has {len(columns)} columns")
        if not cells[columns["source"]].strip():
            raise CatalogError(self.path, line, "the row has no source")
        if not cells[columns["as_of"]]:
            basis = columns.get("as_of_basis")
            if basis is None or cells[basis] != "undated":
                raise CatalogError(self.path, line, "the row has no date: give as_of, or as_of_basis undated")
        weak = columns.get("weak")
        if weak is not None and cells[weak]:
            for name in cells[weak].split(";"):
                if name not in columns:
                    raise CatalogError(self.path, line, f"column weak: {name!r} is no column of this table")

    def __iter__(self) -> Iterator[Row]:
        for line, cells in self._lines:
            yield Row(self.path, line, self.columns, cells)

    def __len__(self) -> int:
        return len(self._lines)

    def by(self, *columns: str) -> dict[tuple[str, ...], Row]:
        """The rows by the cells of some columns; two rows with one key are refused."""
        found: dict[tuple[str, ...], Row] = {}
        for row in self:
            key = tuple(row.needed_text(column) for column in columns)
            if key in found:
                raise row.refuse(f"repeats line {found[key].line}: {', '.join(key)}")
            found[key] = row
        return found

    def dicts(self) -> Iterator[dict[str, str]]:
        """The rows as they stand in the file, by column name."""
        for _, cells in self._lines:
            yield dict(zip(self.columns, cells, strict=True))


def header(path: Path, cells: list[str]) -> dict[str, int]:
    """Where each column is. Refused: no header, a column twice, none for source or date."""
    columns = {name: at for at, name in enumerate(cells)}
    if len(columns) != len(cells) or not all(cells):
        raise CatalogError(path, 1, "the header repeats a column or leaves one without a name")
    for needed in ("source", "as_of"):
        if needed not in columns:
            raise CatalogError(
                path, 1, f"the header has no column {needed}: each row must say where it was read, and when"
            )
    return columns
