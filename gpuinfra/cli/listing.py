"""What the listing commands share: their options, and the table, JSON or CSV that they print."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import click

from . import filters
from .filters import Filter
from .output import as_csv, as_json, note, number, usd, write
from .rows import Row

C = TypeVar("C", bound=Callable[..., Any])

_GAP = 2
FORMATS = ("text", "json", "csv")


@dataclass(frozen=True)
class Column:
    """A column of the text form."""

    title: str
    cell: Callable[[Row], str]
    right: bool = False
    rank: int = 0
    """Where a terminal is too narrow, columns of rank 1 go first, then 2, and so on; 0 stays."""
    sparse: bool = False
    """Left out where no row has anything in it."""


class AmountParam(click.ParamType):  # type: ignore[type-arg]
    """A number that can be an amount: not negative, not infinite, not 'nan'."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            amount = float(value)
        except ValueError:
            self.fail(f"'{value}' is no number", param, ctx)
        if not math.isfinite(amount) or amount < 0:
            self.fail(f"'{value}' is no amount; write a number from 0 on", param, ctx)
        return amount


AMOUNT = AmountParam()
COUNT = cast("click.ParamType[int]", click.IntRange(min=1))


def count_option(command: C) -> C:
    """--count."""
    return click.option("--count", type=COUNT, metavar="N", help="Only types with that many GPUs.")(command)


def arch_option(command: C) -> C:
    """--arch, of a CPU."""
    return click.option(
        "--arch", metavar="ARCH", help="CPU architecture: x86_64 (also amd64) or arm64 (also aarch64)."
    )(command)


def format_option(command: C) -> C:
    """--format text, json or csv."""
    return click.option(
        "--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True, help="Form of the output."
    )(command)


def provider_option(command: C) -> C:
    """--provider."""
    return click.option(
        "--provider", metavar="NAME", help="Only this cloud: aws, gcp, azure, or another of the tables."
    )(command)


def gpu_option(command: C) -> C:
    """--gpu."""
    return click.option("--gpu", metavar="MODEL", help="Only this GPU, or each form of it: H100, A100-80GB.")(command)


def region_option(command: C) -> C:
    """--region."""
    return click.option("--region", metavar="NAME", help="Only this region.")(command)


def type_option(command: C) -> C:
    """--type."""
    return click.option("--type", "instance_type", metavar="NAME", help="Only this instance type.")(command)


def text(column: str) -> Callable[[Row], str]:
    """The column as it stands; unknown is a question mark, so that it is never taken for zero or no."""

    def cell(row: Row) -> str:
        value = row.get(column)
        if value is None or value == []:
            return "?"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, (list, tuple)):
            return " ".join(str(v) for v in value)  # type: ignore[misc]
        return number(value) if isinstance(value, float) else str(value)

    return cell


def retired(row: Row) -> str:
    """Since when the cloud no longer deploys the type: the date, 'yes' where none was read, else nothing."""
    return str(row["retired_on"] or "yes") if row["retired"] else ""


def date(column: str) -> Callable[[Row], str]:
    """The date in the column; 'undated' where its source has none."""
    return lambda row: str(row.get(column) or row.get("as_of_basis") or "?").partition(" ")[0]


def money(column: str) -> Callable[[Row], str]:
    """The price in the column; a derived one is marked with ~, an unknown one is a question mark."""

    def cell(row: Row) -> str:
        value = row.get(column)
        if value is None:
            return "?"
        mark = "~" if row.get("estimate") and column.startswith("on_demand") else ""
        return mark + usd(float(value))

    return cell


@dataclass(frozen=True)
class Apart:
    """Rows that are no entries of a list, and what is said of them after it."""

    takes: Callable[[Row], bool]
    say: Callable[[Sequence[Row], str], None]


def show(
    table: Sequence[Row],
    wanted: Sequence[Filter],
    columns: Sequence[Column],
    format_: str,
    *,
    order: Callable[[Row], Any] | None = None,
    apart: Apart | None = None,
) -> int:
    """Prints the rows that the filters keep and returns the exit status: 2 for a filter's value that occurs nowhere.

    Rows that `apart` takes are known to the filters, and stand in no form's list.
    """
    try:
        rows = filters.apply(table, wanted)
    except filters.UnknownValueError as e:
        note(f"error: {e}")
        return 2
    aside = [row for row in rows if apart and apart.takes(row)]
    rows = [row for row in rows if row not in aside] if aside else rows
    if order:
        rows = sorted(rows, key=order)
    if not rows and not aside:
        note(filters.why_empty(table, wanted))
    if format_ == "json":
        write(as_json(rows))
    elif format_ == "csv":
        write(as_csv(list(table[0]) if table else [], rows))
    elif rows:
        write_table(columns, rows)
    if apart and aside:
        apart.say(aside, format_)
    return 0


def write_table(columns: Sequence[Column], rows: Sequence[Row]) -> None:
    """Prints the rows as a table."""
    write(table_text(columns, rows))


def table_text(columns: Sequence[Column], rows: Sequence[Row]) -> str:
    """The rows as a table: as wide as the terminal; where nobody looks, one line a row whatever the width."""
    from .console import console, plain_table

    out = console(sys.stdout)
    cells = {column: [column.cell(row) for row in rows] for column in columns}
    cells = {column: texts for column, texts in cells.items() if not column.sparse or any(texts)}
    shown = _fitting(cells, out.width)
    table = plain_table()
    for column in shown:
        table.add_column(column.title, justify="right" if column.right else "left", overflow="fold")
    for line in zip(*(cells[column] for column in shown), strict=True):
        table.add_row(*line)
    with out.capture() as captured:
        out.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    if len(shown) < len(cells):
        dropped = ", ".join(column.title for column in cells if column not in shown)
        lines += ["", f"The terminal is too narrow for: {dropped}. A wider one or --format csv shows every column."]
    return "\n".join(lines) + "\n"


def _fitting(cells: dict[Column, list[str]], width: int) -> list[Column]:
    """The columns for which there is room, in order."""
    needed = {c: max(len(text) for text in (c.title, *texts)) + _GAP for c, texts in cells.items()}
    shown = list(cells)
    for rank in sorted({c.rank for c in cells} - {0}):
        if sum(needed[c] for c in shown) <= width + _GAP:
            break
        shown = [c for c in shown if c.rank != rank]
    return shown
