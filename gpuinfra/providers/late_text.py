"""Text composed of values that only the deployment knows."""

from __future__ import annotations

import pulumi


def late_text(before: str, value: pulumi.Input[str], after: str = "") -> pulumi.Output[str]:
    """The text with the value between `before` and `after`; no text at all where there is no value.

    A user's mocks leave computed outputs out, and concatenation would fail on them or write "None".
    """

    def composed(known: str | None) -> str | None:
        return None if known is None else f"{before}{known}{after}"

    return pulumi.Output.from_input(value).apply(composed)  # pyright: ignore[reportReturnType]
