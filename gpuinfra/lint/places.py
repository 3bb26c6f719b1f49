"""Where a program makes the resource that a finding is about: the first of its own lines on the way there."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Final

from ..diagnostics import Diagnostic, Source
from ..policy.resource_graph import Resource, ResourceGraph

_INSTALLED: Final = frozenset({"site-packages", "dist-packages", "node_modules", "venv", ".venv"})


class Places:
    """The places of a graph's resources, by logical name; a name that two of them have gives none."""

    def __init__(self, graph: ResourceGraph, folder: str) -> None:
        self._shown = Path(folder) if folder else None
        if self._shown is not None and self._shown.is_file():
            self._shown = self._shown.parent
        self._root = self._shown.resolve() if self._shown is not None else None
        self._by_name: dict[str, list[Resource]] = {}
        for r in graph:
            self._by_name.setdefault(r.name, []).append(r)

    def locate(self, diagnostic: Diagnostic) -> Diagnostic:
        """The finding with its place, where one is known."""
        named = self._by_name.get(diagnostic.resource, ())
        if diagnostic.source is not None or len(named) != 1:
            return diagnostic
        return next((diagnostic.located(s) for p in named[0].places if (s := self._own(p)) is not None), diagnostic)

    def _own(self, place: str) -> Source | None:
        """The place, where it lies in the program's folder and was not installed there."""
        file, _, line = place.rpartition(":")
        path = PurePosixPath(file)
        if self._root is not None and self._shown is not None:
            if not path.is_relative_to(self._root):
                return None
            path = path.relative_to(self._root)
        if path.is_absolute() or ".." in path.parts or _INSTALLED & set(path.parts):
            return None
        return Source(str(self._shown / path) if self._shown is not None else str(path), int(line), 1)
