"""The engine's side of a recording: it keeps every request whole and answers as a deployment would.

It stands where the SDK expects the stubs of the gRPC services ResourceMonitor and Engine, in the same process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import engine_pb2, provider_pb2, resource_pb2

from . import wire
from .answers import Answers
from .transforms import Transforms

STACK: Final = "pulumi:pulumi:Stack"

# Left out: INVOKE_DEPENDS_ON, because without it the SDK itself holds a data source back until what it depends on
# exists, and the *_OUTPUT_VALUES of invokes and calls, because plain arguments say the same here.
_FEATURES: Final = (
    "SECRETS", "RESOURCE_REFERENCES", "OUTPUT_VALUES", "ALIAS_SPECS", "REPLACEMENT_TRIGGER", "DELETED_WITH",
    "REPLACE_WITH", "TRANSFORMS", "INVOKE_TRANSFORMS", "PARAMETERIZATION", "RESOURCE_HOOKS", "ERROR_HOOKS",
    "STATE_MIGRATIONS",
)  # fmt: skip

OLDEST_SDK: Final = "3.260.0"
"""The oldest version of the SDK that a recording was tried with."""


def can_record() -> bool:
    """Whether this SDK can be told that an output is unknown after an update. An older one would read None instead."""
    fields = resource_pb2.RegisterResourceResponse.DESCRIPTOR.fields_by_name
    return "unknown" in fields and hasattr(resource_pb2, "ResourceInvokeResponse")


@dataclass(frozen=True)
class Registration:
    """One request to register or read a resource, with the URN it got."""

    urn: str
    request: Any


@dataclass
class Recorded:
    """Everything that a run sent to its monitor and engine."""

    registrations: dict[str, Registration]
    duplicates: list[tuple[Registration, Registration]]
    reads: dict[str, Registration]
    invokes: list[tuple[str, Any]]
    outputs: struct_pb2.Struct
    logs: list[tuple[str, str]]


def urn_type(urn: str) -> str:
    """The whole type path of a URN: the parents' types and its own, joined by '$'."""
    return urn.split("::", 3)[2] if urn else ""


