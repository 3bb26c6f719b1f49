"""Which program is meant: a function, or the files of a stack that a person runs with `pulumi up`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from .errors import RecordingError

_PROJECT_FILES: Final = ("Pulumi.yaml", "Pulumi.yml")
_PROJECT_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True)
class ProgramFiles:
    """A Python program on disk."""

    main: Path
    """The file to run; its folder is the working folder."""
    root: Path
    """Where Pulumi.yaml is, or the program's folder without one."""
    project: str | None = None
    config: Mapping[str, str] = field(default_factory=dict[str, str])
    """By full key, as `aws:region`: defaults of Pulumi.yaml, then the stack's own file."""
    secret_keys: frozenset[str] = frozenset()


def find(path: str | os.PathLike[str], stack: str) -> ProgramFiles:
    """The program at a path: a folder, a Pulumi.yaml or a Python file. Raises RecordingError where there is none."""
    given = Path(path)
    if not given.exists():
        raise RecordingError(f"{given}: there is no such file or folder. Give the folder of a stack, or a function")
    resolved = given.resolve()
    if resolved.is_dir():
        project_file = next((resolved / f for f in _PROJECT_FILES if (resolved / f).is_file()), None)
        if project_file is None:
            return ProgramFiles(_main(resolved, given), resolved)
        return _from_project(project_file, stack)
    if resolved.name in _PROJECT_FILES:
        return _from_project(resolved, stack)
    if resolved.suffix != ".py":
        raise RecordingError(f"{given}: not a Python program. Give a folder with __main__.py, or a Pulumi.yaml")
    project_file = next((resolved.parent / f for f in _PROJECT_FILES if (resolved.parent / f).is_file()), None)
    if project_file is None or resolved.name != "__main__.py":
        return ProgramFiles(resolved, resolved.parent)
    return _from_project(project_file, stack)


def _main(path: Path, shown: Path) -> Path:
    main = path / "__main__.py" if path.is_dir() else path
    if not main.is_file():
        raise RecordingError(f"{shown}: there is no __main__.py in it, so it holds no Python program of Pulumi")
    return main


def _from_project(file: Path, stack: str) -> ProgramFiles:
    document = _yaml(file)
    runtime = document.get("runtime")
    name = runtime.get("name") if isinstance(runtime, dict) else runtime  # pyright: ignore
    if name != "python":
        raise RecordingError(f"{file.name}: runtime is {name!r}; only programs with runtime python can be recorded")
    entry = (file.parent / str(document.get("main") or ".")).resolve()
    project = str(document.get("name") or "")
    if not _PROJECT_NAME.fullmatch(project):
        # `${PROJECT}` stands in a template until `pulumi new` fills it in.
        project = "project"
    config, secrets = _config(file, document, project, stack)
    return ProgramFiles(_main(entry, entry), file.parent, project, config, secrets)


def _config(file: Path, document: Mapping[str, Any], project: str, stack: str) -> tuple[dict[str, str], frozenset[str]]:
    config: dict[str, str] = {}
    secrets: set[str] = set()
    declared = _values(file, document)
    for key, entry in declared.items():
        value: Any = entry
        if isinstance(entry, dict):
            schema = cast("dict[str, Any]", entry)
            value = schema.get("value", schema.get("default"))
        if value is not None:
            config[full_key(key, project)] = text(value)
    stack_file = file.with_name(f"Pulumi.{stack}{file.suffix}")
    own = _values(stack_file, _yaml(stack_file)) if stack_file.is_file() else {}
    for key, value in own.items():
        full = full_key(key, project)
        if isinstance(value, dict) and set(cast("dict[str, Any]", value)) == {"secure"}:
            # Only the stack's key could decrypt it; the program gets a text that says so, marked secret.
            secrets.add(full)
            config[full] = f"[secret {full}]"
        else:
            config[full] = text(value)
    return config, frozenset(secrets)


def _values(file: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    found: Any = document.get("config") or {}
    if not isinstance(found, dict):
        raise RecordingError(f"{file.name}: config must be a mapping, and is a {type(found).__name__}")
    return {str(key): value for key, value in cast("dict[Any, Any]", found).items()}


def _yaml(file: Path) -> dict[str, Any]:
    import yaml

    try:
        document: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise RecordingError(f"{file.name}: cannot be read: {error}") from error
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise RecordingError(f"{file.name}: must hold a mapping, and holds a {type(document).__name__}")
    return cast("dict[str, Any]", document)


def full_key(key: str, project: str) -> str:
    """A config key with its namespace: a plain key belongs to the project."""
    return key if ":" in key else f"{project}:{key}"


def text(value: Any) -> str:
    """A config value as the engine hands it to a program: text as it is, all else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)
