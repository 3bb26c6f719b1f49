# pyright: reportMissingTypeStubs=false
"""The engine's provider protocol over a simulated cloud: check, diff, create, read, update, delete, invoke."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2
from pulumi.runtime.proto import provider_pb2 as pb
from pulumi.runtime.proto import provider_pb2_grpc as service

from . import outside
from .cloud import Cloud, Diffs, Refusal, Request, covers
from .differing import differing, plain, refuses, replaces
from .held import asked_for
from .looking_up import looked_up
from .made_up import made_up
from .schema import ResourceType, Sdk, failures, required_inputs
from .values import (
    UNKNOWN,
    bag,
    changes,
    holds_secret,
    holds_unknown,
    is_list,
    is_map,
    is_special,
    opened,
    secret,
    struct,
)
from .world import Thing, World


class SimulatedProvider(service.ResourceProviderServicer):
    """One plugin process: one package, one world."""

    def __init__(self, cloud: Cloud, sdk: Sdk, world: World) -> None:
        self._cloud = cloud
        self._sdk = sdk
        self._world = world
        self._config: dict[str, Any] = {}

    # The plugin's own life.

    def Handshake(self, request: Any, context: Any) -> Any:  # noqa: N802
        return pb.ProviderHandshakeResponse(accept_secrets=True, accept_resources=True, accept_outputs=False)

    def Attach(self, request: Any, context: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()

    def Cancel(self, request: Any, context: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: N802
        return plugin_pb2.PluginInfo(version=self._sdk.version)

    def GetSchema(self, request: Any, context: Any) -> Any:  # noqa: N802
        return pb.GetSchemaResponse(schema=json.dumps({"name": self._cloud.package, "version": self._sdk.version}))

    def GetMapping(self, request: Any, context: Any) -> Any:  # noqa: N802
        return pb.GetMappingResponse()

    def GetMappings(self, request: Any, context: Any) -> Any:  # noqa: N802
        return pb.GetMappingsResponse()

    def CheckConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        return pb.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        old, new = opened(bag(request.old_inputs)), opened(bag(request.news))
        changed = [path for path, _ in changes(old, new) if path != "version"]
        kind = pb.DiffResponse.DIFF_SOME if changed else pb.DiffResponse.DIFF_NONE
        return pb.DiffResponse(changes=kind, diffs=changed, replaces=[p for p in changed if p in _MOVES_EVERYTHING])

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802
        self._config = {**{k.split(":")[-1]: v for k, v in request.variables.items()}, **opened(bag(request.args))}
        return pb.ConfigureResponse(acceptSecrets=True, supportsPreview=True, acceptResources=True, acceptOutputs=False)

    # Resources.

    def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
        news = bag(request.news)
        kind = self._sdk.type(request.type)
        if kind is None:
            found = [("", f"{self._cloud.package} {self._sdk.version} has no resource type {request.type}")]
        else:
            found = failures(kind, news) or self._cloud.check(request.type, opened(news))
        return pb.CheckResponse(
            inputs=request.news, failures=[pb.CheckFailure(property=p, reason=reason) for p, reason in found]
        )

    def Diff(self, request: Any, context: Any) -> Any:  # noqa: N802
        old, new = (opened(bag(one)) for one in (request.old_inputs, request.news))
        # Of what an import took over nothing is known but that it is there: the program says what it is.
        known = bool(old) or not outside.is_outside(self._world, request.type, request.id)
        old, new = (self._placed(Request(request.type, "", "", one, self._world, self._config)) for one in (old, new))
        ignored = list(request.ignoreChanges)
        table = self._table(request.type)
        found = differing(table, old, new, self._cloud.unordered)
        changed = [(p, k) for p, k in found if not any(covers(plain(i), p) for i in ignored)]
        replaced = [p for p, _ in changed if known and (p in self._cloud.moves or replaces(table, p, old, new))]
        detailed = {
            p: pb.PropertyDiff(kind=getattr(pb.PropertyDiff, k + ("_REPLACE" if p in replaced else "")), inputDiff=True)
            for p, k in changed
        }
        return pb.DiffResponse(
            changes=pb.DiffResponse.DIFF_SOME if changed else pb.DiffResponse.DIFF_NONE,
            diffs=sorted({_top(p) for p, _ in changed}),
            replaces=sorted({_top(p) for p in replaced}),
            detailedDiff=detailed,
            hasDetailedDiff=True,
            # Both bridges, and azure-native: a name that the program gave is free only when the old one is gone.
            deleteBeforeReplace=bool(replaced)
            and self._cloud.names_itself(request.type, new, self._required(request.type)),
        )

    def Create(self, request: Any, context: Any) -> Any:  # noqa: N802
        inputs = bag(request.properties)
        kind = self._kind(request.type)
        if request.preview:
            asked = self._request(request.urn, request.type, inputs)
            return pb.CreateResponse(id="", properties=struct(self._previewed(kind, {**asked.inputs, **inputs})))
        asked = self._request(request.urn, request.type, inputs)
        self._take_time(request.type)
        try:
            with self._world.step():
                asked, id_ = self._identified(asked)
                self._cloud.create(asked, id_)
                asked_for(self._cloud.holding, asked, id_)
                state = self._state(kind, asked, inputs, id_)
                self._keep(replace(asked, urn=request.urn), id_, state)
                self._world.note("create", asked.name, id_)
        except Refusal as e:
            return self._refused(context, asked, e)
        return pb.CreateResponse(id=id_, properties=struct(state))

    def Update(self, request: Any, context: Any) -> Any:  # noqa: N802
        inputs = bag(request.news)
        if request.preview:
            # As at apply: what did not change stays, with what the cloud computed inside it.
            changed = {_top(p) for p, _ in changes(opened(bag(request.old_inputs)), opened(inputs))}
            sent = self._cloud.shape({key: inputs.get(key) for key in sorted(changed)})
            kept = {k: v for k, v in bag(request.olds).items() if k not in changed}
            return pb.UpdateResponse(properties=struct({**kept, **{k: v for k, v in sent.items() if v is not None}}))
        asked = self._request(request.urn, request.type, inputs)
        table, before = self._table(request.type), self._request(request.urn, request.type, bag(request.old_inputs))
        old_inputs = before.inputs
        changed = [p for p, _ in changes(old_inputs, asked.inputs)]
        try:
            with self._world.step():
                old = self._there(request, inputs)
                if old is None:
                    raise Refusal("NotFound", f"{request.id} is not there any more; refresh the stack")
                meant = differing(table, old_inputs, asked.inputs, self._cloud.unordered)
                for path in filter(None, (refuses(table, p, old_inputs, asked.inputs) for p, _ in meant)):
                    raise Refusal(table.refusal, f"Changing property '{path}' is not allowed.")
                # Only what changed is sent: what something else moved since stays as it is.
                sent = {key: inputs.get(key) for key in sorted({_top(p) for p in changed})}
                sent = self._cloud.shape(sent)
                moved = replace(old, outputs={**old.outputs, **opened(sent)})
                self._cloud.update(asked, moved)
                asked_for(self._cloud.holding, asked, request.id)
                again = self._world.thing(request.type, request.id)
                now = dict(again.outputs) if again is not None and again.outputs != old.outputs else dict(moved.outputs)
                fresh = {k: v for k, v in self._cloud.outputs(asked, request.id).items() if k in _COUNTERS}
                state = {**_marked(bag(request.olds), now), **{k: v for k, v in sent.items() if v is not None}, **fresh}
                state = {k: v for k, v in state.items() if k not in sent or sent[k] is not None}
                still = {k: v for k, v in old.outputs.items() if k in table.silent}
                self._keep(
                    asked, request.id, {**{k: v for k, v in state.items() if k not in table.silent}, **still}, old
                )
                self._world.note("update", asked.name, request.id)
        except Refusal as e:
            return self._refused(context, asked, e)
        return pb.UpdateResponse(properties=struct(state))

    def Read(self, request: Any, context: Any) -> Any:  # noqa: N802
        given, inputs = bag(request.properties), bag(request.inputs)
        with self._world.step():
            thing = self._there(request, inputs if given != inputs else {})
            if thing is None:
                if not outside.is_looked_for(self._world, request.id, given, inputs):
                    return pb.ReadResponse()
                outside.mark(self._world, request.type, request.id)
                return pb.ReadResponse(
                    id=request.id, properties=struct(self._seen_outside(request, given)), inputs=struct({})
                )
            now = {**thing.outputs, **self._cloud.read(self._world, thing)}
        seen = {k: _as_before(given.get(k), v) for k, v in now.items()}
        for key in inputs:
            if key in now:
                inputs[key] = _seen_again(inputs[key], now[key])
        # An import says nothing of its own: what it takes over was made with these.
        found = inputs if inputs or given else dict(thing.inputs)
        return pb.ReadResponse(id=request.id, properties=struct(seen), inputs=struct(found))

    def _there(self, request: Any, inputs: Mapping[str, Any]) -> Thing | None:
        """What has the id; a resource that was taken over stands there from the first time on that its inputs are known."""
        thing = self._world.thing(request.type, request.id)
        if thing is not None or not inputs or not outside.is_outside(self._world, request.type, request.id):
            return thing
        asked = self._request(request.urn, request.type, inputs)
        self._keep(asked, request.id, opened(self._state(self._kind(request.type), asked, inputs, request.id)))
        return self._world.thing(request.type, request.id)

    def _seen_outside(self, request: Any, given: Mapping[str, Any]) -> Mapping[str, Any]:
        kind = self._kind(request.type)
        if kind is None or not {*given} <= {*kind.inputs}:
            # Found before: a refresh finds it as it was.
            return given
        asked = self._request(request.urn, request.type, given)
        return self._state(kind, asked, given, request.id)

    def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        asked = self._request(request.urn, request.type, bag(request.properties))
        try:
            with self._world.step():
                old = self._world.thing(request.type, request.id)
                if old is not None:
                    self._cloud.delete(asked, old)
                    self._world.end_nodes(self._world.running(old.type, old.id), "deleted")
                    self._world.forget(request.type, request.id)
                    self._world.note("delete", asked.name, request.id)
                outside.forget(self._world, request.type, request.id)
        except Refusal as e:
            context.abort(grpc.StatusCode.UNKNOWN, str(e))
        return empty_pb2.Empty()

    def Invoke(self, request: Any, context: Any) -> Any:  # noqa: N802
        args, own = opened(bag(request.args)), self._cloud.invoke.get(request.tok)
        try:
            with self._world.step():
                found = looked_up(self._cloud, self._sdk, request.tok, args, self._world, self._config)
                given = {**(found or {}), **own(args, self._world, self._config)} if own is not None else found
        except Refusal as e:
            context.abort(grpc.StatusCode.UNKNOWN, str(e))
            raise AssertionError from e
        if given is None:
            context.abort(
                grpc.StatusCode.UNIMPLEMENTED,
                f"{self._cloud.package} {self._sdk.version} has no data source {request.tok}",
            )
            raise AssertionError
        # A field by the name of a word of Python.
        answered: dict[str, Any] = {"return": struct(given)}
        return pb.InvokeResponse(**answered)

    def _take_time(self, type_: str) -> None:
        """Sleeps as long as the stock file says that a type takes. Outside of a step, so that others go on."""
        seconds = self._world.meta(f"slow:{type_}") or self._world.meta("slow:*")
        if seconds:
            time.sleep(float(seconds))

    # How a state is made.

    def _table(self, token: str) -> Diffs:
        return self._cloud.diffs.get(token) or self._cloud.others(token)

    def _required(self, token: str) -> tuple[str, ...]:
        kind = self._kind(token)
        return required_inputs(kind) if kind is not None else ()

    def _kind(self, token: str) -> ResourceType | None:
        return self._sdk.type(token)

    def _request(self, urn: str, type_: str, inputs: Mapping[str, Any]) -> Request:
        asked = Request(type_, urn.split("::", 3)[-1], urn, opened(dict(inputs)), self._world, self._config)
        return replace(asked, inputs=self._placed(asked))

    def _placed(self, asked: Request) -> dict[str, Any]:
        """The inputs, with where the provider puts what the program puts nowhere."""
        kind = self._kind(asked.type)
        takes = kind.inputs if kind is not None else ()
        given = {k: v for k, v in asked.inputs.items() if v is not None}
        return {**{k: v for k, v in self._cloud.placed(asked).items() if k in takes and v}, **given}

    def _identified(self, asked: Request) -> tuple[Request, str]:
        """The id of a new resource. Where one of that id stands yet, as what it replaces does, a made-up name is another;
        a name that the program gave stays, and the cloud has to say what it thinks of two."""
        id_ = self._cloud.identify(asked)
        while self._world.thing(asked.type, id_) is not None:
            again = replace(asked, turn=asked.turn + 1)
            other = self._cloud.identify(again)
            if other == id_:
                break
            asked, id_ = again, other
        return asked, id_

    def _previewed(self, kind: ResourceType | None, inputs: dict[str, Any]) -> dict[str, Any]:
        unknown = dict.fromkeys(kind.outputs, UNKNOWN) if kind is not None else {}
        # An input that was left out is not computed either, as far as a preview can tell.
        for name in kind.inputs if kind is not None else ():
            if name not in inputs:
                unknown.pop(name, None)
        return {**unknown, **self._cloud.shape(inputs)}

    def _state(self, kind: ResourceType | None, asked: Request, inputs: Mapping[str, Any], id_: str) -> dict[str, Any]:
        given = self._cloud.outputs(asked, id_)
        own = {k: v for k, v in given.items() if kind is None or k in kind.outputs}
        place = {k: v for k, v in self._cloud.placed(asked).items() if asked.inputs.get(k) == v and k not in inputs}
        own = {**place, **own}
        state = made_up(kind, asked, id_, known={*inputs, *own}, word=self._cloud.word) if kind is not None else {}
        for name in state:
            if f"{asked.type}.{name}" in self._cloud.computed_secret:
                state[name] = secret(state[name])
        return {**state, **self._cloud.shape(dict(inputs)), **own}

    def _keep(self, asked: Request, id_: str, state: Mapping[str, Any], old: Thing | None = None) -> None:
        # The world's file is no place for secrets: what is marked stays out of it.
        plain = {k: v for k, v in state.items() if not holds_secret(v)}
        inputs = {k: v for k, v in asked.inputs.items() if k in plain}
        made = old.made_at if old is not None else self._world.now
        self._world.keep(Thing(asked.type, id_, asked.name, asked.urn, inputs, plain, made))

    def _refused(self, context: Any, asked: Request, refusal: Refusal) -> Any:
        self._world.note("refuse", asked.name, str(refusal))
        context.abort(grpc.StatusCode.UNKNOWN, str(refusal))


_MOVES_EVERYTHING = ("region", "project", "subscriptionId")


def _top(path: str) -> str:
    return path.split(".")[0].split("[")[0]


def _marked(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """The state now, with the marks of secrets that it had, and with the secrets, which the world does not hold."""
    kept = {k: v for k, v in before.items() if k not in now and holds_secret(v)}
    return {**kept, **{k: _as_before(before.get(k), v) for k, v in now.items()}}


_COUNTERS = frozenset({"latestVersion", "fingerprint", "etag"})


def _seen_again(asked: Any, now: Any) -> Any:
    """What an input reads after the cloud was asked: only what the program had said, since the rest is computed."""
    plain = opened(asked)
    if is_map(asked) and is_map(now) and not is_special(asked):
        return {key: _seen_again(value, now[key]) if key in now else value for key, value in asked.items()}
    if is_list(asked) and is_list(now) and len(asked) == len(now):
        return [_seen_again(a, n) for a, n in zip(asked, now, strict=True)]
    if is_list(plain) and is_map(now) and sorted(map(str, plain)) == sorted(now):
        # A list of ids that the cloud gives back as a mapping.
        return asked
    return asked if plain == now else now


def _as_before(before: Any, now: Any) -> Any:
    """The value now; where nothing moved, with the marks that it had."""
    if before is not None and not holds_unknown(before) and opened(before) == now:
        return before
    return now
