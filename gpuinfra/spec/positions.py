"""Where each key and value of a document stands: line and column, counted from 1."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..diagnostics import Source
from .paths import Path


@dataclass(slots=True, eq=False)
class Node:
    """A value of the document with its place. Aliases share the nodes below them."""

    line: int
    column: int
    data: object = None
    """Plain data: dict, list, text, number, truth value or None."""
    raw: str | None = None
    """A scalar as it was written, without quotes."""
    plain: bool = False
    """Whether a scalar was written without quotes."""
    block: bool = False
    """Whether a mapping or list was written over lines, without brackets."""
    entries: dict[str, Node] | None = None
    keys: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    items: list[Node] | None = None
    weight: int = 1
    """How many values this one expands to, itself included."""
    open: bool = True
    """Whether its end is still to come."""

    def child(self, step: str | int) -> Node | None:
        """The value below, or None."""
        if self.entries is not None:
            return self.entries.get(step) if isinstance(step, str) else None
        if self.items is not None and isinstance(step, int) and 0 <= step < len(self.items):
            return self.items[step]
        return None


@dataclass(frozen=True)
class Positions:
    """The places of a document that was read."""

    file: str
    root: Node | None = None

    def of(self, path: Path, *, key: bool = False) -> Source:
        """The place of a path: its value's, or its key's where `key` is set or the value spans lines.

        Of a path that is not in the document, the key of the longest part that is.
        """
        if self.root is None or not path:
            return Source(self.file)
        node, found = self._walk(path)
        line, column = node.line, node.column
        if (key or len(found) < len(path) or node.block) and found:
            parent, _ = self._walk(found[:-1])
            line, column = parent.keys.get(str(found[-1]), (line, column))
        return Source(self.file, line, column)

    def written(self, path: Path) -> str | None:
        """The scalar at a path as it was written, without quotes; None where there is none."""
        if self.root is None:
            return None
        node, found = self._walk(path)
        return node.raw if len(found) == len(path) else None

    def _walk(self, path: Path) -> tuple[Node, Path]:
        node = self.root
        assert node is not None
        for depth, step in enumerate(path):
            below = node.child(step)
            if below is None:
                return node, path[:depth]
            node = below
        return node, path
