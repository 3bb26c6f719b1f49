"""What a killed operation leaves, put right before the next one, so that nothing is made twice and nothing is forgotten.

On real clouds a person does this with `pulumi cancel`, `pulumi refresh` and a look into the console. The simulated world is
that console: it knows of each resource which program asked for it.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from ..engine.deployment import DeploymentError, resources_of
from .checkpoint import resources_in
from .cloud import Cloud
from .home import Home
from .values import as_list, as_map
from .world import Thing, World
from .world_file import start_anew

Say = Callable[[str], None]
_BEGAN = "began:"


def begin(world: World, stack: str) -> None:
    """Remembers that an operation on a stack has begun; an earlier one that did not end keeps its moment."""
    with world.step():
        if not world.meta(_BEGAN + stack):
            world.set_meta(_BEGAN + stack, world.now.isoformat())


def end(world: World, stack: str) -> None:
    """Remembers that the operation ended well."""
    with world.step():
        world.set_meta(_BEGAN + stack, "")


class Recovery:
    """Puts a stack right: first its files, then, given the Automation API's object of it, what they hold."""

    def __init__(self, home: Home, world: World, clouds: Collection[Cloud], project: str, stack: str) -> None:
        self._home, self._world, self._clouds = home, world, clouds
        self._project, self._stack = project, stack

    def files(self, say: Say) -> None:
        """Takes off a lock whose holder is gone, and takes the last whole state where the newest is half written."""
        for lock in self._locks():
            if _is_dead(lock):
                lock.unlink(missing_ok=True)
                say(f"the update that held the stack {self._stack} is gone: its lock is taken off")
        state = self._home.state / ".pulumi" / "stacks" / self._project / f"{self._stack}.json"
        backup = state.with_name(f"{state.name}.bak")
        if self._locks():
            return
        # The backend writes a checksum beside each file, needs none, and fails on half of one.
        for sums in state.parent.glob(f"{state.name}*.attrs"):
            if not _is_whole(sums):
                sums.unlink(missing_ok=True)
        if _is_whole(state):
            self._own(state)
            self._save(state)
        elif state.exists():
            whole = next((p for p in (backup, self._saved) if _is_whole(p)), None)
            for part in state.parent.glob(f"{state.name}*"):
                if part != whole:
                    part.unlink()
            if whole is not None:
                shutil.copyfile(whole, state)
            say(f"the state of the stack {self._stack} was half written: the one before it is taken")
        elif not state.with_name(f"{state.name}.gz").exists():
            self._known(state)

    def _known(self, state: Path) -> None:
        """Raises DeploymentError where a stack has no state, and the world holds what it made: all would be made again."""
        prefix = f"urn:pulumi:{self._stack}::{self._project}::"
        left = sum(1 for thing in self._world.things() if thing.urn.startswith(prefix))
        if left:
            raise DeploymentError(
                f"{state}: the simulated state of the stack '{self._stack}' is gone, and the simulated clouds still hold "
                f"{left} of its resources, which would be made a second time; nothing was changed. Put the file back. "
                f"{start_anew(self._home.world)}"
            )

    def _own(self, state: Path) -> None:
        """Raises DeploymentError for the state of another stack: what it holds would be taken for this one's, and lost."""
        prefix = f"urn:pulumi:{self._stack}::{self._project}::"
        urns = [str(r.get("urn")) for r in resources_in(state)]
        other = next((u for u in urns if not u.startswith(prefix)), "")
        if other:
            stack, _, project = other.removeprefix("urn:pulumi:").partition("::")
            whose = f"the stack '{stack}' of project '{project.partition('::')[0]}'"
            raise DeploymentError(
                f"{state}: is the state of {whose}, and this is '{self._stack}' of '{self._project}'; nothing was changed. "
                f"Put the right file back, or remove {self._home.root} to start anew"
            )

    @property
    def _saved(self) -> Path:
        return self._home.root / "saved" / f"{self._project}.{self._stack}.json"

    def _save(self, state: Path) -> None:
        # The backend's own copy is no use where the disk is full: it writes over it, again and again.
        try:
            self._saved.parent.mkdir(exist_ok=True)
            fresh = self._saved.with_suffix(".new")
            shutil.copyfile(state, fresh)
            fresh.replace(self._saved)
        except OSError as e:
            raise DeploymentError(f"{self._saved}: cannot be written: {e.strerror}; nothing was begun") from e

    def contents(self, stack: Any, operation: str, say: Say) -> None:
        """Brings the state and the world together, where an operation began and did not end well."""
        began = self._world.meta(_BEGAN + self._stack)
        if began and not self._locks():
            self._settle(stack, datetime.fromisoformat(began), say)
        # A preview changes nothing, so that one which fails leaves nothing to put right.
        if operation != "preview":
            begin(self._world, self._stack)

    def _locks(self) -> list[Path]:
        return sorted(self._home.locks(self._project, self._stack).glob("*.json"))

    def _settle(self, stack: Any, began: datetime, say: Say) -> None:
        import pulumi.automation as auto

        exported = stack.export_stack()
        deployment = as_map(exported.deployment)
        held = resources_of(deployment)
        known = {(r["type"], r.get("id")) for r in held}
        pending = {p["resource"]["urn"]: p["resource"] for p in as_list(deployment.get("pending_operations"))}
        prefix = f"urn:pulumi:{self._stack}::{self._project}::"
        lost = [t for t in self._world.things() if t.urn.startswith(prefix) and (t.type, t.id) not in known]
        for thing in lost:
            if thing.urn in pending:
                held.append(_adopted(pending[thing.urn], thing))
                say(f"{thing.name} was made by an update that was killed: taken into the stack's state")
            elif thing.made_at >= began:
                self._remove(thing)
                say(f"{thing.name} was made by an update that failed, and the stack does not know it: removed")
        if pending:
            deployment["resources"] = held
            deployment.pop("pending_operations")
            stack.import_stack(auto.Deployment(exported.version, deployment))
        there = {(t.type, t.id) for t in self._world.things()}
        if any(_is_managed(r) and (r["type"], r["id"]) not in there for r in held):
            say("what the killed update deleted is taken out of the stack's state")
            stack.refresh(on_output=say)

    def _remove(self, thing: Thing) -> None:
        from .cloud import Request

        package = thing.type.split(":")[0]
        with self._world.step():
            for cloud in self._clouds:
                if cloud.package == package:
                    cloud.delete(Request(thing.type, thing.name, thing.urn, thing.inputs, self._world, {}), thing)
            self._world.end_nodes(self._world.running(thing.type, thing.id), "deleted")
            self._world.forget(thing.type, thing.id)
            self._world.note("delete", thing.name, thing.id)


def _adopted(pending: dict[str, Any], thing: Thing) -> dict[str, Any]:
    """The state of a resource that was made though the engine did not hear of it."""
    # Secrets are not in the world: the engine's own record of what was asked for has them.
    return {**pending, "id": thing.id, "outputs": {**as_map(pending.get("inputs")), **thing.outputs}}


def _is_managed(resource: dict[str, Any]) -> bool:
    """Whether it is a thing of a cloud that the stack made, and not one that it only reads."""
    return bool(resource.get("custom") and not resource.get("external")) and not resource["type"].startswith("pulumi:")


def _is_whole(state: Path) -> bool:
    try:
        return isinstance(json.loads(state.read_text(encoding="utf-8")), dict)
    except (OSError, ValueError):
        return False


def _is_dead(lock: Path) -> bool:
    try:
        read: Any = json.loads(lock.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    holder = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
    pid = holder.get("pid")
    if not isinstance(pid, int) or holder.get("hostname") != socket.gethostname():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
