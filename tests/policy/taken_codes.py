"""The codes that are taken, with their slugs: `python -m tests.policy.taken_codes` adds those that are new."""

from __future__ import annotations

import csv
from pathlib import Path

from gpuinfra.reference.codes import all_codes

LIST = Path(__file__).with_name("taken_codes.csv")


def taken() -> dict[str, str]:
    """Slug by code, of every code that was ever there."""
    with LIST.open(encoding="utf-8", newline="") as lines:
        return {row["code"]: row["slug"] for row in csv.DictReader(lines)}


def add_new() -> tuple[str, ...]:
    """Adds codes that the list lacks, and returns them. What stands there is never changed."""
    known = taken() if LIST.exists() else {}
    new = {code: c.slug for code, c in all_codes().items() if code not in known}
    with LIST.open("w", encoding="utf-8", newline="\n") as out:
        out.write("code,slug\n")
        out.writelines(f"{code},{slug}\n" for code, slug in sorted({**new, **known}.items()))
    return tuple(sorted(new))


if __name__ == "__main__":
    print("\n".join(add_new()) or "no new code")
