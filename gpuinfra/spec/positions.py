"""Where each key and value of a document stands: line and column, counted from 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..diagnostics import Source
from .paths import Path, parse_path, path_text


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
    tagged: bool = False
    """Whether a tag stood before it, which has its own finding."""
    partial: bool = False
    """Whether a merge key of the mapping brought nothing, which has its own finding."""

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

    def find(self, text: str) -> Path:
        """The path that a finding's text means. Keys are looked up in the document, so that `labels.aws:x`, a key with a
        dot or a space, and a key whose end was cut off are found as well as `labels["aws:x"]`."""
        path = parse_path(text)
        if self.root is None:
            return path
        walked = self._walk(path)[1]
        whole = path_text(path) == text
        if whole and len(walked) == len(path):
            return path
        looked_up = self._look_up(text)
        if whole:
            return looked_up if len(looked_up) > len(walked) else path
        return looked_up or path

    def _look_up(self, text: str) -> Path:
        node, steps = self.root, list[str | int]()
        while node is not None and text:
            if node.items is not None:
                number, end, text = text.removeprefix("[").partition("]")
                step: str | int = int(number) if end and number.isdecimal() and len(number) < 10 else -1
            else:
                step, text = _key_at(text.removeprefix("."), node.entries or {})
            node = node.child(step)
            if node is not None:
                steps.append(step)
        return tuple(steps)

    def doubtful(self, path: Path, *, key: bool = False, missing: bool = False) -> bool:
        """Whether an error at a path follows from what was found in the document already: its value, or one that holds
        it, has a tag; or its mapping lacks what a merge key should have brought. `key`: the error is about the key."""
        node = self.root
        for depth, step in enumerate(path):
            if missing and depth == len(path) - 1 and node is not None and node.partial:
                return True
            node = node.child(step) if node is not None else None
            if node is not None and node.tagged and not (key and depth == len(path) - 1):
                return True
        return False

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


_LONG = 40
"""Characters from which on the text of a key may be its beginning only: findings cut long keys."""


def _key_at(text: str, keys: Mapping[str, Node]) -> tuple[str, str]:
    """The longest key that a text begins with, and the text behind it; nothing twice where there is none."""
    fits = [k for k in keys if k and text.startswith(k) and text[len(k) : len(k) + 1] in ("", ".", "[")]
    if fits:
        key = max(fits, key=len)
        return key, text[len(key) :]
    if text.startswith('["'):
        step = next(iter(parse_path(text)), "")
        key = step if isinstance(step, str) else ""
        found = key if key in keys else _begun(key.removesuffix("…"), keys)
        return found, text[len(path_text((key,))) :]
    return _begun(text, keys), ""


def _begun(start: str, keys: Mapping[str, Node]) -> str:
    return next((k for k in keys if k.startswith(start)), "") if len(start) >= _LONG else ""
