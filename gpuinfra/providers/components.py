"""What a component refuses before it registers anything: options that would do nothing, and names that clouds refuse."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..diagnostics import Code, Diagnostic, Severity

if TYPE_CHECKING:
    import pulumi

OPTION_WITHOUT_EFFECT = Code(
    "GI2171",
    "component-option-without-effect",
    Severity.ERROR,
    "The option does nothing on a component.",
    why="Pulumi hands providers, protect, aliases, depends_on and transforms down to the resources of a component, and "
    "drops other options without a word.",
    fix="set it on the resources that are meant, with opts.transforms",
    references=("pulumi/pulumi#8969", "pulumi/docs#17011"),
)
COMPONENT_NAME = Code(
    "GI2172",
    "component-name",
    Severity.ERROR,
    "The component's name cannot begin the names of resources.",
    why="Every resource is named after its component, and the clouds take lower-case letters, digits and hyphens.",
    fix="write lower-case letters, digits and hyphens, a letter first, at most 63",
)
CODES = (OPTION_WITHOUT_EFFECT, COMPONENT_NAME)

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
    shown = repr(name) if isinstance(name, str) else f"a {type(name).__name__}"
    guess = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-0123456789") if isinstance(name, str) else ""
    hint = f"did you mean '{guess}'?" if _NAME.fullmatch(guess) else ""
    return [COMPONENT_NAME.at("name", f"{shown} is not a component's name", hint)]
