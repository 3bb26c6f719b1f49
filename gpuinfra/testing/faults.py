"""What a recording refuses because a deployment would fail or deploy nonsense."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, cast
from urllib.parse import unquote, urlparse

from ..policy.resource_graph import UNKNOWN, ResourceGraph, Secret
from . import wire
from .declarations import Declarations, is_input_type
from .monitor import Recorded, Registration

# str() of an Output gives the first text, repr() (as in str() of a list that holds one) the second.
_STRINGIFIED: Final = re.compile(r"Calling __str__ on an Output|<pulumi\.output\.Output object at 0x")
_SHOWN: Final = 60


def faults(recorded: Recorded, declarations: Declarations, *, strict: bool) -> tuple[str, ...]:
    """Every fault of a run, sorted: duplicate URNs, texts made of an Output, numbers that JSON does not have, and,
    where `strict`, the text "None" that came out of another resource's outputs."""
    found = [_duplicate(*pair) for pair in recorded.duplicates]
    for registration in recorded.registrations.values():
        found.extend(_in_resource(registration, declarations, strict=strict))
    for path, value in _leaves(wire.python_struct(recorded.outputs), ""):
        if isinstance(value, str) and _STRINGIFIED.search(value):
            found.append(
                f"stack output {path}: the text of an Output stands there instead of its value. {_OUTPUT_HINT}"
            )
    return tuple(sorted(found))


def without_texts(graph: ResourceGraph) -> ResourceGraph:
    """The graph with every text of an Output as unknown, which is what its value is."""
    kept = [r for r in graph.resources if not _STRINGIFIED.search(r.name)]
    return replace(graph, resources=tuple(replace(r, inputs=_opened(r.inputs)) for r in kept))


def _opened(value: Any) -> Any:
    if isinstance(value, str):
        return UNKNOWN if _STRINGIFIED.search(value) else value
    if isinstance(value, Secret):
        return Secret(_opened(value.value))
    if isinstance(value, Mapping):
        return {k: _opened(v) for k, v in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_opened(v) for v in cast("list[Any]", value)]
    return value


_OUTPUT_HINT: Final = "Use Output.concat, Output.format, Output.json_dumps or apply"


def _duplicate(first: Registration, second: Registration) -> str:
    name = first.request.name
    return (
        f"two resources have the URN {first.urn}: {name!r}{_place(first)} and {second.request.name!r}{_place(second)}. "
        f"A deployment fails there: give one another name, or another parent"
    )


def _in_resource(registration: Registration, declarations: Declarations, *, strict: bool) -> Iterator[str]:
    request = registration.request
    where = f"{request.name!r} ({request.type}){_place(registration)}"
    if _STRINGIFIED.search(request.name):
        yield f"{_short(where)}: the logical name is the text of an Output. Names must be known before a deployment"
        return
    for key, value in wire.python_struct(request.object).items():
        written_out = 0
        for path, leaf in _leaves(value, key):
            if isinstance(leaf, str) and _STRINGIFIED.search(leaf):
                yield f"{where}, {path}: the text of an Output stands there instead of its value. {_OUTPUT_HINT}"
            elif isinstance(leaf, float) and not math.isfinite(leaf):
                yield f"{where}, {path}: {leaf} is a number that JSON does not have. Leave the property out"
            elif leaf == "None":
                written_out += 1
        if strict and written_out and request.propertyDependencies[key].urns:
            # A literal "None" is a word of some clouds; one that no literal explains came out of str(None).
            given = declarations.of(request.type, request.name).given.get(key)
            if written_out > _literal_nones(given):
                yield (
                    f'{where}, {key}: the text "None" was made of an output without a value. '
                    f"Give the value through outputs= or invoke=, or handle None in the program"
                )


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from _leaves(inner, path if wire.is_marked(value) else f"{path}.{key}" if path else str(key))  # pyright: ignore
    elif isinstance(value, list):
        for index, inner in enumerate(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            yield from _leaves(inner, f"{path}[{index}]")
    else:
        yield path, value


def _literal_nones(value: Any) -> int:
    """How often the text "None" stands in what the program wrote, Outputs not looked into."""
    if isinstance(value, str):
        return int(value == "None")
    if isinstance(value, Mapping):
        return sum(_literal_nones(v) for v in value.values())  # pyright: ignore
    if isinstance(value, (list, tuple)):
        return sum(_literal_nones(v) for v in value)  # pyright: ignore
    if is_input_type(type(value)):  # pyright: ignore[reportUnknownArgumentType]
        return sum(_literal_nones(v) for v in vars(value).values())  # pyright: ignore
    return 0


def _place(registration: Registration) -> str:
    """Where the program makes the resource, as ' at file:line', or nothing where that is not known."""
    position = registration.request.sourcePosition
    if not position.uri:
        return ""
    path = unquote(str(urlparse(str(position.uri)).path))
    near = os.path.relpath(path)
    return f" at {path if near.startswith('..') else near}:{position.line}"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
