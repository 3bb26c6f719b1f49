"""The one place that reads a clock for what is planned and judged, where the caller named no moment. It stands apart from the
plan, whose models take a while to import: every command may ask for the moment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime

NOW_VARIABLE = "GPUINFRA_NOW"
"""A moment that stands for the current one: a simulated world has a time of its own, which may run ahead."""


def current_moment(environment: Mapping[str, str] = os.environ) -> datetime:
    """The machine's time, or the one that the environment names in its place. Raises ValueError where that is none."""
    named = environment.get(NOW_VARIABLE)
    if named:
        from .spec.quantities import QuantityError, parse_moment

        try:
            return parse_moment(named)
        except QuantityError as e:
            raise ValueError(
                f"{NOW_VARIABLE}: '{named}' is not a moment with an offset, as 2026-12-05T18:00:00Z"
            ) from e
    return datetime.now(UTC)
