# pyright: reportPrivateUsage=false
"""The process around a program: environment, working folder, import path and modules, put back afterwards."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from .errors import RecordingError

# What an interpreter and its libraries need on any system, and nothing that a cloud's provider reads.
_KEPT: Final = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "VIRTUAL_ENV",
    "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "LD_LIBRARY_PATH", "PYTEST_CURRENT_TEST",
})  # fmt: skip
_KEPT_PREFIXES: Final = ("LC_", "PYTHON", "COV_", "COVERAGE_")
_COMMANDS: Final = ("__init__", "install", "run")
"""The doors of `PulumiCommand` to the command line."""


@contextmanager
def environment(extra: Mapping[str, str]) -> Generator[None]:
    """Within it the process sees a minimal environment and `extra`: no AWS_*, no PULUMI_*, nothing of a laptop."""
    before = dict(os.environ)
    kept = {k: v for k, v in before.items() if k.upper() in _KEPT or k.upper().startswith(_KEPT_PREFIXES)}
    try:
        _set_environment({**kept, **extra})
        yield
    finally:
        _set_environment(before)


@contextmanager
def no_engine() -> Generator[None]:
    """Within it no program reaches the Pulumi command line by its Automation API. What would only be looked at would
    else be deployed: the credentials in a home folder are within reach of every program."""
    from pulumi.automation._cmd import PulumiCommand

    def refused(self: object, *args: Any, **kwargs: Any) -> Any:
        raise RecordingError(
            "the program drives Pulumi itself, by the Automation API, and would deploy while it is recorded. "
            "Record the function that it hands to the stack, or a preview that it writes"
        )

    before = {name: vars(PulumiCommand)[name] for name in _COMMANDS}
    try:
        for name in _COMMANDS:
            setattr(PulumiCommand, name, refused)
        yield
    finally:
        for name, method in before.items():
            setattr(PulumiCommand, name, method)


def _set_environment(wanted: Mapping[str, str]) -> None:
    for key in set(os.environ) - set(wanted):
        del os.environ[key]
    for key, value in wanted.items():
        if os.environ.get(key) != value:
            os.environ[key] = value


@contextmanager
def folder(directory: Path, argv: list[str]) -> Generator[None]:
    """Within it the process stands in a program's folder as the language host does: working folder, first place of the
    import path, argv. Modules of the folder are forgotten afterwards, so the next program sees its own of that name."""
    cwd, path, argv_before = Path.cwd(), list(sys.path), list(sys.argv)
    aside = _set_aside(directory)
    loaded = set(sys.modules)
    try:
        os.chdir(directory)
        sys.path.insert(0, str(directory))
        sys.argv = argv
        yield
    finally:
        _forget({name for name in set(sys.modules) - loaded if _is_inside(sys.modules.get(name), directory)})
        sys.modules.update(aside)
        sys.argv = argv_before
        sys.path[:] = path
        os.chdir(cwd)


def _set_aside(directory: Path) -> dict[str, ModuleType]:
    """Takes modules away that would hide the program's own of the same name: a fresh process would not have them."""
    names = {p.stem for p in directory.glob("*.py")}
    names |= {p.parent.name for p in directory.glob("*/__init__.py")}
    names -= {"__main__", __name__.partition(".")[0]}
    aside: dict[str, ModuleType] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in names and _is_users(module) and not _is_inside(module, directory):
            aside[name] = sys.modules.pop(name)
    return aside


def _origin(module: ModuleType | None) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file) if isinstance(file, str) else None


def _is_users(module: ModuleType) -> bool:
    """Whether a module is neither of the standard library nor installed."""
    origin = _origin(module)
    if origin is None:
        return False
    installed = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return not any(origin.is_relative_to(p) for p in installed)


def _is_inside(module: ModuleType | None, directory: Path) -> bool:
    origin = _origin(module)
    if origin is None:
        return False
    resolved = origin.resolve()
    return resolved.is_relative_to(directory) and "site-packages" not in resolved.relative_to(directory).parts


def _forget(names: set[str]) -> None:
    for name in names:
        sys.modules.pop(name, None)
    if not names:
        return
    from pulumi.runtime import rpc

    # A generated SDK inside the folder registers itself once per process and would be refused the second time.
    registries: list[dict[str, list[Any]]] = [
        getattr(rpc, "_RESOURCE_PACKAGES", {}),
        getattr(rpc, "_RESOURCE_MODULES", {}),
    ]
    for registry in registries:
        for entries in registry.values():
            entries[:] = [e for e in entries if type(e).__module__ not in names]
