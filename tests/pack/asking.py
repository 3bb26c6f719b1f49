"""An analyzer asked as the engine asks it: in what order, and in what form on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import grpc
from google.protobuf import struct_pb2
from pulumi.runtime import proto
from pulumi_policy import proxy

from gpuinfra.pack.analyzer import RuleAnalyzer
from gpuinfra.policy import UNKNOWN, OutputRef, Resource, ResourceGraph, Secret
from gpuinfra.policy.registry import resource_rules

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"
ROOT = "urn:pulumi:dev::example::pulumi:pulumi:Stack::example-dev"
DEFAULT = "urn:pulumi:dev::example::pulumi:providers:aws::default_7_51_1"


class AbortedError(Exception):
    """The analyzer refused a call."""


@dataclass
class Context:
    """What gRPC gives a servicer."""

    said: list[str] = field(default_factory=list)

    def abort(self, code: grpc.StatusCode, text: str) -> None:
        self.said.append(text)
        raise AbortedError(text)


def wire(value: Any) -> Any:
    """A value of a graph as the engine sends it. A reference is a text that the deployment has put in."""
    if value is UNKNOWN:
        return proxy.UNKNOWN_STRING_VALUE
    if isinstance(value, Secret):
        return {_SIGNATURE: _SECRET, "value": wire(value.value)}
    if isinstance(value, OutputRef):
        return f"${{{value.resource}.{value.property}}}"
    if isinstance(value, Mapping):
        return {str(k): wire(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [wire(v) for v in value]
    return value


def struct(values: Mapping[str, Any]) -> struct_pb2.Struct:
    made = struct_pb2.Struct()
    made.update(wire(values))
    return made


def _options(resource: Resource) -> Any:
    given = resource.options
    return proto.AnalyzerResourceOptions(
        protect=bool(given.get("protect")),
        ignoreChanges=list(given.get("ignoreChanges", ())),
        deleteBeforeReplace=bool(given.get("deleteBeforeReplace")),
        deleteBeforeReplaceDefined="deleteBeforeReplace" in given,
        additionalSecretOutputs=list(given.get("additionalSecretOutputs", ())),
        aliases=[a for a in given.get("aliases", ()) if isinstance(a, str)],
    )


def _provider(resource: Resource) -> Any:
    if not resource.custom or resource.type.startswith("pulumi:providers:"):
        return None
    urn = resource.provider or DEFAULT
    return proto.AnalyzerProviderResource(urn=urn, type="pulumi:providers:aws", name=urn.split("::")[-1])


def asked(resource: Resource) -> Any:
    """Before the step of a resource: its inputs and options."""
    return proto.AnalyzeRequest(
        type=resource.type,
        urn=resource.urn,
        name=resource.name,
        properties=struct(resource.inputs),
        options=_options(resource),
        provider=_provider(resource),
    )


def at_the_end(resource: Resource) -> Any:
    """After all steps: outputs, and what the resource depends on."""
    return proto.AnalyzerResource(
        type=resource.type,
        urn=resource.urn,
        name=resource.name,
        properties=struct({"arn": UNKNOWN}),
        options=_options(resource),
        provider=_provider(resource),
        parent=resource.parent or ROOT,
        dependencies=list(resource.dependencies),
        propertyDependencies={
            key: proto.AnalyzerPropertyDependencies(urns=list(urns))
            for key, urns in resource.property_dependencies.items()
        },
    )


ENGINES_OWN = (
    Resource(ROOT, "pulumi:pulumi:Stack", "example-dev", custom=False, inputs={}),
    Resource(DEFAULT, "pulumi:providers:aws", "default_7_51_1", custom=True, inputs={"region": "us-east-1"}),
)


def analyzer(**more: Any) -> RuleAnalyzer:
    """All rules, at a fixed moment."""
    return RuleAnalyzer("gpuinfra", more.pop("rules", resource_rules()), clock=lambda: NOW, **more)


def configured(of: RuleAnalyzer, given: Mapping[str, Mapping[str, Any]]) -> RuleAnalyzer:
    """What the engine does with a configuration: the defaults of every policy, and what is given over them."""
    info = of.GetAnalyzerInfo(None, None)
    all_levels = {p.name: p.enforcementLevel for p in info.policies}
    levels = {**all_levels, **{n: getattr(proto, e["level"].upper()) for n, e in given.items() if "level" in e}}
    policies = {
        name: proto.PolicyConfig(
            enforcementLevel=level,
            properties=struct({k: v for k, v in given.get(name, {}).items() if k != "level"}),
        )
        for name, level in levels.items()
    }
    of.Configure(proto.ConfigureAnalyzerRequest(policyConfig=policies), Context())
    return of


def answers(of: RuleAnalyzer, graph: ResourceGraph) -> list[Any]:
    """The violations in a graph."""
    of.ConfigureStack(proto.AnalyzerStackConfigureRequest(stack="dev", project="example", dry_run=graph.preview), None)
    everything = (*ENGINES_OWN, *graph.resources)
    for resource in everything:
        assert not of.Remediate(asked(resource), Context()).remediations
        assert not of.Analyze(asked(resource), Context()).diagnostics
    stack = [at_the_end(r) for r in (*reversed(everything), *graph.reads)]
    return list(of.AnalyzeStack(proto.AnalyzeStackRequest(resources=stack), Context()).diagnostics)
