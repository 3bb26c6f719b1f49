"""An option path that matches nothing.

What: ignoreChanges, replaceOnChanges or additionalSecretOutputs names a property that the resource does not have, often in snake_case.
Why: The engine accepts any path. One that matches nothing is ignored: `up` then changes, or replaces, what was meant to be left alone.
Fix: Write the wire path, in camelCase, as scalingConfig.desiredSize.
References: pulumi/pulumi#7081; pulumi/pulumi-eks#1293
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ...aws_graph import items, late, plain
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3066", "option-path-matches-nothing", Severity.ERROR, __doc__, ())
_OPTIONS = ("ignoreChanges", "replaceOnChanges")
_STEP = re.compile(r'\["?([^"\]]+)"?\]|([^.\[\]]+)')


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each path. A path into what is unknown is left undecided."""
    for r in ctx.graph:
        for option in _OPTIONS:
            for path in items(r.options.get(option)):
                verdict = _walk(r, str(path))
                if verdict == "unknown":
                    yield Undecided(CODE.code, r.name, f"whether {option} '{path}' matches is not known yet")
                elif verdict is not None:
                    step, near = verdict
                    yield CODE.at(
                        f"{r.name}.options.{option}",
                        f"'{path}' matches nothing: there is no '{step}'",
                        f"write '{near}'" if near else "",
                        resource=r.name,
                    )


def _walk(r: Resource, path: str) -> tuple[str, str] | str | None:
    """None where the path can match; the step that cannot, with the nearest whole path; or 'unknown'."""
    steps = [a or b for a, b in _STEP.findall(path)]
    if not steps or steps[0] == "*" or not r.inputs:
        return None
    schema = frozenset(r.known_properties)
    value: Any = r.inputs
    for n, step in enumerate(steps):
        value = plain(value)
        if late(value) and not isinstance(value, str):
            return "unknown"
        if isinstance(value, Mapping):
            inside = cast(Mapping[str, Any], value)
            names = {*inside, *(schema if n == 0 else ())}
            if step not in names and step != "*":
                near = _nearest(step, names)
                # An input that was left out may be ignored too; only the type's own list, or a look-alike, tells a slip.
                certain = n == 0 and bool(schema)
                return (step, _corrected(steps, n, near)) if near or certain else None
            value = inside.get(step)
        elif isinstance(value, (list, tuple)):
            listed = cast(Sequence[Any], value)
            value = listed[int(step)] if step.isdigit() and int(step) < len(listed) else None
        if value is None:
            return None
    return None


def _camel(step: str) -> str:
    return re.sub(r"_+([a-z0-9])", lambda m: m[1].upper(), step)


def _nearest(step: str, names: set[str]) -> str:
    if _camel(step) in names:
        return _camel(step)
    near = get_close_matches(step.casefold(), [n.casefold() for n in names], 1, 0.8)
    return next((n for n in names if near and n.casefold() == near[0]), "")


def _corrected(steps: list[str], n: int, near: str) -> str:
    return ".".join([*steps[:n], near, *map(_camel, steps[n + 1 :])]) if near else ""


_T = """\
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{clusterName: acme, scalingConfig: {1}}}
  options: {{ignoreChanges: ["{0}"]}}
"""
_SIZES = "{minSize: 0, desiredSize: 2, maxSize: 8}"

RULE = ResourceRule(
    CODE,
    ("drift",),
    check,
    Examples(
        (_T.format("scalingConfig.desiredSize", _SIZES),),
        (_T.format("scaling_config.desired_size", _SIZES), _T.format("scalingConfig.desiredSise", _SIZES)),
        (_T.format("scalingConfig.desiredSize", "!unknown "),),
    ),
)
