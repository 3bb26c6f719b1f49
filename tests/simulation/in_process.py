# pyright: reportPrivateUsage=false
"""The simulated clouds without an engine: what a program registers goes through Check, Create, Diff and Update of the same
providers that the engine's plugins serve, in the order of registration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pulumi.runtime import rpc

from gpuinfra.clock import NOW_VARIABLE
from gpuinfra.policy.resource_graph import ResourceGraph
from gpuinfra.simulation.plugin import CLOUDS
from gpuinfra.simulation.provider import SimulatedProvider
from gpuinfra.simulation.schema import Sdk
from gpuinfra.simulation.values import bag, is_map, opened, struct
from gpuinfra.simulation.world import World
from gpuinfra.testing import record
from tests.specs import NOW


class RefusedError(Exception):
    """What the simulated cloud answered: at plan time (`check`) or at apply."""

    def __init__(self, moment: str, name: str, text: str) -> None:
        self.moment, self.name, self.text = moment, name, text
        super().__init__(f"{moment} {name}: {text}")


class _Context:
    """What the servicer is given in place of a call's own: it raises where a call would be aborted."""

    def abort(self, code: Any, text: str) -> None:
        raise _AbortedError(text)


class _AbortedError(Exception):
    pass


class Clouds:
    """Every package's provider over one world, and the state that an engine would keep."""

    def __init__(self, folder: Path, config: Mapping[str, Any] | None = None) -> None:
        self.world = World(folder / "world.sqlite", lambda: NOW)
        """It begins at the tests' own moment, on whatever day they run."""
        self.state: dict[tuple[str, str], tuple[str, dict[str, Any], dict[str, Any]]] = {}
        """Id, inputs and outputs by type and logical name."""
        self.config = dict(config or {})
        self.replaced: list[str] = []
        self.updated: list[str] = []
        self.created: list[str] = []
        self.read: list[str] = []
        self.spoil: Callable[[str, str, dict[str, Any]], None] = lambda type_, name, inputs: None
        """Changes what the program registers, on its way to the cloud."""
        self._ignored: dict[tuple[str, str], list[str]] = {}
        self._goes_first: dict[tuple[str, str], bool] = {}
        self._providers: dict[str, SimulatedProvider] = {}

    def up(self, program: Callable[[], Any] | str | Path, **options: Any) -> ResourceGraph:
        """Runs a program as `up` does: what is new is made, what differs is changed."""
        self.replaced, self.updated, self.created, self.read = [], [], [], []
        options.setdefault("env", {NOW_VARIABLE: self.world.now.isoformat()})
        graph = record(program, outputs=self.deploy, invoke=self.invoke, **options)
        self._ignored = {(r.type, r.name): list(r.options.get("ignoreChanges", ())) for r in graph}
        self._goes_first = {(r.type, r.name): bool(r.options.get("deleteBeforeReplace")) for r in graph}
        return graph

    def deploy(self, type_: str, name: str, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Registers one resource. Raises RefusedError."""
        package = type_.partition(":")[0]
        if package not in CLOUDS:
            return None
        provider = self._provider(package)
        urn = f"urn:pulumi:dev::project::{type_}::{name}"
        given = _as_wire(dict(inputs))
        self.spoil(type_, name, given)
        checked = provider.Check(SimpleNamespace(news=struct(given), type=type_, urn=urn), _Context())
        if checked.failures and set(given) <= {"region"}:
            # What the program only reads.
            asked = SimpleNamespace(type=type_, id=name, urn=urn, inputs=struct({}), properties=struct(given))
            read = provider.Read(asked, _Context())
            self.read.append(name)
            return opened(bag(read.properties))
        if checked.failures:
            raise RefusedError("check", name, "; ".join(f"{f.property}: {f.reason}" for f in checked.failures))
        try:
            id_, state = self._made(provider, type_, name, urn, given)
        except _AbortedError as e:
            raise RefusedError("apply", name, str(e)) from e
        self.state[type_, name] = (id_, given, state)
        return {"id": id_, **opened(state)}

    def refresh(self) -> None:
        """Reads what the clouds have now."""
        for (type_, name), (id_, inputs, state) in list(self.state.items()):
            asked = SimpleNamespace(
                type=type_,
                id=id_,
                urn=f"urn:pulumi:dev::project::{type_}::{name}",
                inputs=struct(inputs),
                properties=struct(state),
            )
            read = self._provider(type_.partition(":")[0]).Read(asked, _Context())
            if read.id:
                self.state[type_, name] = (id_, bag(read.inputs), bag(read.properties))
            else:
                del self.state[type_, name]

    def remove(self, type_: str, name: str) -> None:
        """Takes a resource out of the cloud and the state."""
        id_, _, state = self.state.pop((type_, name))
        urn = f"urn:pulumi:dev::project::{type_}::{name}"
        gone = SimpleNamespace(type=type_, id=id_, urn=urn, properties=struct(state))
        self._provider(type_.partition(":")[0]).Delete(gone, _Context())

    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any] | None:
        package = token.partition(":")[0]
        if package not in CLOUDS:
            return None
        asked = SimpleNamespace(tok=token, args=struct(_as_wire(dict(args))))
        return bag(getattr(self._provider(package).Invoke(asked, _Context()), "return"))

    def _made(
        self, provider: SimulatedProvider, type_: str, name: str, urn: str, given: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        before = self.state.get((type_, name))
        after: SimpleNamespace | None = None
        if before is not None:
            id_, old_inputs, old = before
            for path in self._ignored.get((type_, name), ()):
                _keep(given, old_inputs, path.split("."))
            asked = SimpleNamespace(
                type=type_,
                urn=urn,
                id=id_,
                old_inputs=struct(old_inputs),
                news=struct(given),
                olds=struct(old),
                ignoreChanges=[],
                preview=False,
            )
            diff = provider.Diff(asked, _Context())
            if diff.changes != diff.DIFF_SOME:
                return id_, old
            if not diff.replaces:
                self.updated.append(name)
                return id_, bag(provider.Update(asked, _Context()).properties)
            self.replaced.append(name)
            after = SimpleNamespace(type=type_, urn=urn, id=id_, properties=struct(old))
            if diff.deleteBeforeReplace or self._goes_first.get((type_, name)):
                provider.Delete(after, _Context())
                after = None
        made = provider.Create(
            SimpleNamespace(type=type_, urn=urn, properties=struct(given), preview=False), _Context()
        )
        if after is not None:
            provider.Delete(after, _Context())
        self.created.append(name)
        return made.id, bag(made.properties)

    def _provider(self, package: str) -> SimulatedProvider:
        if package not in self._providers:
            cloud = import_module(f"gpuinfra.simulation.clouds.{CLOUDS[package]}").CLOUD
            provider = SimulatedProvider(cloud, Sdk(package), self.world)
            provider.Configure(SimpleNamespace(variables={}, args=struct(self.config)), _Context())
            self._providers[package] = provider
        return self._providers[package]


def _keep(given: dict[str, Any], before: Mapping[str, Any], path: list[str]) -> None:
    """What the engine does with a path of ignore_changes: the new inputs have the old value there."""
    first, *rest = path
    if rest and is_map(given.get(first)) and is_map(before.get(first)):
        _keep(given[first], before[first], rest)
    elif first in before:
        given[first] = before[first]
    else:
        given.pop(first, None)


_MARKS = {"$asset": rpc._special_asset_sig, "$archive": rpc._special_archive_sig}
"""A recording's word for an asset to the engine's."""


def _as_wire(value: Any) -> Any:
    if is_map(value):
        for mark, signature in _MARKS.items():
            if mark in value:
                return {rpc._special_sig_key: signature, **_as_wire(value[mark])}
        return {k: _as_wire(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_as_wire(v) for v in value]
    return value
