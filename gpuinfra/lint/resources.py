"""Resources as previews and states write them (apitype.ResourceV3 of pulumi/pulumi), as a resource graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, cast
from urllib.parse import unquote

from ..policy.resource_graph import UNKNOWN, OutputRef, Resource, ResourceGraph, Secret
from . import values

STACK: Final = "pulumi:pulumi:Stack"
_DEFAULT_PROVIDER: Final = "default"
NOT_CARRIED: Final = ("deleteBeforeReplace",)
"""Options that no version of the engine writes into a preview or a state [3.206.0 and 3.274.1, apitype/core.go]."""
LATELY_CARRIED: Final = ("ignoreChanges", "replaceOnChanges")
"""Options that engines write since 2025, so that their absence says nothing in the file of an older one."""
_PROJECT_URI: Final = "project:///"
_FLAGS: Final = ("protect", "retainOnDelete")
_LISTS: Final = {
    "ignoreChanges": "ignoreChanges",
    "replaceOnChanges": "replaceOnChanges",
    "additionalSecretOutputs": "additionalSecretOutputs",
    "hideDiff": "hideDiffs",
    "replaceWith": "replaceWith",
}
_TELLING: Final = ("defaultLabels", "defaultTags", "userProjectOverride")
"""What a stack's own configuration may say to a default provider that rules read."""
_TEXTS: Final = {"deletedWith": "deletedWith", "importID": "import"}

Raw = Mapping[str, Any]


def writes_lists(found: Iterable[Raw]) -> bool:
    """Whether the engine that wrote these resources writes the options of LATELY_CARRIED: it wrote one, or the stack
    traces that it has been writing for longer."""
    return any(k in r for r in found for k in (*LATELY_CARRIED, "hideDiff", "stackTrace"))


def graph(found: Iterable[Raw], *, preview: bool, writes_lists: bool) -> ResourceGraph:
    """The graph of these resources. Its stack, default providers and what is on its way out are left out; what is only
    read stands apart."""
    open_options = NOT_CARRIED if writes_lists else (*NOT_CARRIED, *LATELY_CARRIED)
    listed = [r for r in found if values.is_urn(r.get("urn")) and not r.get("delete")]
    project, stack = _origin(listed)
    kept = [r for r in listed if not _by_engine(r)]
    ids = _ids(kept)
    # Where a URN is there twice, as in a replacement that was broken off, the last one is what stands.
    unique = {str(r["urn"]): r for r in kept}
    managed = [_resource(r, open_options, ids) for r in unique.values() if not r.get("external")]
    read = [_resource(r, open_options, ids) for r in unique.values() if r.get("external")]
    return ResourceGraph(
        project,
        stack,
        preview,
        tuple(sorted(managed, key=lambda r: r.urn)),
        reads=tuple(sorted(read, key=lambda r: r.urn)),
    )


def _origin(listed: Iterable[Raw]) -> tuple[str, str]:
    for r in listed:
        parts = str(r["urn"]).removeprefix("urn:pulumi:").split("::", 3)
        return parts[1], parts[0]
    return "", ""


def name_of(urn: str) -> str:
    """The logical name in a URN. A name may itself hold '::'."""
    return urn.split("::", 3)[-1]


def _type_of(raw: Raw) -> str:
    return str(raw.get("type") or str(raw["urn"]).split("::", 3)[2].rpartition("$")[2])


def _by_engine(raw: Raw) -> bool:
    """The stack, and the providers that the engine makes by itself; one that gives something to every resource stays."""
    type_ = _type_of(raw)
    if type_ == STACK:
        return True
    name = name_of(str(raw["urn"]))
    made = name == _DEFAULT_PROVIDER or name.startswith(f"{_DEFAULT_PROVIDER}_")
    given = raw.get("inputs")
    tells = isinstance(given, Mapping) and any(k in given for k in _TELLING)
    return type_.startswith("pulumi:providers:") and made and not tells


