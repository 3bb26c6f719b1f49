"""Writes a resource graph as the JSON that the engine would write of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gpuinfra.lint import values
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, Resource, ResourceGraph, Secret

UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def preview(graph: ResourceGraph, **more: Any) -> dict[str, Any]:
    """A preview of a stack that does not exist yet."""
    steps = [{"op": "create", "urn": r.urn, "newState": state_of(r, graph, _open)} for r in graph]
    return {"config": {}, "steps": steps, "changeSummary": {"create": len(steps)}, **more}


def state(graph: ResourceGraph, version: str = "v3.274.1") -> dict[str, Any]:
    """The export of a stack that was deployed: every id is the text that it has become."""
    found = [{**state_of(r, graph, _closed), "id": id_of(r.name), "outputs": {}} for r in graph]
    return {"version": 3, "deployment": {"manifest": {"version": version}, "resources": found}}


def id_of(name: str) -> str:
    return f"id-of-{name}"


def state_of(r: Resource, graph: ResourceGraph, of: Callable[[Any], Any]) -> dict[str, Any]:
    """One resource; what the engine writes of its options, and no more."""
    out: dict[str, Any] = {
        "urn": r.urn,
        "custom": r.custom,
        "type": r.type,
        "inputs": {k: of(v) for k, v in r.inputs.items() if v is not None},
        "dependencies": list(r.dependencies),
        "propertyDependencies": {k: list(r.property_dependencies.get(k, ())) for k in r.inputs},
        "stackTrace": [{"sourcePosition": "project:///__main__.py#3"}],
    }
    if r.parent:
        out["parent"] = r.parent
    for key in ("protect", "retainOnDelete", "ignoreChanges", "replaceOnChanges", "additionalSecretOutputs"):
        if r.options.get(key):
            out[key] = r.options[key]
    return out


def _open(value: Any) -> Any:
    if value is UNKNOWN or isinstance(value, OutputRef):
        return UNKNOWN_TEXT
    if isinstance(value, Secret):
        return "[secret]"
    return _inside(value, _open)


def _closed(value: Any) -> Any:
    if value is UNKNOWN:
        return UNKNOWN_TEXT
    if isinstance(value, OutputRef):
        # What else the cloud computes nobody can make up here, and a wrong value would be judged.
        return id_of(value.resource) if value.property == "id" else UNKNOWN_TEXT
    if isinstance(value, Secret):
        import json

        return {values.SIGNATURE: values.SECRET, "plaintext": json.dumps(_closed(value.value))}
    return _inside(value, _closed)


def _inside(value: Any, of: Callable[[Any], Any]) -> Any:
    if isinstance(value, Mapping):
        return {k: of(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [of(v) for v in value]
    return value
