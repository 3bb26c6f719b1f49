"""Fixtures for tests of Pulumi programs. pytest loads this by itself where gpuinfra is installed.

`record_program` records a program, `assert_golden` compares what was recorded with a file. Pulumi is imported when a
fixture is used, not before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from .policy.resource_graph import ResourceGraph


class RecordProgram(Protocol):
    """`gpuinfra.testing.record`, where a relative path starts at the test's folder or, failing that, at pytest's
    root."""

    def __call__(self, program: Callable[[], Any] | str | os.PathLike[str], **options: Any) -> ResourceGraph: ...


class AssertGolden(Protocol):
    """Compares a graph or a JSON value with `golden/<name>.json`."""

    def __call__(self, value: Any, name: str, *, allow: Collection[str] = ()) -> None: ...


@pytest.fixture
def record_program(request: pytest.FixtureRequest) -> RecordProgram:
    """Records a Pulumi program: a function, or the path of a stack. Takes the options of `gpuinfra.testing.record`."""
    from .testing import record

    starts = (request.path.parent, request.config.rootpath)

    def run(program: Callable[[], Any] | str | os.PathLike[str], **options: Any) -> ResourceGraph:
        if not callable(program) and not Path(program).is_absolute():
            program = next((start / program for start in starts if (start / program).exists()), program)
        return record(program, **options)

    return run


@pytest.fixture
def assert_golden(request: pytest.FixtureRequest) -> AssertGolden:
    """Compares a graph or a JSON value with its golden; GPUINFRA_REWRITE_GOLDENS=1 rewrites goldens instead.

    The file is `golden/<name>.json` in the nearest folder, from the test's own up to pytest's root, that has a `golden`
    folder; without one it is made beside the test. A name may hold '/' for subfolders.
    """
    from .testing import compare_golden

    folder = _golden_folder(request.path.parent, request.config.rootpath)

    def compare(value: Any, name: str, *, allow: Collection[str] = ()) -> None:
        path = (folder / f"{name}.json").resolve()
        if not path.is_relative_to(folder.resolve()):
            raise ValueError(f"{name!r} leaves the folder of the goldens. Give a name below it")
        compare_golden(value, path, allow=allow)

    return compare


def _golden_folder(start: Path, root: Path) -> Path:
    for folder in (start, *start.parents):
        if (folder / "golden").is_dir():
            return folder / "golden"
        if folder == root:
            break
    return start / "golden"
