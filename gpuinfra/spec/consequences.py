"""Errors that follow from another error: one mistake is one finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .fields import child, known_keys
from .paths import Path
from .positions import Positions
from .suggestions import likely_key, places_of

Errors = Sequence[tuple[str, Path]]
"""Kind, as pydantic calls it, and place of each error."""


class FollowUps:
    """Which of a validation's errors follow from others, by their numbers."""

    def __init__(self, errors: Errors, data: object, positions: Positions | None) -> None:
        self.numbers: set[int] = set()
        self.explains: dict[int, Path] = {}
        """By the number of an unknown key: the missing key that it is, misspelt or in the wrong mapping."""
        self._data = data
        self._missing = {path: n for n, (kind, path) in enumerate(errors) if kind == "missing"}
        for n, (kind, path) in enumerate(errors):
            if kind == "unknown_provider" and _lacks_provider(path, data):
                self._missing[(*path, "provider")] = n
        self._by_parent: dict[Path, list[str]] = {}
        self._by_pattern: dict[str, list[Path]] = {}
        for path in self._missing:
            self._by_parent.setdefault(path[:-1], []).append(str(path[-1]))
            self._by_pattern.setdefault(_pattern(path), []).append(path)
        unseen = {path for kind, path in errors if kind == "invisible"}
        for n, (kind, path) in enumerate(errors):
            if kind == "extra_forbidden" and path and isinstance(path[-1], str) and self._missing:
                self._explain(n, path)
            doubtful = positions is not None and positions.doubtful(
                path, key=kind == "extra_forbidden", missing=kind == "missing"
            )
            if doubtful or (kind != "invisible" and path in unseen):
                self.numbers.add(n)

    def _explain(self, n: int, path: Path) -> None:
        key, parent = str(path[-1]), path[:-1]
        lacking = self._by_parent.get(parent)
        if lacking:
            likely = likely_key(key, lacking)
            # The key is only misspelt where no other key of the mapping is nearer.
            if likely and likely_key(key, known_keys(parent, self._data)) == likely:
                self.numbers.add(self._missing[(*parent, likely)])
                return
        elif likely_key(key, known_keys(parent, self._data)):
            return
        for place in dict.fromkeys(doc.path for doc in places_of(key)):
            steps = place.split(".")
            for end in range(len(steps), 0, -1):
                meant = self._by_pattern.get(".".join(steps[:end]).removesuffix("[]"), [])
                if len(meant) == 1:
                    self.numbers.add(self._missing[meant[0]])
                    self.explains[n] = meant[0]
                    return


def _lacks_provider(path: Path, data: object) -> bool:
    value = data
    for step in path:
        value = child(value, step)
    return isinstance(value, Mapping) and child(value, "provider") is None  # pyright: ignore[reportUnknownArgumentType]


def _pattern(path: Path) -> str:
    return ".".join("[]" if isinstance(step, int) else step for step in path).replace(".[]", "[]")
