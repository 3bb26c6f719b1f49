"""Texts that stand for values which only a deployment knows: `${<logical name>.<property>}`.

A recording issues them, so a text that a program writes itself (`${HOME}` in a boot script) is never taken for one.
"""

from __future__ import annotations

import re
import threading
from typing import Any

from ..policy.resource_graph import UNKNOWN, OutputRef

_PLACEHOLDER = re.compile(r"\$\{[^{}]+\}")


class Tokens:
    """The tokens that one recording issued.

    A resource's token is a reference. An answered one (of a data source, or of another stack's outputs) is a reference
    after an update; in preview it reads UNKNOWN, because the recording cannot know what the provider would answer.
    """

    def __init__(self, *, preview: bool) -> None:
        self._preview = preview
        self._refs: dict[str, OutputRef] = {}
        self._answered: set[str] = set()
        self._lock = threading.Lock()

    def resource(self, name: str, path: str) -> str:
        """A token for a property of a resource."""
        token = f"${{{name}.{path}}}"
        with self._lock:
            self._refs[token] = OutputRef(name, path)
        return token

    def answered(self, source: str, path: str) -> str:
        """A token for a property of something that the program reads and does not manage."""
        token = self.resource(source, path)
        with self._lock:
            self._answered.add(token)
        return token

    def read(self, text: str) -> Any:
        """What a text of a recorded value means: a reference, UNKNOWN, or itself."""
        ref = self._refs.get(text)
        if ref is not None:
            return UNKNOWN if self._preview and text in self._answered else ref
        if self._preview and self._answered and "${" in text and self._holds_answered(text):
            return UNKNOWN
        return text

    def _holds_answered(self, text: str) -> bool:
        if any(match in self._answered for match in _PLACEHOLDER.findall(text)):
            return True
        return any(token in text for token in self._answered)
