"""Texts that stand for values which only a deployment knows: `${<logical name>.<property>}`.

A recording issues them, so a text that a program writes itself (`${HOME}` in a boot script) is never taken for one. Under
an open variant the text of an answer is sixteen small letters instead, which stay whole whatever a program makes of them:
lower case, other separators, a part of a path.
"""

from __future__ import annotations

import re
import threading
from typing import Any, Final

from ..policy.resource_graph import UNKNOWN, OutputRef
from .variant import PLAIN, Variant

_PLACEHOLDER = re.compile(r"\$\{[^{}]+\}")
_DIGITS: Final = 6


class Tokens:
    """The tokens that one recording issued.

    A resource's token is a reference. An answered one (of a data source, or of another stack's outputs) is a reference
    after an update; in preview it reads UNKNOWN, because the recording cannot know what the provider would answer.
    """

    def __init__(self, *, preview: bool, variant: Variant = PLAIN) -> None:
        self._preview = preview
        self._variant = variant
        self._refs: dict[str, OutputRef] = {}
        self._answered: set[str] = set()
        self._written: dict[str, str] = {}
        """The readable form, by token of an open variant, in small letters."""
        self._shaped: set[str] = set()
        """Answered texts that have the form of something, as a network."""
        letters = f"[{variant.letters}]{{{_DIGITS}}}"
        self._pattern = re.compile(letters + variant.core + letters, re.IGNORECASE) if variant.open else None
        self._lock = threading.Lock()

    def resource(self, name: str, path: str) -> str:
        """A token for a property of a resource."""
        token = f"${{{name}.{path}}}"
        with self._lock:
            self._refs[token] = OutputRef(name, path)
        return token

    def answered(self, source: str, path: str) -> str:
        """A token for a property of something that the program reads and does not manage."""
        token = f"${{{source}.{path}}}"
        with self._lock:
            readable, token = token, self._letters(len(self._written)) if self._variant.open else token
            if self._variant.open:
                self._written[token] = readable
            self._refs[token] = OutputRef(source, path)
            self._answered.add(token)
        return token

    def shaped(self, text: str) -> str:
        """A text that an answer gives and that holds no token, as one that reads like a token."""
        with self._lock:
            self._shaped.add(text)
        return text

    def is_answered(self, text: str) -> bool:
        """Whether a text is an answer, or holds one."""
        if text in self._answered or text in self._shaped:
            return True
        if self._pattern is not None:
            return any(m.lower() in self._written for m in self._pattern.findall(text)) or any(
                s in text for s in self._shaped
            )
        return bool(self._answered) and "${" in text and self._holds_answered(text)

    def read(self, text: str) -> Any:
        """What a text of a recorded value means: a reference, UNKNOWN, or itself."""
        if self._preview and self.is_answered(text):
            return UNKNOWN
        return self._refs.get(text, text)

    def shown(self, text: str) -> str:
        """A text as a person reads it, as in names and messages."""
        if self._pattern is None or not self._written:
            return text
        return self._pattern.sub(lambda m: self._written.get(m[0].lower(), m[0]), text)

    def _letters(self, number: int) -> str:
        # The number stands at both ends, so that what is cut off at either end still tells two apart.
        digits = "".join(self._variant.letters[int(d)] for d in f"{number % 10**_DIGITS:0{_DIGITS}d}")
        return f"{digits[::-1]}{self._variant.core}{digits}"

    def _holds_answered(self, text: str) -> bool:
        if any(match in self._answered for match in _PLACEHOLDER.findall(text)):
            return True
        return any(token in text for token in self._answered)
