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
from ...resource_graph import Resource, option_path_faults
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, plain

CODE = described("GI3066", "option-path-matches-nothing", Severity.ERROR, __doc__, ())
_OPTIONS = ("ignoreChanges", "replaceOnChanges")
_STEP = re.compile(r'\["?([^"\]]+)"?\]|([^.\[\]]+)')


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each path: by the type's own list of properties where the recording has it, else by the inputs.

    Without that list an input that was left out may be meant, so that only a look-alike of one that is there tells a
    slip; a path into what is unknown is left undecided.
    """
    for fault in option_path_faults(ctx.graph):
        near = fault.near[0] if fault.near else ""
        right = fault.path.replace(fault.segment, near, 1) if near else ""
        yield _finding(fault.resource, fault.option, fault.path, fault.segment, _camel(right) if right else "")
    for r in ctx.graph:
        for option in () if r.known_properties else _OPTIONS:
            for path in items(r.options.get(option)):
                verdict = _walk(r, str(path))
                if verdict == "unknown":
                    yield Undecided(CODE.code, r.name, f"whether {option} '{path}' matches is not known yet")
                elif isinstance(verdict, tuple):
                    yield _finding(r, option, str(path), *verdict)


def _finding(r: Resource, option: str, path: str, step: str, right: str) -> Diagnostic:
    return CODE.at(
        f"{r.name}.options.{option}",
        f"'{path}' matches nothing: there is no '{step}'",
        f"write '{right}'" if right else "",
        resource=r.name,
    )


def _walk(r: Resource, path: str) -> tuple[str, str] | str | None:
    """None where the path can match; the step that cannot, with the nearest whole path; or 'unknown'."""
    steps = [a or b for a, b in _STEP.findall(path)]
    value: Any = r.inputs
    for n, step in enumerate(steps):
        value = plain(value)
        if late(value) and not isinstance(value, str):
            return "unknown"
        if isinstance(value, Mapping):
            inside = cast(Mapping[str, Any], value)
            if step not in inside and step != "*":
                near = _nearest(step, set(inside))
                return (step, ".".join([*steps[:n], near, *map(_camel, steps[n + 1 :])])) if near else None
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
