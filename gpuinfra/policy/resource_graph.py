"""What a Pulumi program registers, as plain values: the thing that goldens, resource rules and reports run on.

Built by `gpuinfra.testing.record`, or from a preview or state file. No Pulumi import here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final


class Unknown:
    """A value that preview cannot know. One instance, UNKNOWN; it is equal to nothing else and never true."""

    _one: Unknown | None = None

    def __new__(cls) -> Unknown:
        if cls._one is None:
            cls._one = super().__new__(cls)
        return cls._one

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that is marked secret. Its text never shows."""

    value: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class OutputRef:
    """A value that comes from another resource: its logical name and the property, in wire spelling."""

    resource: str
    property: str


@dataclass(frozen=True, slots=True)
class Resource:
    """One registered resource. Property names are wire names (camelCase); whole floats are ints."""

    urn: str
    type: str
    name: str
    custom: bool
    inputs: Mapping[str, Any]
    """Values are JSON values, UNKNOWN, Secret or OutputRef. A text composed with an output holds `${name.property}`."""
    parent: str = ""
    """URN of the parent; empty for a child of the stack."""
    provider: str = ""
    version: str = ""
    dependencies: tuple[str, ...] = ()
    """URNs, sorted."""
    property_dependencies: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Options that were set, in wire spelling: protect, retainOnDelete, deleteBeforeReplace, ignoreChanges,
    replaceOnChanges, aliases, customTimeouts, additionalSecretOutputs, import, hideDiffs."""

    def get(self, *path: str | int) -> Any:
        """The input at a path, as get('networkInterfaces', 0, 'interfaceType'). None where absent; UNKNOWN where a part
        of the path is unknown; the inside of a Secret is looked into."""
        value: Any = self.inputs
        for step in path:
            if isinstance(value, Secret):
                value = value.value
            if value is UNKNOWN or isinstance(value, OutputRef):
                return UNKNOWN
            if isinstance(step, int):
                if not isinstance(value, (list, tuple)) or step >= len(value):  # type: ignore[arg-type]
                    return None
                value = value[step]
            else:
                if not isinstance(value, Mapping):
                    return None
                value = value.get(step)  # type: ignore[union-attr]
        return value.value if isinstance(value, Secret) else value


@dataclass(frozen=True, slots=True)
class ResourceGraph:
    """Everything that one run of a program registered, sorted by URN."""

    project: str
    stack: str
    preview: bool
    resources: tuple[Resource, ...]
    invokes: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    logs: tuple[tuple[str, str], ...] = ()
    """(severity, message) of what the program logged, without debug."""

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.resources)

    def of_type(self, *types: str) -> tuple[Resource, ...]:
        """Resources of one of these type tokens."""
        return tuple(r for r in self.resources if r.type in types)

    def named(self, name: str) -> Resource:
        """The one resource of a logical name. Raises KeyError when there is none or more than one."""
        found = [r for r in self.resources if r.name == name]
        if len(found) != 1:
            raise KeyError(f"{len(found)} resources are named {name!r}")
        return found[0]

    def by_urn(self, urn: str) -> Resource | None:
        """The resource of a URN."""
        return next((r for r in self.resources if r.urn == urn), None)

    def children(self, urn: str) -> tuple[Resource, ...]:
        """Resources whose parent is that URN."""
        return tuple(r for r in self.resources if r.parent == urn)

    def referenced(self, resource: Resource, key: str) -> tuple[Resource, ...]:
        """Resources that the value of a top-level input comes from, by reference or by recorded dependency."""
        urns = set(resource.property_dependencies.get(key, ()))
        names: set[str] = set()
        _collect_refs(resource.inputs.get(key), names)
        return tuple(r for r in self.resources if r.urn in urns or r.name in names)


def _collect_refs(value: Any, names: set[str]) -> None:
    if isinstance(value, OutputRef):
        names.add(value.resource)
    elif isinstance(value, Secret):
        _collect_refs(value.value, names)
    elif isinstance(value, Mapping):
        for v in value.values():  # type: ignore[union-attr]
            _collect_refs(v, names)
    elif isinstance(value, (list, tuple)):
        for v in value:  # type: ignore[union-attr]
            _collect_refs(v, names)


def as_json(value: Any) -> Any:
    """A value for output: unknown as {"$unknown": true}, a secret as {"$secret": true} (its text never),
    a reference as {"$output": "name.property"}, mappings with sorted keys."""
    if value is UNKNOWN:
        return {"$unknown": True}
    if isinstance(value, Secret):
        return {"$secret": True}
    if isinstance(value, OutputRef):
        return {"$output": f"{value.resource}.{value.property}"}
    if isinstance(value, Mapping):
        return {str(k): as_json(value[k]) for k in sorted(value)}  # type: ignore[union-attr]
    if isinstance(value, (list, tuple)):
        return [as_json(v) for v in value]  # type: ignore[union-attr]
    return value
