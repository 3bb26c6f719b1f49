"""What a component refuses before it registers anything: options that would do nothing, and names that clouds refuse."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..diagnostics import Diagnostic
from .findings import COMPONENT_NAME, OPTION_WITHOUT_EFFECT

if TYPE_CHECKING:
    import pulumi

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_WITHOUT_EFFECT = (
    "additional_secret_outputs",
    "custom_timeouts",
    "delete_before_replace",
    "hide_diffs",
    "id",
    "ignore_changes",
    "import_",
    "replace_on_changes",
    "replacement_trigger",
    "retain_on_delete",
    "urn",
)


def option_findings(opts: pulumi.ResourceOptions | None) -> list[Diagnostic]:
    """A finding for each option that would reach nothing."""
    found: list[Diagnostic] = []
    for option in _WITHOUT_EFFECT if opts is not None else ():
        value = getattr(opts, option, None)
        # An Output is never false, and has a truth value that means nothing.
        if value is None or (isinstance(value, (list, tuple)) and not value):
            continue
        message = f"{option.rstrip('_')} on a component reaches none of its resources"
        found.append(OPTION_WITHOUT_EFFECT.at(f"opts.{option}", message))
    return found


def name_findings(name: object) -> list[Diagnostic]:
    """A finding for a name that is not text, or not the clouds' kind of text."""
    if isinstance(name, str) and _NAME.fullmatch(name):
        return []
    # The text of an Output is a warning, and would end up in every name.
    shown = repr(name) if isinstance(name, str) else f"a value of type {type(name).__name__}"
    guess = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-0123456789") if isinstance(name, str) else ""
    hint = f"did you mean '{guess}'?" if _NAME.fullmatch(guess) else ""
    return [COMPONENT_NAME.at("name", f"{shown} is not a component's name", hint)]
