"""Ids from Python, which may be text or known only during the deployment."""

from __future__ import annotations

from collections.abc import Awaitable

import pulumi

from ..diagnostics import Diagnostic
from ..plan.arguments import wrong_type
from ..plan.network import id_finding
from ..vocabulary import Provider


def given_id_finding(
    provider: Provider, argument: str, value: object, give: str, *, subnet: bool = False
) -> Diagnostic | None:
    """A finding where a text is not the id of a network, or of a subnet; none for what is no text yet. Raises TypeError
    for any other value; `give` says what to write."""
    if isinstance(value, (pulumi.Output, Awaitable)):
        return None
    if not isinstance(value, str):
        raise wrong_type(argument, value, give)
    return id_finding(provider, argument, value, subnet=subnet)
