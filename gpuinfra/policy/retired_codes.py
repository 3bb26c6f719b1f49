"""Codes that no rule has any more. They stay taken: a waiver or a baseline may name them, and a code means one thing for ever."""

from __future__ import annotations

from typing import NamedTuple


class RetiredCode(NamedTuple):
    """A code that was withdrawn."""

    code: str
    slug: str
    since: str
    """The day it was withdrawn."""
    instead: str
    """The code that says it now; empty where none does."""


RETIRED: tuple[RetiredCode, ...] = (RetiredCode("GI2174", "request-outlives-end", "2026-11-30", ""),)
