"""From requests to a resource graph."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from ..policy.resource_graph import Resource, ResourceGraph, as_json
from . import wire
from .declarations import Declarations, known_properties
from .monitor import STACK, Recorded, Registration

# azure-native ships one type per API version and names all of them as aliases of each: 25 to 113 per resource.
_API_VERSION: Final = re.compile(r"[/_]v\d{8}[a-z]*:")
_LISTS: Final = {
    "ignoreChanges": "ignoreChanges",
    "replaceOnChanges": "replaceOnChanges",
    "hideDiffs": "hideDiffs",
    "additionalSecretOutputs": "additionalSecretOutputs",
    "replaceWith": "replace_with",
}
_TEXTS: Final = {"import": "importId", "deletedWith": "deletedWith"}
_FLAGS: Final = ("protect", "retainOnDelete")
_FRAMES: Final = 12
"""How far out a call is followed; what lies further out is the SDK's own way of running a program."""


def assemble(
    recorded: Recorded, declarations: Declarations, decoder: wire.Decoder, *, project: str, stack: str, preview: bool
) -> ResourceGraph:
    """The graph of a run. The same program gives the same graph: everything is in a fixed order."""
    root = next((r.urn for r in recorded.registrations.values() if r.request.type == STACK), "")

    def build(found: Iterable[Registration]) -> tuple[Resource, ...]:
        kept = [_resource(r, declarations, decoder, root) for r in found if r.request.type != STACK]
        return tuple(sorted(kept, key=lambda r: r.urn))

    invokes = [(token, decoder.struct(args)) for token, args in recorded.invokes]
    return ResourceGraph(
        project=project,
        stack=stack,
        preview=preview,
        resources=build(recorded.registrations.values()),
        invokes=tuple(sorted(invokes, key=lambda i: (i[0], json.dumps(as_json(i[1]), sort_keys=True)))),
        outputs=decoder.struct(recorded.outputs),
        logs=tuple((severity, decoder.shown(message)) for severity, message in recorded.logs),
        reads=build(recorded.reads.values()),
    )


def _resource(found: Registration, declarations: Declarations, decoder: wire.Decoder, root: str) -> Resource:
    request, shown = found.request, decoder.shown
    registered = hasattr(request, "object")
    declared = declarations.of(request.type, request.name)
    options = _options(request, generated=declared.args_class is not None) if registered else {}
    paths = [*options.get("ignoreChanges", ()), *options.get("replaceOnChanges", ())]
    dependencies: Mapping[str, Any] = request.propertyDependencies if registered else {}
    return Resource(
        urn=shown(found.urn),
        type=request.type,
        name=shown(request.name),
        custom=request.custom if registered else True,
        inputs=decoder.struct(request.object if registered else request.properties),
        parent="" if request.parent == root else shown(request.parent),
        # A provider reference is the URN and the id of the provider; the id is a token or unknown.
        provider=shown(request.provider.rsplit("::", 1)[0]) if request.provider else "",
        version=request.version,
        dependencies=tuple(sorted(map(shown, request.dependencies))),
        property_dependencies={k: tuple(sorted(map(shown, v.urns))) for k, v in sorted(dependencies.items()) if v.urns},
        options=options,
        known_properties=known_properties(declared, paths),
        places=_places(request),
    )


def _places(request: Any) -> tuple[str, ...]:
    """The lines on the way to the resource: the call that makes it, then those around it."""
    frames = request.stackTrace.frames or (request,)
    found = [(f.pc if hasattr(f, "pc") else f.sourcePosition) for f in frames[:_FRAMES]]
    return tuple(f"{unquote(p.uri.removeprefix('file://'))}:{p.line}" for p in found if p.uri.startswith("file://"))


def _options(request: Any, *, generated: bool) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for flag in _FLAGS:
        if request.HasField(flag):
            options[flag] = getattr(request, flag)
    if request.deleteBeforeReplaceDefined:
        options["deleteBeforeReplace"] = request.deleteBeforeReplace
    for name, field in _LISTS.items():
        values = getattr(request, field, ())
        if values:
            options[name] = sorted(values)
    for name, field in _TEXTS.items():
        if getattr(request, field):
            options[name] = getattr(request, field)
    timeouts = {k: getattr(request.customTimeouts, k) for k in ("create", "update", "delete", "read")
                if getattr(request.customTimeouts, k, "")}  # fmt: skip
    if timeouts:
        options["customTimeouts"] = timeouts
    aliases = _aliases(request, generated=generated)
    if aliases:
        options["aliases"] = aliases
    return dict(sorted(options.items()))


def _aliases(request: Any, *, generated: bool) -> list[Any]:
    """Aliases that a person gave: a URN as text, else the parts that differ. What a generated class adds by itself is
    left out: other types of its own package, and the API versions of its type."""
    found: list[Any] = [str(urn) for urn in request.aliasURNs]
    package = request.type.partition(":")[0]
    for alias in request.aliases:
        if alias.WhichOneof("alias") == "urn":
            found.append(str(alias.urn))
            continue
        parts = {field.name: value for field, value in alias.spec.ListFields() if value}
        by_class = generated and (alias.spec.type.startswith(f"{package}:") or _API_VERSION.search(alias.spec.type))
        if parts and not (set(parts) == {"type"} and by_class):
            found.append(parts)
    return sorted(found, key=lambda a: json.dumps(a, sort_keys=True))
