# pyright: reportPrivateUsage=false
"""Stack references in a recording: a name that the test did not give reads as a token instead of None."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pulumi

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

        def widen(known: Mapping[str, Any] | None) -> dict[str, Any]:
            return _Outputs(known or {}, token)

        return found.apply(widen)


def observe(resource: Any, name: str, issue: Callable[[str, str], str]) -> None:
    """Makes a stack reference answer tokens for the names that its recording does not hold."""
    if type(resource) is pulumi.StackReference:
        resource.__dict__["_recorded_token"] = lambda key: issue(name, key)
        resource.__class__ = _RecordedStackReference
