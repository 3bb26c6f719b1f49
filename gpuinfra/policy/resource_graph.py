"""What a Pulumi program registers, as plain values: the thing that goldens, resource rules and reports run on.

Built by `gpuinfra.testing.record`, or from a preview or state file. No Pulumi import here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, cast

from ..diagnostics import nearest


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


@dataclass(frozen=True)
class Secret:
    """A value that is marked secret. Its text never shows."""

    value: Any = field(repr=False)


@dataclass(frozen=True)
class OutputRef:
    """A value that comes from another resource: its logical name and the property, in wire spelling."""

    resource: str
    property: str


@dataclass(frozen=True)
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
    replaceOnChanges, aliases, customTimeouts, additionalSecretOutputs, import, hideDiffs, deletedWith, replaceWith. One
    that the graph's source does not carry (a preview has no deleteBeforeReplace) is UNKNOWN; rules never see that, see
    `open_options`."""
    known_properties: tuple[str, ...] = ()
    """Wire names of the inputs that the type knows, sorted, where its Python class said so; empty where it did not.
    Below a path of ignoreChanges or replaceOnChanges the nested names too, as `scalingConfig.desiredSize`; `tags.*`
    says that any key may follow."""

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
                if not isinstance(value, (list, tuple)):
                    return None
                elements = cast("list[Any]", value)
                if not -len(elements) <= step < len(elements):
                    return None
                value = elements[step]
            else:
                if not isinstance(value, Mapping):
                    return None
                value = cast("Mapping[str, Any]", value).get(step)
        return value.value if isinstance(value, Secret) else value


@dataclass(frozen=True)
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
    reads: tuple[Resource, ...] = ()
    """What the program only reads (`Resource.get`, stack references), sorted by URN. It is not managed, so rules do not
    judge it."""

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

    def tree(self) -> dict[str, tuple[Resource, ...]]:
        """Children by the URN of their parent, sorted by type and name; '' holds the children of the stack, and those
        whose parent is not in the graph."""
        urns = {r.urn for r in self.resources}
        children: dict[str, list[Resource]] = {}
        for resource in sorted(self.resources, key=lambda r: (r.type, r.name, r.urn)):
            children.setdefault(resource.parent if resource.parent in urns else "", []).append(resource)
        return {urn: tuple(found) for urn, found in children.items()}

    def to_json(self) -> list[dict[str, Any]]:
        """The resources as JSON values, in the order of their URNs: the same bytes for the same program. The provider
        is there where the program chose one; versions of SDKs are not."""
        return [_resource_json(r) for r in self.resources]

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


def _resource_json(resource: Resource) -> dict[str, Any]:
    out: dict[str, Any] = {
        "urn": resource.urn,
        "type": resource.type,
        "name": resource.name,
        "parent": resource.parent,
        "inputs": as_json(resource.inputs),
        "options": as_json(resource.options),
        "dependencies": list(resource.dependencies),
        "propertyDependencies": as_json(resource.property_dependencies),
    }
    if resource.provider:
        out["provider"] = resource.provider
    return out


_SEGMENT = re.compile(r"""\[(?:"((?:[^"\\]|\\.)*)"|(\d+|\*))\]|\.?([^.\[\]"]+)""")


# The same few paths stand at every resource of a kind.
@lru_cache(maxsize=1024)
def parse_property_path(path: str) -> tuple[str | int, ...]:
    """The steps of a property path as Pulumi writes it: `a.b`, `list[0].c`, `map["a key"]`, `list[*]`. An index is an
    int, `*` is the text. What cannot be read is one step: the whole text."""
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        match = _SEGMENT.match(path, at)
        if match is None:
            return (path,)
        quoted, index, name = match.groups()
        if quoted is not None:
            steps.append(re.sub(r"\\(.)", r"\1", quoted))
        elif index is not None:
            steps.append("*" if index == "*" else int(index))
        else:
            steps.append(name)
        at = match.end()
    return tuple(steps)


@dataclass(frozen=True)
class OptionPathFault:
    """A path in an option that no input of the resource has: the engine accepts it and it never matches
    (pulumi/pulumi#7081)."""

    resource: Resource
    option: str
    """ignoreChanges or replaceOnChanges."""
    path: str
    segment: str
    """The part of the path that is not known."""
    near: tuple[str, ...]
    """Known names at that place, the likeliest first."""


def option_path_faults(graph: ResourceGraph) -> tuple[OptionPathFault, ...]:
    """Paths of ignoreChanges and replaceOnChanges that the resource's type does not know. A resource whose class is not
    known gives none."""
    found: list[OptionPathFault] = []
    for resource in graph.resources:
        if not resource.known_properties:
            continue
        for option in ("ignoreChanges", "replaceOnChanges"):
            for path in resource.options.get(option, ()):
                wrong = _unknown_segment(str(path), frozenset(resource.known_properties))
                if wrong is not None:
                    found.append(OptionPathFault(resource, option, str(path), *wrong))
    return tuple(found)


def _unknown_segment(path: str, known: frozenset[str]) -> tuple[str, tuple[str, ...]] | None:
    prefix = ""
    for step in parse_property_path(path):
        if isinstance(step, int):
            continue
        if step == "*":
            # At the top it means every property; below, an element or a key.
            if not prefix:
                return None
            continue
        if f"{prefix}*" in known:
            return None
        here = {k.removeprefix(prefix) for k in known if k.startswith(prefix) and "." not in k.removeprefix(prefix)}
        if not here:
            return None
        if step not in here:
            return step, _nearest_wire(step, here)
        prefix = f"{prefix}{step}."
    return None


def _nearest_wire(segment: str, known: set[str]) -> tuple[str, ...]:
    head, *rest = segment.split("_")
    camel = head + "".join(part.capitalize() for part in rest)
    return (camel,) if camel in known else nearest(segment, sorted(known))
