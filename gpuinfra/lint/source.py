"""What is judged, and what came of reading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..diagnostics import Diagnostic
from ..policy.resource_graph import ResourceGraph


class MissingSdkError(Exception):
    """A package of Pulumi that the program imports is not installed here."""


class Kind(StrEnum):
    """What a program is known by."""

    PREVIEW = "preview"
    STATE = "state"
    PROGRAM = "program"


@dataclass(frozen=True)
class Source:
    """A program to judge, by one thing that is known of it."""

    kind: Kind
    path: str
    """A file (`-` is standard input), or the folder of a program."""
    stack: str | None = None
    """Of a program: whose config it runs with. None: the only one that has a file, or dev."""
    config: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of a program: values that lie over the stack's own."""


@dataclass(frozen=True)
class Read:
    """What a source holds."""

    graph: ResourceGraph
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """By URN: {inputs} of the last deployment, as rules about changes read them."""
    remarks: tuple[Diagnostic, ...] = ()
    """What is to be known about the source before its findings are believed."""
