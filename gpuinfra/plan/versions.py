"""Dotted versions of drivers and toolkits, compared with three answers: yes, no, and cannot tell."""

from __future__ import annotations

import re
from functools import lru_cache

_VERSION = re.compile(r"v?(\d+(?:\.\d+)*)")


@lru_cache(maxsize=4096)
def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version: (580, 65, 6) for 580.65.06. Empty where the text is not a version.

    What follows the numbers is dropped (2.6.0a0+df5bbc0 is 2.6.0): build marks do not order releases.
    """
    match = _VERSION.match(version.strip())
    if not match:
        return ()
    # A version names a few digits; a longer run is no version and would cost time to convert.
    parts = match[1].split(".")
    return tuple(int(p) for p in parts) if all(len(p) <= 9 for p in parts) else ()


def minor(version: str) -> tuple[int, int] | None:
    """Major and minor of a version, (12, 8) for 12.8.0.038; None where it has fewer than two numbers."""
    found = numbers(version)
    return (found[0], found[1]) if len(found) >= 2 else None


@lru_cache(maxsize=4096)
def at_least(have: str, need: str) -> bool | None:
    """Whether version `have` is `need` or newer. None where it cannot be told.

    A shorter `have` names a whole branch: 580 is at least 580 and 575.57, and cannot be told from 580.65.06.
    """
    mine, wanted = numbers(have), numbers(need)
    if not mine or not wanted:
        return None
    shared = min(len(mine), len(wanted))
    if mine[:shared] != wanted[:shared]:
        return mine[:shared] > wanted[:shared]
    return True if len(mine) >= len(wanted) or not any(wanted[shared:]) else None


def newest_first(version: str) -> tuple[int, ...]:
    """A sort key that puts the newest version first and text without a version last."""
    return (*(-n for n in numbers(version)), 1)