class Monitor:
    """Stands for the ResourceMonitor stub. The SDK calls it from worker threads, in no fixed order."""

    def __init__(self, project: str, stack: str, *, preview: bool, answers: Answers) -> None:
        self.recorded = Recorded({}, [], {}, [], struct_pb2.Struct(), [])
        self._prefix = f"urn:pulumi:{stack}::{project}"
        self._preview = preview
        self._answers = answers
        self._transforms = Transforms()
        self._lock = threading.RLock()

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802
        request = self._transforms.apply(request) if request.type != STACK else request
        urn = self._urn(request)
        found = Registration(urn, request)
        with self._lock:
            if urn in self.recorded.registrations:
                self.recorded.duplicates.append((self.recorded.registrations[urn], found))
            self.recorded.registrations.setdefault(urn, found)
            self._transforms.keep(urn, request)
            if request.type == STACK or not (request.custom or request.remote):
                return resource_pb2.RegisterResourceResponse(urn=urn)
            answer = self._answers.registered(request)
        response = resource_pb2.RegisterResourceResponse(urn=urn, id=answer.id, object=answer.properties)
        if not self._preview:
            # What has no answer is unknown to the program, not None: None would be written out as "None".
            response.unknown = True
        return response

    def ReadResource(self, request: Any) -> Any:  # noqa: N802
        urn = self._urn(request)
        with self._lock:
            self.recorded.reads[urn] = Registration(urn, request)
            answer = self._answers.read(request)
        response = resource_pb2.ReadResourceResponse(urn=urn, id=answer.id, properties=answer.properties)
        if not self._preview:
            response.unknown = True
        return response

    def Invoke(self, request: Any) -> Any:  # noqa: N802
        args = self._transforms.apply_invoke(request)
        if request.tok == "pulumi:pulumi:getResource":
            return self._rehydrated(wire.python_struct(args).get("urn", ""))
        with self._lock:
            self.recorded.invokes.append((request.tok, args))
            answer = self._answers.invoked(request.tok, args)
        response = resource_pb2.ResourceInvokeResponse()
        if answer is not None:
            getattr(response, "return").CopyFrom(answer)
        elif self._preview:
            response.unknown = True
        else:
            # An update runs on what it gets, so the emptiness says where it comes from.
            getattr(response, "return").update({"$unanswered": request.tok})
        return response

    def Call(self, request: Any) -> Any:  # noqa: N802
        with self._lock:
            self.recorded.invokes.append((request.tok, request.args))
            answer = self._answers.invoked(request.tok, request.args)
        response = provider_pb2.CallResponse()
        if answer is not None:
            getattr(response, "return").CopyFrom(answer)
        return response

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802
        if urn_type(request.urn) == STACK:
            self.recorded.outputs.CopyFrom(request.outputs)
        return empty_pb2.Empty()

    def RegisterStackTransform(self, request: Any) -> Any:  # noqa: N802
        self._transforms.add_stack(request)
        return empty_pb2.Empty()

    def RegisterStackInvokeTransform(self, request: Any) -> Any:  # noqa: N802
        self._transforms.add_stack_invoke(request)
        return empty_pb2.Empty()

    def ExistsResource(self, request: Any) -> Any:  # noqa: N802
        return resource_pb2.ExistsResourceResponse(exists=True, unknown=True)

    def GetDeploymentInfo(self, request: Any) -> Any:  # noqa: N802
        known = dict(resource_pb2.ResourceMonitorFeature.items())
        # SECRETS is number 0: a filter by truth would turn secrets off.
        numbers = [
            known[f"RESOURCE_MONITOR_FEATURE_{f}"] for f in _FEATURES if f"RESOURCE_MONITOR_FEATURE_{f}" in known
        ]
        return resource_pb2.DeploymentInfo(supportedFeatures=numbers)

    def SupportsFeature(self, request: Any) -> Any:  # noqa: N802
        wanted = "".join(c if c.islower() else f"_{c}" for c in request.id).upper()
        return resource_pb2.SupportsFeatureResponse(hasSupport=wanted in _FEATURES)

    def RegisterPackage(self, request: Any) -> Any:  # noqa: N802
        return resource_pb2.RegisterPackageResponse(ref=f"{request.name}@{request.version}")

    def _accept(self, request: Any) -> Any:
        return empty_pb2.Empty()

    RegisterResourceHook: Callable[..., Any] = _accept
    RegisterErrorHook: Callable[..., Any] = _accept
    SignalAndWaitForShutdown: Callable[..., Any] = _accept

    def _urn(self, request: Any) -> str:
        # The stack is the parent of all and stands in no type path (the mocks of the SDK differ here).
        parent = urn_type(request.parent)
        types = f"{parent}${request.type}" if parent and parent != STACK else request.type
        return f"{self._prefix}::{types}::{request.name}"

    def _rehydrated(self, urn: str) -> Any:
        found = self.recorded.registrations.get(urn) or self.recorded.reads.get(urn)
        response = resource_pb2.ResourceInvokeResponse()
        state: dict[str, Any] = {}
        id_ = ""
        if found is not None and hasattr(found.request, "object"):
            with self._lock:
                answer = self._answers.registered(found.request)
            state, id_ = wire.python_struct(answer.properties), answer.id
        getattr(response, "return").update({"urn": urn, "id": id_, "state": state})
        return response


class Engine:
    """Stands for the Engine stub: it keeps what is logged, without debug."""

    def __init__(self, logs: list[tuple[str, str]]) -> None:
        self._logs = logs

    def Log(self, request: Any) -> Any:  # noqa: N802
        if request.severity != engine_pb2.DEBUG:
            self._logs.append((str(engine_pb2.LogSeverity.Name(request.severity)).lower(), str(request.message)))
        return empty_pb2.Empty()

    def RequirePulumiVersion(self, request: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()
