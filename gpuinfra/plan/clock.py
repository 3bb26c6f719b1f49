"""The one place that reads a clock for a plan, where the caller named no moment."""

from __future__ import annotations

import os
from datetime import UTC, datetime

NOW_VARIABLE = "GPUINFRA_NOW"
"""A moment that stands for the current one: a simulated world has a time of its own, which may run ahead."""


def current_moment() -> datetime:
    """The machine's time, or the one that the environment names in its place."""
    named = os.environ.get(NOW_VARIABLE)
    if named:
        from ..spec.quantities import QuantityError, parse_moment

        try:
            return parse_moment(named)
        except QuantityError as e:
            raise ValueError(
                f"{NOW_VARIABLE}: '{named}' is not a moment with an offset, as 2026-12-05T18:00:00Z"
            ) from e
    return datetime.now(UTC)
