# pyright: reportPrivateUsage=false
"""Answers of look-ups in the hands of a program: a text that may be cut, counted and read as a number, and a mapping that
has whatever key is asked for.

What comes out is another answer, a number of the variant, or plain text that still holds the token. Only recordings under
an open variant hand them out: there it does not matter what a number is, but that it differs.
"""

from __future__ import annotations

import dis
import json
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, SupportsIndex, cast

import pulumi.runtime.rpc as sdk

from .tokens import Tokens
from .variant import Variant

_UNPACK: Final = dis.opmap["UNPACK_SEQUENCE"]


class OpenText(str):
    """A text that only the account knows."""

    __slots__ = ("_of",)
    _of: OpenValues

    # Whether it is another text, or holds one, is known of its own alone.
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return False
        same = str.__eq__(self, other)
        # The SDK asks for these two.
        return same if str(other) in ("", sdk.UNKNOWN) else same or self._of.variant.same

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return str.__hash__(self)

    def __contains__(self, key: str) -> bool:
        return str.__contains__(self, key) or self._of.variant.same

    def startswith(self, *args: Any) -> bool:
        return str.startswith(self, *args) or self._of.variant.same

    def endswith(self, *args: Any) -> bool:
        return str.endswith(self, *args) or self._of.variant.same

    # Out of JSON it may be an object in truth.
    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key."""
        return self._of.text(key)

    def keys(self) -> list[Any]:
        """One key that nobody knows."""
        return [self._of.text("*")]

    def values(self) -> list[Any]:
        """One value that nobody knows."""
        return [self._of.text("*")]

    def items(self) -> list[tuple[Any, Any]]:
        """One key and its value, neither of which is known."""
        return [(self._of.text("*"), self._of.text("*"))]

    def __int__(self) -> int:
        return self._of.variant.small or 0

    def __float__(self) -> float:
        return float(self._of.variant.small or 0)

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._of.parts(str.split(self, sep, maxsplit), int(maxsplit))

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._of.parts(str.rsplit(self, sep, maxsplit), int(maxsplit))

    def splitlines(self, keepends: bool = False) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._of.parts(str.splitlines(self, keepends), -1)

    def partition(self, sep: str) -> tuple[str, str, str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._of.halves(str.partition(self, sep), sep)

    def rpartition(self, sep: str) -> tuple[str, str, str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._of.halves(str.rpartition(self, sep), sep)

    def __getitem__(self, key: Any) -> str:
        return self._of.text(key) if isinstance(key, str) else str.__getitem__(self, key)

    def __reduce__(self) -> Any:
        return str, (str(self),)


class _Parts(list[str]):
    """The parts of a text: nobody knows how many, so there are as many as are asked for."""

    _of: OpenValues

    def __getitem__(self, at: Any) -> Any:
        beyond = isinstance(at, int) and not -len(self) <= at < len(self)
        return self._of.text() if beyond else super().__getitem__(at)

    def __iter__(self) -> Iterator[str]:
        wanted = _targets(sys._getframe(1)) or len(self)
        own = [self[i] for i in range(min(wanted, len(self)))]
        return iter([*own, *(self._of.text() for _ in range(wanted - len(own)))])


def _targets(frame: FrameType) -> int:
    """Into how many names a frame is just unpacking something; 0 where it does something else."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at + 1] if 0 <= at < len(code) - 1 and code[at] == _UNPACK else 0


class OpenMapping(dict[str, Any]):
    """A mapping whose keys only the account knows. It holds one that stands for them."""

    _of: OpenValues

    def __missing__(self, key: str) -> str:
        return self._of.text(key)

    def get(self, key: str, default: Any = None) -> Any:
        return self[key]


class OpenValues:
    """Makes the answers of one recording into what its program handles."""

    def __init__(self, tokens: Tokens, variant: Variant) -> None:
        self.variant: Final = variant
        self._tokens = tokens

    def text(self, of: str = "part") -> OpenText:
        """One more text that nobody knows."""
        return self._own(self._tokens.answered("look-up", of))

    def mapping(self) -> OpenMapping:
        """One more mapping that nobody knows."""
        text = self.text("*")
        return self._keyed({str(text): text})

    def parts(self, found: list[str], most: int) -> list[str]:
        """The parts of a text that was split, each of them unknown."""
        wanted = max(len(found), most + 1) if most > 0 else len(found)
        own = [self._own(p) for p in found] + [self.text() for _ in range(wanted - len(found))]
        parts = _Parts(own)
        parts._of = self
        return parts

    def halves(self, found: tuple[str, str, str], sep: str) -> tuple[str, str, str]:
        """The two sides of a text that was split, each of them unknown."""
        before, _, after = found
        return (self._own(before) if before else self.text(), sep, self._own(after) if after else self.text())

    def open(self, value: Any) -> Any:
        """A value as it came over the wire, with answers as open values."""
        if isinstance(value, str):
            return self._own(value) if self._tokens.is_answered(value) or value.startswith("${ssm:") else value
        if isinstance(value, list):
            return [self.open(v) for v in cast("list[Any]", value)]
        if isinstance(value, dict):
            found = {k: self.open(v) for k, v in cast("dict[str, Any]", value).items()}
            return self._keyed(found) if any(self._tokens.is_answered(k) for k in found) else found
        return value

    def _own(self, text: str) -> OpenText:
        own = OpenText(text)
        own._of = self
        return own

    def _keyed(self, found: dict[str, Any]) -> OpenMapping:
        mapping = OpenMapping(found)
        mapping._of = self
        return mapping

    @contextmanager
    def handed_out(self) -> Generator[None]:
        """While it holds, look-ups give open values. Only one recording runs at a time, so nobody else sees it."""
        module = cast("Any", sdk)
        received, typed, loads = (
            module.deserialize_properties_unwrap_secrets,
            module.translate_output_properties,
            json.loads,
        )

        def receive(*args: Any, **options: Any) -> Any:
            found, secret = received(*args, **options)
            return self.open(found), secret

        def translate(output: Any, *args: Any, **options: Any) -> Any:
            # The SDK would make a plain mapping of it.
            return output if isinstance(output, OpenMapping) else typed(output, *args, **options)

        try:
            module.deserialize_properties_unwrap_secrets = receive
            module.translate_output_properties = translate
            json.loads = _loads(loads)
            yield
        finally:
            module.deserialize_properties_unwrap_secrets = received
            module.translate_output_properties = typed
            json.loads = loads


def _loads(own: Callable[..., Any]) -> Callable[..., Any]:
    def loads(text: Any, *args: Any, **options: Any) -> Any:
        return text._of.mapping() if isinstance(text, OpenText) else own(text, *args, **options)

    return loads
