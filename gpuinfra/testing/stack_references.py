# pyright: reportPrivateUsage=false
"""Stack references in a recording: a name that the test did not give reads as a token instead of None.

In preview it is an unknown output instead, so that no function of the program runs over it: it may be a list or an
object in truth, and of a text a loop would see the letters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import pulumi
from pulumi.output import UNKNOWN

TYPE: Final = "pulumi:pulumi:StackReference"


class _Outputs(dict[str, Any]):
    """Outputs of another stack. A missing name is a token and no error, because the other stack was never asked."""

    def __init__(self, known: Mapping[str, Any], token: Callable[[str], str]) -> None:
        super().__init__(known)
        self._token = token

    def __missing__(self, key: str) -> str:
        return self._token(key)

    def get(self, key: str, default: Any = None) -> Any:
        return self[key]


class _RecordedStackReference(pulumi.StackReference):
    """The class that a stack reference takes on while it is recorded."""

    @property
    def outputs(self) -> pulumi.Output[dict[str, Any]]:  # pyright: ignore[reportIncompatibleVariableOverride]
        found: pulumi.Output[dict[str, Any]] = self.__dict__["outputs"]
        token: Callable[[str], str] = self.__dict__["_recorded_token"]
        preview: bool = self.__dict__["_recorded_preview"]

        def widen(known: Mapping[str, Any] | None) -> Any:
            # Where a test gave some of them, it means to have them read.
            return UNKNOWN if preview and not known else _Outputs(known or {}, token)

        return found.apply(widen)

    def get_output(self, name: pulumi.Input[str]) -> pulumi.Output[Any]:
        # The SDK looks the name up in a copy of the outputs, which is a plain dict: None is a missing name.
        token: Callable[[str], str] = self.__dict__["_recorded_token"]
        preview: bool = self.__dict__["_recorded_preview"]
        found = super().get_output(name)

        def filled(key: str) -> pulumi.Output[Any]:
            missing: Any = UNKNOWN if preview else token(key)
            return found.apply(lambda value: missing if value is None else value)

        return pulumi.Output.from_input(name).apply(filled)

    def require_output(self, name: pulumi.Input[str]) -> pulumi.Output[Any]:
        return self.get_output(name)


def observe(resource: Any, name: str, issue: Callable[[str, str], str], *, preview: bool) -> None:
    """Makes a stack reference answer tokens for the names that its recording does not hold, and unknowns in preview."""
    if type(resource) is pulumi.StackReference:
        resource.__dict__["_recorded_token"] = partial(issue, name)
        resource.__dict__["_recorded_preview"] = preview
        resource.__class__ = _RecordedStackReference