def _ids(kept: Iterable[Raw]) -> dict[str, str]:
    """Ids by URN, of resources whose logical name no other one has: a reference by name would lead elsewhere."""
    names: dict[str, int] = {}
    found: dict[str, str] = {}
    for r in kept:
        urn, id_ = str(r["urn"]), r.get("id")
        names[name_of(urn)] = names.get(name_of(urn), 0) + (urn not in found)
        if isinstance(id_, str) and id_ and id_ not in values.UNKNOWN_TEXTS:
            found[urn] = id_
    return {urn: id_ for urn, id_ in found.items() if names[name_of(urn)] == 1}


def _resource(raw: Raw, open_options: Iterable[str], ids: Mapping[str, str]) -> Resource:
    urn = str(raw["urn"])
    parent = str(raw.get("parent") or "")
    provider = str(raw.get("provider") or "").rpartition("::")[0]
    made_by_engine = name_of(provider).startswith(_DEFAULT_PROVIDER) if provider else True
    depends = _property_dependencies(raw.get("propertyDependencies"))
    resource = Resource(
        urn=urn,
        type=_type_of(raw),
        name=name_of(urn),
        custom=raw.get("custom") is not False,
        inputs=values.inputs(raw.get("inputs")),
        parent="" if f"::{STACK}::" in parent else parent,
        provider="" if made_by_engine else provider,
        dependencies=tuple(sorted(_texts(raw.get("dependencies")))),
        property_dependencies=depends,
        options={**_options(raw), **{o: UNKNOWN for o in open_options if not raw.get(o)}},
        places=_places(raw),
    )
    return replace(resource, inputs={k: _linked(v, depends.get(k, ()), ids) for k, v in resource.inputs.items()})


def _places(raw: Raw) -> tuple[str, ...]:
    """The lines on the way to the resource; `project:///` is the program's folder."""
    frames = raw.get("stackTrace")
    listed = cast("list[Any]", frames) if isinstance(frames, list) else [raw]
    texts = [str(values.mapping(f).get("sourcePosition") or "") for f in listed]
    found = [t.removeprefix(_PROJECT_URI).rpartition("#") for t in texts if t.startswith(_PROJECT_URI)]
    return tuple(f"{unquote(path)}:{line}" for path, _, line in found if path and line.isdigit())


def _property_dependencies(raw: Any) -> dict[str, tuple[str, ...]]:
    listed = {k: tuple(sorted(_texts(v))) for k, v in sorted(values.mapping(raw).items())}
    return {k: urns for k, urns in listed.items() if urns}


def _texts(raw: Any) -> list[str]:
    return [v for v in cast("list[Any]", raw) if isinstance(v, str)] if isinstance(raw, list) else []


def _options(raw: Raw) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for flag in _FLAGS:
        if raw.get(flag) is True:
            options[flag] = True
    for key, name in _LISTS.items():
        if listed := raw.get(key):
            options[name] = sorted(map(str, cast("list[Any]", listed))) if isinstance(listed, list) else []
    for key, name in _TEXTS.items():
        if text := raw.get(key):
            options[name] = str(text)
    return dict(sorted(options.items()))


def _linked(value: Any, urns: Iterable[str], ids: Mapping[str, str]) -> Any:
    """The value, the ids of the resources that it comes from as references: what is deployed is then followed in the
    same way as what is planned."""
    targets = {ids[urn]: name_of(urn) for urn in urns if urn in ids}
    return (
        _replaced(value, lambda text: OutputRef(targets[text], "id") if text in targets else text) if targets else value
    )


def _replaced(value: Any, of_text: Callable[[str], Any]) -> Any:
    if isinstance(value, str):
        return of_text(value)
    if isinstance(value, Secret):
        return Secret(_replaced(value.value, of_text))
    if isinstance(value, dict):
        return {k: _replaced(v, of_text) for k, v in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_replaced(v, of_text) for v in cast("list[Any]", value)]
    return value
