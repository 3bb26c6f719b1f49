"""Examples of the codes that no rule gives, or why one has none: what rules carry in their own files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml

_FILE = Path(__file__).parent / "data" / "examples.yaml"


@dataclass(frozen=True)
class WrittenExample:
    """What a code catches and what it lets pass; or why there is no example."""

    caught: str = ""
    right: str = ""
    none: str = ""


@cache
def written_examples() -> Mapping[str, WrittenExample]:
    """The examples by code."""
    data = cast("dict[str, Any]", yaml.safe_load(_FILE.read_text("utf-8")))
    return {code: WrittenExample(**cells) for code, cells in data.items()}


def shown_examples(code: str) -> tuple[tuple[str, str], ...]:
    """Titles and texts of a code's examples."""
    example = written_examples().get(code)
    if example is None or example.none:
        return ()
    where = "in a file" if code.startswith("GI1") else "laid over a right spec"
    return ((f"Caught ({where})", _seen(example.caught)), (f"Right ({where})", _seen(example.right)))


def _seen(text: str) -> str:
    """The text with what cannot be seen spelled out."""
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode("ascii") for c in text)
