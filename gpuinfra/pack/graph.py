"""What the engine tells an analyzer of a stack, as a resource graph.

The engine tells of a resource twice: before its step with its inputs and options (Analyze), and at the end with its
outputs, parent and dependencies (AnalyzeStack). Rules read inputs, as in every other door, so both are needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..policy.resource_graph import UNKNOWN, Resource, ResourceGraph
from . import wire

_STACK: Final = "pulumi:pulumi:Stack"
_PROVIDERS: Final = "pulumi:providers:"
_UNTOLD: Final[dict[str, Any]] = {"replaceOnChanges": UNKNOWN, "retainOnDelete": UNKNOWN}
"""Options that rules read and that AnalyzerResourceOptions has no field for."""


class Registered:
    """The resources of one deployment, as they come."""

    def __init__(self) -> None:
        self._asked: dict[str, Any] = {}

    def add(self, request: Any) -> None:
        """Keeps an AnalyzeRequest."""
        self._asked[request.urn] = request

    def graph(self, request: Any, *, preview: bool) -> ResourceGraph:
        """The graph of an AnalyzeStackRequest.

        A resource that was never analyzed is only read by the program (`Resource.get`), and its outputs are all that is
        known; the engine's own default providers belong to nobody.
        """
        shown = [r for r in request.resources if r.type != _STACK and not _is_default_provider(r.type, r.name)]
        resources = [_resource(r, self._asked[r.urn]) for r in shown if r.urn in self._asked]
        reads = [_resource(r, r) for r in shown if r.urn not in self._asked]
        stack, project = _place(request.resources[0].urn) if request.resources else ("", "")
        return ResourceGraph(
            project=project,
            stack=stack,
            preview=preview,
            resources=tuple(sorted(resources, key=lambda r: r.urn)),
            reads=tuple(sorted(reads, key=lambda r: r.urn)),
        )


def _place(urn: str) -> tuple[str, str]:
    """Stack and project of a URN: urn:pulumi:STACK::PROJECT::TYPE::NAME."""
    head, _, rest = urn.partition("::")
    return head.removeprefix("urn:pulumi:"), rest.partition("::")[0]


def _is_default_provider(type_: str, name: str) -> bool:
    return type_.startswith(_PROVIDERS) and (name == "default" or name.startswith("default_"))


def _resource(at_the_end: Any, asked: Any) -> Resource:
    provider = asked.provider if asked.HasField("provider") else None
    chosen = provider is not None and not _is_default_provider(provider.type, provider.name)
    depends: Mapping[str, Any] = at_the_end.propertyDependencies
    return Resource(
        urn=at_the_end.urn,
        type=at_the_end.type,
        name=at_the_end.name,
        # A component has no provider, a provider needs none.
        custom=provider is not None or at_the_end.type.startswith(_PROVIDERS),
        inputs=wire.properties(asked.properties),
        parent="" if f"::{_STACK}::" in at_the_end.parent else at_the_end.parent,
        provider=provider.urn if provider is not None and chosen else "",
        dependencies=tuple(sorted(at_the_end.dependencies)),
        property_dependencies={key: tuple(sorted(v.urns)) for key, v in sorted(depends.items()) if v.urns},
        options=_options(asked.options),
    )


def _options(given: Any) -> dict[str, Any]:
    """The options of a resource, those UNKNOWN that the engine tells no analyzer. Of a `protect: false` and of none it
    tells the same."""
    timeouts = given.customTimeouts
    seconds = {what: getattr(timeouts, what) for what in ("create", "update", "delete", "read")}
    options: dict[str, Any] = {
        "additionalSecretOutputs": sorted(given.additionalSecretOutputs),
        "aliases": sorted(given.aliases),
        "customTimeouts": {what: f"{n:g}s" for what, n in seconds.items() if n},
        "ignoreChanges": sorted(given.ignoreChanges),
        "protect": given.protect,
    }
    set_ = {**_UNTOLD, **{name: value for name, value in options.items() if value}}
    if given.deleteBeforeReplaceDefined:
        set_["deleteBeforeReplace"] = given.deleteBeforeReplace
    return set_
