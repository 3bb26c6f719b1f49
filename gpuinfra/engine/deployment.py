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
from typing import Any, Literal, NoReturn, Protocol, cast

from ..diagnostics import GpuInfraError
from .clusters import Deployed, Planned, deployed
from .locate import Engine
from .reason import kept_from_destroy, reason

OPERATIONS = ("preview", "up", "refresh", "destroy")
Protected = Literal["refuse", "keep", "remove"]
"""What destroy does about protected resources, which hold data: nothing at all is removed while there are some; they stay
and the rest goes; or they go too, and their data with them."""
_LOOKS = ("up", "destroy")
_STACK_NAME = re.compile(r"([A-Za-z0-9_.-]{1,100}/){0,2}[A-Za-z0-9_.-]{1,100}")
_PROJECT_FILES = ("Pulumi.yaml", "Pulumi.yml")


class DeploymentError(Exception):
    """The operation did not happen, or not wholly. The text is for a person."""


def unusable(error: OSError, place: Path | str) -> str:
    """What a person is told of a file or folder that the operation cannot use."""
    return f"{error.filename or place}: cannot be used: {error.strerror or error}"


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
    components: frozenset[tuple[str, str]] = frozenset()
    """Those of them that group others, and are nothing in a cloud."""
    clusters: tuple[Deployed, ...] = ()
    """The clusters that the stack holds afterwards."""
    planned: tuple[Deployed, ...] = ()
    """Of a preview: the clusters that `up` would leave."""


@dataclass(frozen=True)
class StackFolder:
    """A folder that holds a Pulumi project in Python."""

    path: Path
    project: str
    main: Path
    settings_dir: str = ""
    """Where the stacks' settings lie, from the folder; empty: in it."""

    @classmethod
    def at(cls, path: str) -> StackFolder:
        """The folder at a path. Raises DeploymentError where there is no project of Python in it."""
        try:
            return cls._found(Path(path), path)
        except OSError as e:
            raise DeploymentError(unusable(e, path)) from e

    @classmethod
    def _found(cls, folder: Path, path: str) -> StackFolder:
        import yaml

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
        except (yaml.YAMLError, UnicodeDecodeError) as e:
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
        return cls(folder.resolve(), name, main, str(document.get("stackConfigDir") or ""))


