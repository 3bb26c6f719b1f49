"""A waiver that covers nothing.

What: A waiver in force names a code that does not exist, a place that no spec has, or a finding that is not there.
Severity: warning for a code that does not exist
Why: The cause may be mended; or the path is mistyped, and the finding that was meant still counts.
Fix: Remove the waiver, or give the code and the path of the finding as `gpuinfra check` shows them.
References: none
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from typing import Any, cast

from pydantic import BaseModel

from ....diagnostics import Diagnostic, Severity, did_you_mean
from ....spec.models import ClusterSpec
from ....spec.paths import parse_path
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2281", "waiver-unused", Severity.INFO, __doc__)
_NOT_HERE = ("GI3", "GI4", "GI9")
"""Beginnings of the codes about resources and the account, and of an organisation's own, which do not run here."""


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each waiver. What resources and the account are found to be is not known here, so a waiver of it
    is let be; so is one of a code that this layer cannot look for."""
    today = ctx.now.astimezone(UTC).date()
    # Imported here: the registry imports this module.
    from ...organisation import is_known
    from ...registry import house_codes

    for n, waiver in enumerate(ctx.plan.spec.waivers):
        if waiver.expires < today:
            continue
        if not is_known(waiver.code):
            known = house_codes()
            hint = (
                did_you_mean(waiver.code, sorted(c for c in known if c[:3] == waiver.code[:3]))
                or "give the code as gpuinfra check shows it"
            )
            yield CODE.at(
                f"waivers[{n}].code", f"{waiver.code} is the code of no finding", hint, severity=Severity.WARNING
            )
            continue
        if waiver.code.startswith(_NOT_HERE) or waiver.code == CODE.code:
            continue
        if waiver.path is not None and not _is_place(ctx.plan.spec, waiver.path):
            yield CODE.at(f"waivers[{n}].path", f"'{waiver.path[:60]}' is no place in this spec")
            continue
        found = _found(ctx, waiver.code)
        if found is None:
            continue
        from ...engine import covers

        if any(covers(waiver, d) for d in found):
            continue
        at = next((d.path for d in found), "")
        if waiver.urn is not None:
            yield CODE.at(f"waivers[{n}].urn", f"{waiver.code} is about the spec and no resource", "remove urn")
        elif at and waiver.path is not None:
            yield CODE.at(f"waivers[{n}].path", f"{waiver.code} is not found at '{waiver.path[:60]}'", f"it is at {at}")
        else:
            yield CODE.at(f"waivers[{n}].code", f"{waiver.code} is not found in this spec")


def _found(ctx: PlanContext, code: str) -> tuple[Diagnostic, ...] | None:
    """Findings of one code: of its rule, of deciding or of the boot bundle; None for a code of neither."""
    # Imported here: the registry imports this module, and most specs have no waiver.
    from ....node import bundle_findings
    from ....node.findings import CODES as NODE
    from ....plan.findings import CODES as PLAN
    from ....plan.image_findings import CODES as IMAGES
    from ...registry import rule

    known = rule(code)
    if isinstance(known, PlanRule):
        return tuple(known.check(ctx)) if ctx.plan.provider in known.providers else ()
    if any(c.code == code for c in (*PLAN, *IMAGES)):
        return tuple(d for d in ctx.decided if d.code == code)
    if any(c.code == code for c in NODE):
        return tuple(d for d in bundle_findings(ctx.plan) if d.code == code)
    return None


def _is_place(spec: ClusterSpec, text: str) -> bool:
    """Whether a path leads to a field of the spec, given or left out."""
    at: Any = spec
    steps = parse_path(text)
    for step in steps:
        if isinstance(at, BaseModel):
            if step not in type(at).model_fields:
                return False
            at = getattr(at, str(step))
        elif isinstance(at, (list, tuple)):
            items = cast("tuple[Any, ...]", at)
            if not isinstance(step, int) or step >= len(items):
                return False
            at = items[step]
        else:
            # Below what is left out, and in free mappings such as labels, nothing can be told.
            break
    return bool(steps)


_T = 'waivers: [{{code: {0}, {1}reason: known, expires: "2026-12-31"}}]'
_NO_BUDGET = "{budget: null, %s}"

RULE = PlanRule(
    CODE,
    ("policy",),
    check,
    Examples(
        (
            _NO_BUDGET % _T.format("GI2202", ""),
            _NO_BUDGET % _T.format("GI2202", "path: budget, "),
            _T.format("GI3053", ""),
            _T.format("GI2202", "").replace("2026-12-31", "2026-11-01"),
        ),
        (
            _T.format("GI2202", ""),
            _NO_BUDGET % _T.format("GI2202", 'path: "node_pools[0]", '),
            _NO_BUDGET % _T.format("GI2202", "path: budgets, "),
            _T.format("GI2230", 'path: "node_pools[3]", '),
            _T.format("GI2003", ""),
        ),
    ),
)
