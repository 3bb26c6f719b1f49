# pyright: reportMissingTypeStubs=false
"""Deploys a program to the simulated clouds in this process, and previews another one over it.

The providers are the ones that a real engine starts (`gpuinfra.simulation`); their Check, Diff, Create and Update are
called here without one. Of the engine stands here what decides on a step: new, same, update or replace, from the
provider's Diff, `ignore_changes`, `replace_on_changes`, `replace_with` and a replaced provider; what is made anew is
unknown to those that follow. tests/engine/test_changes.py holds these decisions against the real engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from pulumi.runtime.proto import provider_pb2 as pb
from pulumi.runtime.proto import resource_pb2

from gpuinfra.simulation.cloud import Cloud, covers
from gpuinfra.simulation.plugin import CLOUDS
from gpuinfra.simulation.provider import SimulatedProvider
from gpuinfra.simulation.schema import Sdk
from gpuinfra.simulation.values import UNKNOWN, bag, is_list, is_map, secret, struct
from gpuinfra.simulation.world import World
from gpuinfra.testing import record
from gpuinfra.testing.monitor import STACK, Monitor, Registration
from tests.specs import NOW

_PROVIDER = "pulumi:providers:"


class RefusedError(Exception):
    """A cloud said no."""


class _Context:
    """Where a provider's answer to an engine ends in an error."""

    def abort(self, code: object, details: str) -> None:
        raise RefusedError(details)


@dataclass(frozen=True)
class State:
    """A resource that was deployed."""

    type: str
    id: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    protect: bool


@dataclass(frozen=True)
class Step:
    """What happens to a resource: create, same, update, replace or delete."""

    urn: str
    type: str
    op: str
    protect: bool = False
    """Whether what is there already is protected."""
    paths: tuple[str, ...] = ()
    """Wire paths of what changes; of a replacement, those that force it."""
    refused: tuple[str, ...] = ()
    """Wire paths that the provider calls an update and the cloud refuses."""

    @property
    def name(self) -> str:
        return self.urn.split("::", 3)[-1]


@dataclass
class Deployed:
    """What a program made."""

    states: dict[str, State] = field(default_factory=dict[str, State])
    steps: dict[str, Step] = field(default_factory=dict[str, Step])


class SmallEngine:
    """The simulated clouds of one cluster."""

    def __init__(self, folder: Path) -> None:
        # Time stands, so that a table is the same on every day.
        self._world = World(folder / "world.sqlite", lambda: NOW)
        self._providers = {p: SimulatedProvider(cloud_of(p), Sdk(p), self._world) for p in CLOUDS}
        self.deployed: dict[str, State] = {}

    def close(self) -> None:
        self._world.close()

    def up(self, program: Callable[[], Any]) -> Deployed:
        """Deploys to the empty clouds."""
        done = self._run(program, preview=False)
        self.deployed = done.states
        return done

    def preview(self, program: Callable[[], Any]) -> Deployed:
        """What `up` of a program would do to what is deployed."""
        done = self._run(program, preview=True)
        for urn, old in self.deployed.items():
            if urn not in done.steps:
                done.steps[urn] = Step(urn, old.type, "delete", old.protect)
        return done

    def _run(self, program: Callable[[], Any], *, preview: bool) -> Deployed:
        run = _Run(self._providers, self.deployed, preview)

        def monitor(project: str, stack: str, *, preview: bool, answers: Any) -> Monitor:
            return _Stepping(project, stack, preview=preview, answers=answers, run=run)

        with mock.patch("gpuinfra.testing.session.Monitor", monitor):
            record(program, preview=preview)
        return run.done