def settings_files(folder: Path, settings_dir: str, stack: str) -> list[Path]:
    """The files of a stack's settings (Pulumi.dev.yaml); none of those of a stack whose name is none."""
    name = stack.rpartition("/")[2]
    files = (folder / settings_dir / f"Pulumi.{name}.{end}" for end in ("yaml", "yml", "json"))
    return [file for file in files if _STACK_NAME.fullmatch(stack) and file.is_file()]


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
    _failed: BaseException | None = None
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
            # The Automation API takes the folder of a program that it is handed from the options alone: left out of them, the
            # stack's own config would not be read.
            options = auto.LocalWorkspaceOptions(
                work_dir=str(self.work_dir or self.folder.path),
                env_vars=dict(self.environment),
                pulumi_command=command,
            )
            with self._as_the_engine_sees_it():
                settings = self._settings()
                stack, made = self._selected(operation, options)
                if self.recovery is not None:
                    self.recovery.contents(stack, operation, say)
                if protected == "remove":
                    _unprotect(stack)
                try:
                    guarded = _guarded(stack) if operation in _LOOKS and protected == "refuse" and not made else []
                    if guarded and operation == "destroy":
                        # The engine would name those alone that it comes to first, and not the store that they guard.
                        raise DeploymentError(kept_from_destroy(guarded, self.folder.path, begun=False))
                    if guarded:
                        _look(stack, say)
                    return self._outcome(stack, operation, say, keep=protected == "keep")
                finally:
                    if made and operation == "preview":
                        # Whoever only looks leaves nothing behind.
                        stack.workspace.remove_stack(self.stack, preserve_config=True)
                        self._put_back(settings)
        except EngineKilledError as e:
            raise DeploymentError(
                f"{self.folder.path}: {e}; what it had begun may be half done. The same command again goes on; on real "
                "clouds first: pulumi cancel, then refresh"
            ) from e
        except auto.CommandError as e:
            if isinstance(self._failed, GpuInfraError):
                raise DeploymentError(str(self._failed)) from e
            if isinstance(self._failed, SystemExit):
                raise DeploymentError(
                    f"{self.folder.main}: the program ended itself, with status {self._failed.code}"
                ) from e
            if isinstance(self._failed, _LeftError):
                raise DeploymentError(f"{self.folder.main}: {self._failed}") from e
            if self._failed is not None:
                said = " ".join(f"{type(self._failed).__name__}: {self._failed}".split()).rstrip(": ")
                raise DeploymentError(f"{self.folder.main}: the program failed: {said}") from e
            raise DeploymentError(reason(str(e), self.folder.path, operation, begun=self._begun)) from e

    def _selected(self, operation: str, options: Any) -> tuple[Any, bool]:
        """The Automation API's stack, and whether it was made now: what was never deployed is not there to destroy."""
        import pulumi.automation as auto

        where: dict[str, Any] = {
            "stack_name": self.stack,
            "project_name": self.folder.project,
            "program": self._program,
            "opts": options,
        }
        try:
            return auto.select_stack(**where), False
        except auto.StackNotFoundError:
            if operation not in ("refresh", "destroy"):
                return _made(where)
        workspace = auto.LocalWorkspace(
            options.work_dir, env_vars=dict(self.environment), pulumi_command=options.pulumi_command
        )
        there = sorted(s.name for s in workspace.list_stacks())
        known = f"the stacks of this project are {', '.join(there[:8])}" if there else "nothing was deployed from it"
        raise DeploymentError(f"{self.folder.path}: there is no stack '{self.stack}' to {operation}; {known}")

    def _settings(self) -> dict[Path, bytes]:
        """The stack's own settings files as they are now."""
        folder = self.work_dir or self.folder.path
        return {file: file.read_bytes() for file in settings_files(folder, self.folder.settings_dir, self.stack)}

    def _put_back(self, before: Mapping[Path, bytes]) -> None:
        """Makes the stack's settings what they were: a new stack got a salt for its secrets."""
        for file in self._settings().keys() - before.keys():
            file.unlink()
        for file, content in before.items():
            if not file.is_file() or file.read_bytes() != content:
                file.write_bytes(content)

    def _outcome(self, stack: Any, operation: str, say: Callable[[str], None], *, keep: bool) -> Outcome:
        self._begun = True
        planned = Planned()
        more: dict[str, Any] = {"exclude_protected": True} if keep else {}
        if operation == "preview":
            more["on_event"] = planned.hear
        done = getattr(stack, operation)(on_output=say, on_error=say, **more)
        changes: dict[str, int] = (
            done.change_summary if operation == "preview" else done.summary.resource_changes
        ) or {}
        held = resources_of(stack.export_stack().deployment)
        # The operation's result has the outputs already, and asking the engine again takes a second.
        given: Any = done.outputs if hasattr(done, "outputs") else stack.outputs() if held else {}
        outputs: dict[str, Any] = {k: v.value for k, v in given.items() if not v.secret}
        ours = [r for r in held if not r["type"].startswith("pulumi:")]
        return Outcome(
            operation,
            self.stack,
            {str(k): v for k, v in changes.items()},
            outputs,
            tuple(_named(r) for r in ours),
            frozenset(_named(r) for r in ours if not r.get("custom")),
            deployed(ours),
            planned.clusters,
        )

    def _program(self) -> None:
        try:
            with _no_way_out(self._leaves):
                runpy.run_path(str(self.folder.main), run_name="__main__")
        except SystemExit as e:
            # With status 0 a program says that it is done, as under Pulumi's own language host.
            if e.code not in (None, 0):
                self._failed = e
                raise
        except BaseException as e:  # Also an interruption of the program's own: a person's comes to the main thread.
            self._failed = e
            raise
        if self._failed is not None:  # It left, and caught what was raised there.
            raise self._failed

    def _leaves(self, status: int) -> NoReturn:
        self._failed = _LeftError(f"the program ended its process (os._exit({status})) before it had come to its end")
        raise self._failed

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


class _LeftError(Exception):
    """The program took its way out by os._exit."""


@contextmanager
def _no_way_out(told: Callable[[int], NoReturn]) -> Generator[None]:
    """A program that leaves by os._exit would take this command along, which would look like success."""
    leave, own = os._exit, os.getpid()

    def stopped(status: int) -> NoReturn:
        if os.getpid() != own:  # A process that the program has forked off may end as it likes.
            leave(status)
        told(status)

    os._exit = stopped
    try:
        yield
    finally:
        os._exit = leave


def _named(resource: Mapping[str, Any]) -> tuple[str, str]:
    return resource["type"], resource["urn"].split("::", 3)[-1]


def _made(where: Mapping[str, Any]) -> tuple[Any, bool]:
    """A new stack, and that it is new; where another command has made it in this moment, that one's."""
    import pulumi.automation as auto

    try:
        return auto.create_stack(**where), True
    except auto.StackAlreadyExistsError:
        return auto.select_stack(**where), False


def _guarded(stack: Any) -> list[str]:
    """The names of what the stack holds and a change could be refused for."""
    held = resources_of(stack.export_stack().deployment)
    return sorted({resource["urn"].rpartition("::")[2] for resource in held if resource.get("protect")})


def _look(stack: Any, say: Callable[[str], None]) -> None:
    """Raises CommandError where an update would be refused.

    The Automation API makes no preview of its own, and the engine refuses to delete what is protected only while it changes
    the rest. Looked at first, what is refused changes nothing."""
    stack.preview(on_output=say, on_error=say)


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
