"""Reads the templates. Only facts of tables enter a template; what users write never does (`cluster_facts`)."""

from __future__ import annotations

import shlex
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).with_name("templates")
Value = str | bool | tuple[str, ...] | tuple[object, ...]


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        comment_start_string="{##",  # the usual {# is how bash asks for a length
        comment_end_string="##}",
        autoescape=False,  # the results are scripts, and every value is a constant of ours
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["sh"] = shlex.quote  # pyright: ignore[reportUnknownMemberType]
    return environment


@cache
def render(template: str, **values: Value) -> str:
    """The text of a template: ASCII, one newline at its end. A value that the template lacks is an error."""
    return _environment().get_template(template).render(**values).rstrip("\n") + "\n"