class _Run:
    """One operation."""

    def __init__(self, providers: Mapping[str, SimulatedProvider], old: Mapping[str, State], preview: bool) -> None:
        self._providers = providers
        self._old = old
        self._preview = preview
        self.done = Deployed()

    def provider(self, token: str) -> SimulatedProvider:
        return self._providers[token.partition(":")[0]]

    def register(self, urn: str, request: Any) -> State:
        inputs: dict[str, Any] = for_providers(bag(request.object))
        if request.type.startswith(_PROVIDER):
            raise NotImplementedError("no room makes a provider of its own")
        checked = self.provider(request.type).Check(
            pb.CheckRequest(urn=urn, type=request.type, news=struct(inputs)), _Context()
        )
        if checked.failures:
            raise RefusedError("; ".join(f"{urn}: {f.property}: {f.reason}" for f in checked.failures))
        step = self._step(urn, request, inputs)
        state = self._carried_out(step, request, inputs)
        self.done.steps[urn], self.done.states[urn] = step, state
        return state

    def _step(self, urn: str, request: Any, inputs: Mapping[str, Any]) -> Step:
        old = self._old.get(urn)
        if old is None:
            return Step(urn, request.type, "create")
        diff = self.provider(request.type).Diff(
            pb.DiffRequest(
                id=old.id,
                urn=urn,
                type=request.type,
                olds=struct(old.outputs),
                old_inputs=struct(old.inputs),
                news=struct(inputs),
                ignoreChanges=list(request.ignoreChanges),
            ),
            _Context(),
        )
        changed = sorted(diff.detailedDiff)
        forced = [p for p in changed if diff.detailedDiff[p].kind in _REPLACING or _asked(request, p)]
        if forced or any(self.done.steps[u].op == "replace" for u in request.replace_with if u in self.done.steps):
            return Step(urn, request.type, "replace", old.protect, tuple(forced))
        table = cloud_of(request.type.partition(":")[0]).diffs.get(request.type)
        refused = [p for p in changed if table and any(covers(r, p) for r in table.refuse)]
        return Step(urn, request.type, "update" if changed else "same", old.protect, tuple(changed), tuple(refused))

    def _carried_out(self, step: Step, request: Any, inputs: Mapping[str, Any]) -> State:
        provider, old = self.provider(request.type), self._old.get(step.urn)
        id_, outputs = "", {}
        if step.op in ("create", "replace"):
            made = provider.Create(
                pb.CreateRequest(urn=step.urn, type=request.type, properties=struct(inputs), preview=self._preview),
                _Context(),
            )
            id_, outputs = made.id, bag(made.properties)
        elif old is not None:
            id_, outputs = old.id, dict(old.outputs)
            if step.op == "update":
                asked = pb.UpdateRequest(
                    id=id_,
                    urn=step.urn,
                    type=request.type,
                    olds=struct(outputs),
                    old_inputs=struct(old.inputs),
                    news=struct(inputs),
                    preview=True,
                )
                outputs = bag(provider.Update(asked, _Context()).properties)
        return State(request.type, id_, inputs, outputs, request.protect)

    def read(self, urn: str, request: Any) -> Any:
        asked = pb.ReadRequest(id=request.id, urn=urn, type=request.type)
        return self.provider(request.type).Read(asked, _Context())

    def invoke(self, token: str, args: Any) -> Any:
        return self.provider(token).Invoke(pb.InvokeRequest(tok=token, args=args), _Context())


_REPLACING = (pb.PropertyDiff.ADD_REPLACE, pb.PropertyDiff.DELETE_REPLACE, pb.PropertyDiff.UPDATE_REPLACE)


def _asked(request: Any, path: str) -> bool:
    return any(asked == "*" or covers(asked.replace("[*]", ""), path) for asked in request.replaceOnChanges)


class _Stepping(Monitor):
    """A monitor whose answers come from the simulated clouds."""

    def __init__(self, project: str, stack: str, *, preview: bool, answers: Any, run: _Run) -> None:
        super().__init__(project, stack, preview=preview, answers=answers)
        self._run = run

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802
        if request.type != STACK:
            request = self._transforms.apply(request)
        urn = self._urn(request)
        with self._lock:
            self.recorded.registrations.setdefault(urn, Registration(urn, request))
            if request.type == STACK or not request.custom:
                return resource_pb2.RegisterResourceResponse(urn=urn)
            state = self._run.register(urn, request)
        return resource_pb2.RegisterResourceResponse(urn=urn, id=state.id, object=struct(state.outputs))

    def ReadResource(self, request: Any) -> Any:  # noqa: N802
        urn = self._urn(request)
        with self._lock:
            self.recorded.reads[urn] = Registration(urn, request)
            found = self._run.read(urn, request)
        return resource_pb2.ReadResourceResponse(urn=urn, id=found.id, properties=found.properties)

    def Invoke(self, request: Any) -> Any:  # noqa: N802
        args = self._transforms.apply_invoke(request)
        with self._lock:
            self.recorded.invokes.append((request.tok, args))
            found = self._run.invoke(request.tok, args)
        response = resource_pb2.ResourceInvokeResponse()
        getattr(response, "return").CopyFrom(getattr(found, "return"))
        return response


def for_providers(value: Any) -> Any:
    """Inputs as the engine hands them to a provider that takes secrets and no outputs."""
    if is_list(value):
        return [for_providers(v) for v in value]
    if not is_map(value):
        return value
    if "value" in value or "dependencies" in value:
        from pulumi.runtime import rpc

        if value.get(rpc._special_sig_key) == rpc._special_output_value_sig:
            inner = for_providers(value["value"]) if "value" in value else UNKNOWN
            return secret(inner) if value.get("secret") else inner
    return {k: for_providers(v) for k, v in value.items()}


def cloud_of(package: str) -> Cloud:
    """The simulated cloud of a package."""
    return import_module(f"gpuinfra.simulation.clouds.{CLOUDS[package]}").CLOUD


def temporary() -> TemporaryDirectory[str]:
    """A folder for the worlds of one run."""
    return TemporaryDirectory(prefix="gpuinfra-changes-")
