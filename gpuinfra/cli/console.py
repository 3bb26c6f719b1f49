"""Tables and trees on a terminal. Imported only by what prints them, since rich takes a while to load."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.table import Table

from .output import terminal_width, use_colour

UNLIMITED_COLUMNS = 10_000
"""Width where no terminal sets one: a line is never broken for a program that reads on."""


def console(stream: TextIO) -> Console:
    """A console for a stream, with colour where output.use_colour says so."""
    width = terminal_width(stream) or UNLIMITED_COLUMNS
    colour = use_colour(stream)
    return Console(
        file=stream,
        width=width,
        force_terminal=colour,
        no_color=not colour,
        color_system="auto" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=False,
    )


def plain_table(*, head: bool = True) -> Table:
    """A table without a frame, which copies and pastes well."""
    return Table(box=None, show_header=head, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
