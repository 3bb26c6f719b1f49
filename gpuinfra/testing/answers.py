"""What the monitor answers: the outputs of resources, reads and data sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import struct_pb2

from ..policy.resource_graph import UNKNOWN, Secret
from . import data_sources, stack_references, wire
from .computed_inside import add_computed
from .declarations import NO_ANSWER, Declarations, answer_for
from .shapes import Asked
from .tokens import Tokens
from .variant import PLAIN, Variant

OutputsCallback = Callable[[str, str, Mapping[str, Any]], "Mapping[str, Any] | None"]
"""(type, logical name, inputs) to outputs by wire name, `id` among them; None or a missing name: a token."""
InvokeCallback = Callable[[str, Mapping[str, Any]], "Mapping[str, Any] | None"]
"""(function token, arguments) to the answer by wire name; None: the default answer."""


@dataclass(frozen=True)
class Answer:
    """The state of a resource as the engine would send it back."""

    properties: struct_pb2.Struct
    id: str


class Answers:
    """Answers of one recording. Callbacks are called one at a time, from the monitor's lock."""

    def __init__(
        self,
        tokens: Tokens,
        declarations: Declarations,
        *,
        preview: bool,
        region: str,
        outputs: OutputsCallback | None,
        invoke: InvokeCallback | None,
        stack_references: Mapping[str, Mapping[str, Any]],
        variant: Variant = PLAIN,
    ) -> None:
        self.made_up: Final[set[str]] = set()
        """Functions whose answer nobody knew."""
        self._variant = variant
        self.decoder: Final = wire.Decoder(tokens)
        self._tokens = tokens
        self._declarations = declarations
        self._preview = preview
        self._region = region
        self._outputs = outputs
        self._invoke = invoke
        self._stacks = stack_references

    def registered(self, request: Any) -> Answer:
        """The state after the resource is created: its inputs back, and in an update its outputs. In preview nothing
        that is computed."""
        if self._preview:
            return Answer(_struct(_as_outputs(wire.python_struct(request.object))), "")
        given = self._given(request.type, request.name, request.object)
        id_ = given.pop("id", None)
        state = self._state(request, wire.python_struct(request.object), given)
        default = self._tokens.resource(request.name, "id") if request.custom else ""
        return Answer(_struct(state), str(id_) if id_ not in (None, UNKNOWN) else default)

    def read(self, request: Any) -> Answer:
        """The state of a resource that exists already. Its id is the one asked for."""
        id_ = "" if request.id == wire.UNKNOWN_TEXT else request.id
        if request.type == stack_references.TYPE:
            return Answer(_struct(self._stack(id_)), id_)
        given = self._given(request.type, request.name, request.properties)
        given.pop("id", None)
        inputs = wire.python_struct(request.properties)
        if self._preview:
            return Answer(_struct({**inputs, **{k: wire.encode(v) for k, v in given.items()}}), id_)
        return Answer(_struct(self._state(request, inputs, given)), id_)

    def invoked(self, token: str, args: struct_pb2.Struct) -> struct_pb2.Struct | None:
        """What a data source returns; None where nothing is known about it."""
        plain = wire.plain(self.decoder.struct(args))
        answer: Mapping[str, Any] | None = self._invoke(token, plain) if self._invoke else None
        if answer is not None:
            return _struct(wire.encode(answer))
        # The default works on the wire form, so that tokens in the arguments come back as they are.
        raw = wire.python_struct(args)
        asked = Asked(token, self._tokens.answered, self._tokens.shaped, self._variant)
        default, made_up = data_sources.answer(asked, raw, self._region)
        if made_up:
            self.made_up.add(token)
        return None if default is None else _struct(default)

    def _given(self, type_: str, name: str, inputs: struct_pb2.Struct) -> dict[str, Any]:
        if self._outputs is None:
            return {}
        return dict(self._outputs(type_, name, wire.plain(self.decoder.struct(inputs))) or {})

    def _state(self, request: Any, inputs: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        declared = self._declarations.of(request.type, request.name)

        def token(path: str) -> str:
            return self._tokens.resource(request.name, path)

        state = {key: _known(value, token, key) for key, value in inputs.items()}
        for key, typ in declared.computed.items():
            if key in state or key in given:
                continue
            # An input that the program left out is often absent in the cloud too: no object is made up for it.
            found = answer_for(typ, token, key, objects=key not in declared.inputs)
            if found is not NO_ANSWER:
                state[key] = found
        add_computed(request.type, state, token)
        for key, value in given.items():
            if value is UNKNOWN:
                state.pop(key, None)
            else:
                state[key] = wire.encode(value)
        for key in request.additionalSecretOutputs:
            if key in state:
                state[key] = wire.secret(state[key])
        return _as_outputs(state)

    def _stack(self, name: str) -> dict[str, Any]:
        outputs = self._stacks.get(name, {})
        secrets = sorted(key for key, value in outputs.items() if isinstance(value, Secret))
        return {"name": name, "outputs": wire.encode(outputs), "secretOutputNames": secrets}


def _known(raw: Any, token: Callable[[str], str], path: str) -> Any:
    """A value in which every unknown is a token: after an update nothing that the resource holds is unknown."""
    if not wire.holds_unknown(raw):
        return raw
    if isinstance(raw, dict):
        # The inside of a secret stands at the secret's own path.
        marked = wire.is_marked(raw)
        return {key: _known(v, token, path if marked else f"{path}.{key}") for key, v in raw.items()}  # pyright: ignore
    if isinstance(raw, list):
        return [_known(value, token, f"{path}[{i}]") for i, value in enumerate(raw)]  # pyright: ignore
    return token(path)


def _as_outputs(state: dict[str, Any]) -> dict[str, Any]:
    """Inputs as outputs where the two have other forms: azure-native takes the identities of a machine as a list of ids,
    and gives them back as a mapping by id."""
    identity = state.get("identity")
    ids: Any = identity.get("userAssignedIdentities") if isinstance(identity, dict) else None  # pyright: ignore
    if not isinstance(ids, list):
        return state
    if wire.holds_unknown(ids):
        mapping: Any = wire.UNKNOWN_TEXT
    else:
        mapping = {str(one): {} for one in ids}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return {**state, "identity": {**identity, "userAssignedIdentities": mapping}}  # pyright: ignore


def _struct(values: Mapping[str, Any]) -> struct_pb2.Struct:
    struct = struct_pb2.Struct()
    struct.update(dict(values))
    return struct
