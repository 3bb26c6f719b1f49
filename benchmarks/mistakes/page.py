"""The page of results, `docs/reference/mistakes.md`: each part between its own marks, written by the script that measured it."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "mistakes.md"
_HEAD = """\
# Mistakes, and who sees them

This page is written by `python -m benchmarks.mistakes --peers --write` and `python -m benchmarks mutations --write`:
change the cases or the rules and run them, not this page.
"""


def put(part: str, text: str, page: Path = PAGE) -> None:
    """Puts a part on the page in place of its last version, or at the end."""
    old = page.read_text(encoding="utf-8") if page.exists() else _HEAD
    begin, end = f"<!-- {part} -->", f"<!-- end of {part} -->"
    whole = f"{begin}\n{text.strip()}\n{end}"
    found = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
    new = found.sub(lambda _: whole, old) if found.search(old) else f"{old.rstrip()}\n\n{whole}\n"
    page.write_text(new, encoding="utf-8", newline="\n")
