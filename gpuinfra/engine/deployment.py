"""One stack folder, driven by the engine through the Automation API: preview, up, refresh, destroy.

The folder's own `__main__.py` runs in this process, so that no language host is needed.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from ..diagnostics import GpuInfraError
from .locate import Engine
from .reason import reason

OPERATIONS = ("preview", "up", "refresh", "destroy")
Protected = Literal["refuse", "keep", "remove"]
"""What destroy does about protected resources, which hold data: nothing at all is removed while there are some; they stay
and the rest goes; or they go too, and their data with them."""
_LOOKS = {"up": "preview", "destroy": "preview_destroy"}
_STACK_NAME = re.compile(r"([A-Za-z0-9_.-]{1,100}/){0,2}[A-Za-z0-9_.-]{1,100}")
_PROJECT_FILES = ("Pulumi.yaml", "Pulumi.yml")


class DeploymentError(Exception):
    """The operation did not happen, or not wholly. The text is for a person."""

    status = 1
    """The exit status that it gives."""


@dataclass(frozen=True)
class Outcome:
    """What an operation did."""

    operation: str
    stack: str
    changes: Mapping[str, int]
    """How many resources by what happened to them: create, update, same, delete …"""
    outputs: Mapping[str, Any]
    """The stack's outputs, secrets left out."""
    resources: tuple[tuple[str, str], ...] = ()
    """(type, logical name) of what the stack holds afterwards."""


@dataclass(frozen=True)
class StackFolder:
    """A folder that holds a Pulumi project in Python."""

    path: Path
    project: str
    main: Path

    @classmethod
    def at(cls, path: str) -> StackFolder:
        """The folder at a path. Raises DeploymentError where there is no project of Python in it."""
        import yaml

        folder = Path(path)
        if not folder.exists():
            raise DeploymentError(
                f"{path}: there is no such folder; name the folder of a stack, as stacks/aws-h100-training"
            )
        if not folder.is_dir():
            raise DeploymentError(
                f"{path}: is a file; name the folder of the stack that it belongs to: {folder.parent}"
            )
        file = next((folder / f for f in _PROJECT_FILES if (folder / f).is_file()), None)
        if file is None:
            raise DeploymentError(
                f"{path}: there is no Pulumi.yaml in it, so it is no stack; name one, as stacks/aws-h100-training, or "
                "make one: pulumi new templates/aws-h100-hours"
            )
        try:
            read: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
        except (yaml.YAMLError, UnicodeDecodeError, OSError) as e:
            raise DeploymentError(f"{file}: cannot be read: {' '.join(str(e).split())[:200]}") from e
        document = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
        runtime = document.get("runtime")
        language: Any = cast("dict[str, Any]", runtime).get("name") if isinstance(runtime, dict) else runtime
        name = document.get("name")
        if language != "python" or not isinstance(name, str):
            raise DeploymentError(f"{file}: needs a name and runtime: python")
        if not re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", name):
            raise DeploymentError(
                f"{file}: '{name}' is no name of a project; make a project of the template with pulumi new, or write a name"
            )
        main = (folder / str(document.get("main") or ".")).resolve()
        main = main / "__main__.py" if main.is_dir() else main
        if not main.is_file():
            raise DeploymentError(f"{folder}: there is no program {main.name} in it")
        return cls(folder.resolve(), name, main)


class Recovery(Protocol):
    """What is done about an operation that was killed."""

    def files(self, say: Callable[[str], None]) -> None:
        """Before the engine reads the stack's state."""

    def contents(self, stack: Any, operation: str, say: Callable[[str], None]) -> None:
        """After the stack is selected, which is the Automation API's object, and before the operation."""


