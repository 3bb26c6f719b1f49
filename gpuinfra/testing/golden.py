"""Goldens: whole recorded outputs kept as JSON files, compared byte for byte and rewritten on request."""

from __future__ import annotations

import difflib
import json
import os
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from ..policy.resource_graph import ResourceGraph, Secret, as_json

REWRITE_VARIABLE: Final = "GPUINFRA_REWRITE_GOLDENS"
"""Set to 1, goldens are written and not compared."""

_SHORTEST_SECRET: Final = 6
"""A shorter secret text is found by chance in any document."""
_DIFF_LINES: Final = 200
_PATTERNS: Final = {
    "the text of an Output": re.compile(r"Calling __str__ on an Output|<pulumi\.output\.Output object at 0x"),
    "a path of one test run": re.compile(r"/pytest-of-[^/\s]+/"),
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "an access key": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
}


class GoldenMismatchError(AssertionError):
    """What was recorded is not what the golden holds, or must not stand in a golden."""


def compare_golden(value: Any, path: Path, *, allow: Collection[str] = ()) -> None:
    """Compares a graph or a JSON value with a golden file. With GPUINFRA_REWRITE_GOLDENS=1 it writes the file instead.

    Raises GoldenMismatchError with a unified diff where they differ, where the file is missing, and, before anything is
    written, for what no golden may hold: the text of a secret, a key, a path of this machine, the text of an Output, or
    "None" as a whole value. `allow` names texts that are meant.
    """
    text = golden_text(value)
    found = [f for f in _redaction_faults(value, text) if not any(a in f for a in allow)]
    if found:
        raise GoldenMismatchError(f"{path.name}: " + "; ".join(found))
    if os.environ.get(REWRITE_VARIABLE) == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    hint = f"Read the change; where it is meant, rewrite the goldens: {REWRITE_VARIABLE}=1 python -m pytest"
    if not path.is_file():
        raise GoldenMismatchError(f"{path.name}: there is no such golden. {hint}")
    expected = path.read_text(encoding="utf-8")
    if expected == text:
        return
    diff = list(
        difflib.unified_diff(expected.splitlines(), text.splitlines(), f"golden/{path.name}", "recorded", "", "", 3, "")
    )
    left_off = len(diff) - _DIFF_LINES
    shown = diff[:_DIFF_LINES] + ([f"... {left_off} more lines"] if left_off > 0 else [])
    raise GoldenMismatchError("\n".join([f"{path.name}: differs from its golden. {hint}", *shown]))


def golden_text(value: Any) -> str:
    """The bytes of a golden: of a graph, its resources and stack outputs; of anything else, the value as JSON."""
    if isinstance(value, ResourceGraph):
        value = {"outputs": as_json(value.outputs), "resources": value.to_json()}
    return json.dumps(as_json(value), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _redaction_faults(value: Any, text: str) -> Iterator[str]:
    for what, pattern in _PATTERNS.items():
        match = pattern.search(text)
        if match is not None:
            # A key is a secret itself, so it is named and not shown.
            yield f"it holds {what}" + (f" ({match.group()})" if "key" not in what else "")
    for place in _machine_paths():
        if place in text:
            yield f"it holds a path of this machine ({place})"
    if isinstance(value, ResourceGraph):
        for resource in value.resources:
            if any(s in text for s in _secret_texts(resource.inputs, inside=False)):
                yield f"the text of a secret of {resource.name!r} stands in it"
        if any(s in text for s in _secret_texts(value.outputs, inside=False)):
            yield "the text of a secret stack output stands in it"
    # Recording judged the texts of a graph already: there "None" is a word of the cloud.
    elif '"None"' in text:
        yield 'it holds "None", the text of a missing value'


def _secret_texts(value: Any, *, inside: bool) -> Iterator[str]:
    if isinstance(value, Secret):
        yield from _secret_texts(value.value, inside=True)
    elif isinstance(value, str):
        if inside and len(value) >= _SHORTEST_SECRET:
            yield json.dumps(value, ensure_ascii=False)[1:-1]
    elif isinstance(value, Mapping):
        for v in cast("Mapping[str, Any]", value).values():
            yield from _secret_texts(v, inside=inside)
    elif isinstance(value, (list, tuple)):
        for v in cast("list[Any]", value):
            yield from _secret_texts(v, inside=inside)


def _machine_paths() -> Iterator[str]:
    """Paths that only this machine has: the working folder, and the virtual environment. One step below the root is
    left out: such a path stands in scripts for nodes too."""
    candidates = [Path.cwd(), *([Path(sys.prefix)] if sys.prefix != sys.base_prefix else [])]
    yield from (str(p) for p in candidates if len(p.parts) > 2)
