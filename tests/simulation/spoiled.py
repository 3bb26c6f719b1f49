"""A cluster that a simulated cloud takes, with one thing made wrong on its way there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.cluster import GpuCluster
from gpuinfra.testing import RecordingError

from .in_process import Clouds, RefusedError


def refusal(folder: Path, spec: dict[str, Any], type_: str, spoil: Callable[[dict[str, Any]], Any]) -> RefusedError:
    """What the cloud says to the spec's cluster when `spoil` has changed each resource of a type."""
    clouds = Clouds(folder)
    met: list[str] = []

    def change(kind: str, name: str, inputs: dict[str, Any]) -> None:
        if kind == type_:
            met.append(name)
            spoil(inputs)

    clouds.spoil = change
    with pytest.raises((RefusedError, RecordingError)) as caught:
        clouds.up(lambda: GpuCluster(spec["name"], spec))
    assert met, f"the cluster has a {type_}"
    error: BaseException | None = caught.value
    while error is not None and not isinstance(error, RefusedError):
        error = error.__cause__ or error.__context__
    assert isinstance(error, RefusedError), caught.value
    return error


def put(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Writes a value at a dotted path; a number is a place in a list."""

    def change(inputs: dict[str, Any]) -> None:
        *steps, last = path.split(".")
        where: Any = inputs
        for step in steps:
            where = where[int(step)] if isinstance(where, list) else where.setdefault(step, {})
        if isinstance(where, list):
            where[int(last)] = value
        elif value is None:
            where.pop(last, None)
        else:
            where[last] = value

    return change


def both(*changes: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """Several changes, one after the other."""

    def change(inputs: dict[str, Any]) -> None:
        for one in changes:
            one(inputs)

    return change