@dataclass
class Deployment:
    """A stack of a folder, with the engine and the surroundings that it deploys in."""

    folder: StackFolder
    engine: Engine
    stack: str = "dev"
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    work_dir: Path | None = None
    """Where the engine keeps the stack's settings; None: the folder itself."""
    recovery: Recovery | None = None
    """Puts right what a killed operation left, before the next."""
    _failed: Exception | None = None
    _begun: bool = False
    """Whether the operation itself was started, not only the look before it."""

    def run(self, operation: str, say: Callable[[str], None], *, protected: Protected = "refuse") -> Outcome:
        """Runs one of OPERATIONS. `say` takes the engine's lines as they come. `protected` is for destroy.

        Raises DeploymentError."""
        import pulumi.automation as auto

        from .process import EngineCommand, EngineKilledError

        if not _STACK_NAME.fullmatch(self.stack):
            raise DeploymentError(
                f"'{self.stack[:60]}' is no name of a stack: letters, digits, '-', '_' and '.', as dev"
            )
        command = EngineCommand(root=str(self.engine.root), say=say)
        if self.recovery is not None:
            self.recovery.files(say)
        try:
            options = auto.LocalWorkspaceOptions(env_vars=dict(self.environment), pulumi_command=command)
            with self._as_the_engine_sees_it():
                stack, made = self._selected(operation, options)
                if self.recovery is not None:
                    self.recovery.contents(stack, operation, say)
                if protected == "remove":
                    _unprotect(stack)
                try:
                    if operation in _LOOKS and protected == "refuse" and not made and _guards(stack):
                        _look(stack, operation, say)
                    return self._outcome(stack, operation, say, keep=protected == "keep")
                finally:
                    if made and operation == "preview":
                        # Whoever only looks leaves nothing behind.
                        stack.workspace.remove_stack(self.stack)
        except EngineKilledError as e:
            raise DeploymentError(
                f"{self.folder.path}: {e}; what it had begun may be half done. The same command again goes on; on real "
                "clouds first: pulumi cancel, then refresh"
            ) from e
        except auto.CommandError as e:
            if isinstance(self._failed, GpuInfraError):
                raise DeploymentError(str(self._failed)) from e
            if self._failed is not None:
                said = f"{type(self._failed).__name__}: {self._failed}"
                raise DeploymentError(f"{self.folder.main}: the program failed: {said}") from e
            raise DeploymentError(reason(str(e), self.folder.path, operation, begun=self._begun)) from e

    def _selected(self, operation: str, options: Any) -> tuple[Any, bool]:
        """The Automation API's stack, and whether it was made now: what was never deployed is not there to destroy."""
        import pulumi.automation as auto

        work_dir = str(self.work_dir or self.folder.path)
        where: dict[str, Any] = {
            "stack_name": self.stack,
            "project_name": self.folder.project,
            "program": self._program,
            "work_dir": work_dir,
            "opts": options,
        }
        try:
            return auto.select_stack(**where), False
        except auto.StackNotFoundError:
            if operation not in ("refresh", "destroy"):
                return auto.create_stack(**where), True
        workspace = auto.LocalWorkspace(
            work_dir, env_vars=dict(self.environment), pulumi_command=options.pulumi_command
        )
        there = sorted(s.name for s in workspace.list_stacks())
        known = f"the stacks of this project are {', '.join(there[:8])}" if there else "nothing was deployed from it"
        raise DeploymentError(f"{self.folder.path}: there is no stack '{self.stack}' to {operation}; {known}")

    def _outcome(self, stack: Any, operation: str, say: Callable[[str], None], *, keep: bool) -> Outcome:
        self._begun = True
        more: dict[str, Any] = {"exclude_protected": True} if keep else {}
        done = getattr(stack, operation)(on_output=say, on_error=say, **more)
        changes: dict[str, int] = (
            done.change_summary if operation == "preview" else done.summary.resource_changes
        ) or {}
        held = resources_of(stack.export_stack().deployment)
        # The operation's result has the outputs already, and asking the engine again takes a second.
        given: Any = done.outputs if hasattr(done, "outputs") else stack.outputs() if held else {}
        outputs: dict[str, Any] = {k: v.value for k, v in given.items() if not v.secret}
        names = tuple((r["type"], r["urn"].split("::", 3)[-1]) for r in held if not r["type"].startswith("pulumi:"))
        return Outcome(operation, self.stack, {str(k): v for k, v in changes.items()}, outputs, names)

    def _program(self) -> None:
        try:
            runpy.run_path(str(self.folder.main), run_name="__main__")
        except Exception as e:
            self._failed = e
            raise

    @contextmanager
    def _as_the_engine_sees_it(self) -> Generator[None]:
        """The program runs in the folder, finds its own modules, and sees the environment that the engine does."""
        before, here, path = dict(os.environ), os.getcwd(), list(sys.path)
        os.environ.update(self.environment)
        sys.path.insert(0, str(self.folder.main.parent))
        os.chdir(self.folder.main.parent)
        try:
            yield
        finally:
            os.chdir(here)
            sys.path[:] = path
            os.environ.clear()
            os.environ.update(before)


def resources_of(deployment: Any) -> list[dict[str, Any]]:
    """The resources of an exported state; none where nothing was deployed yet."""
    return cast("dict[str, Any]", deployment or {}).get("resources") or []


def _guards(stack: Any) -> bool:
    """Whether the stack holds something that a change could be refused for."""
    return any(resource.get("protect") for resource in resources_of(stack.export_stack().deployment))


def _look(stack: Any, operation: str, say: Callable[[str], None]) -> None:
    """Raises CommandError where the operation would be refused.

    The Automation API makes no preview of its own, and the engine refuses to delete what is protected only while it changes
    the rest. Looked at first, what is refused changes nothing."""
    getattr(stack, _LOOKS[operation])(on_output=say, on_error=say)


def _unprotect(stack: Any) -> None:
    """Takes the guards off in the stack's state: Pulumi's own, and the one that Google's provider keeps."""
    import pulumi.automation as auto

    exported = stack.export_stack()
    for resource in resources_of(exported.deployment):
        resource.pop("protect", None)
        for part in ("inputs", "outputs"):
            if resource.get(part, {}).get("deletionPolicy") == "PREVENT":
                resource[part]["deletionPolicy"] = "DELETE"
    stack.import_stack(auto.Deployment(exported.version, exported.deployment))
