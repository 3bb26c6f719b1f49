# pyright: reportPrivateUsage=false
"""What the installed SDK says about a type of resource: its inputs with their types, and its outputs.

Nothing is kept by hand: the generated `*Args` classes are the schema, so that another version of an SDK brings its own.
"""

from __future__ import annotations

import inspect
import json
import re
import threading
import types
import typing
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pulumi
from pulumi import _types

from .values import UNKNOWN, is_list, is_map, is_special, opened


@dataclass(frozen=True)
class ResourceType:
    """A type of resource."""

    token: str
    cls: type
    args: type | None

    @property
    def outputs(self) -> Mapping[str, Any]:
        """Wire name to Python type of every property that the state holds."""
        return _types.resource_types(self.cls)

    @property
    def inputs(self) -> Mapping[str, str]:
        """Wire names of the inputs."""
        return {w: p for p, w in _types.input_type_py_to_pulumi_names(self.args).items()} if self.args else {}


_LOOKING = threading.RLock()
"""An SDK fills its modules at the first look, and an engine asks on many threads: a second look meanwhile is handed a module
that is half full, would take the type for none, and keep that."""


def imported(name: str) -> types.ModuleType:
    """A module of an SDK, whole."""
    with _LOOKING:
        module = import_module(name)
        # The first look at a name is what fills it.
        getattr(module, "__doc__", None)
        return module


def is_module(name: str) -> bool:
    """Whether an SDK has a module. To look is to import what it stands in."""
    with _LOOKING:
        return find_spec(name) is not None


class Sdk:
    """The installed SDK of one package."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.module = "pulumiverse_time" if package == "time" else f"pulumi_{package.replace('-', '_')}"

    @property
    def version(self) -> str:
        """As the engine is asked for it."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version(self.module.replace("_", "-"))
        except PackageNotFoundError:
            return "0.0.1"

    @property
    def installed(self) -> bool:
        """Whether the SDK is there, so that a type which it lacks is none."""
        return bool(self._classes())

    def type(self, token: str) -> ResourceType | None:
        """The type of a token; None where the SDK has none."""
        with _LOOKING:
            return self._type(token)

    @cache  # noqa: B019
    def _type(self, token: str) -> ResourceType | None:
        where = self._classes().get(token)
        if where is None:
            return None
        module = imported(where[0])
        cls = getattr(module, where[1], None)
        return None if cls is None else ResourceType(token, cls, _args_class(cls))

    @cache  # noqa: B019
    def _classes(self) -> Mapping[str, tuple[str, str]]:
        # The SDK's own register, read as text: importing it whole takes seconds.
        spec = find_spec(self.module)
        if spec is None or spec.origin is None:
            return {}
        match = re.search(r'resource_modules="""(.*?)"""', Path(spec.origin).read_text(encoding="utf-8"), re.DOTALL)
        modules: list[dict[str, Any]] = json.loads(match[1]) if match else []
        return {token: (m["fqn"], cls) for m in modules for token, cls in m["classes"].items()}


def _args_class(cls: type) -> type | None:
    module = imported(cls.__module__)
    # `InitArgs` is the generator's name where a nested type already took `Args`.
    for suffix in ("InitArgs", "Args"):
        found = getattr(module, cls.__name__ + suffix, None)
        if isinstance(found, type) and _types.is_input_type(found):
            return found
    return None


def failures(kind: ResourceType, inputs: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(property, reason) of everything in the inputs that the type does not take."""
    return list(_object(kind.args, opened(dict(inputs)), "")) if kind.args is not None else []


def required_inputs(kind: ResourceType) -> tuple[str, ...]:
    """Wire names of the inputs that a type has to be given."""
    return _members(kind.args)[1] if kind.args is not None else ()


def members_of(cls: type | None) -> Mapping[str, list[type]]:
    """Wire name of each input of a class to the classes of objects that may stand there, alone, in a list or in a mapping."""
    return {name: list(_inner(typ)) for name, typ in _members(cls)[0].items()} if cls is not None else {}


def _inner(typ: Any) -> typing.Iterator[type]:
    for choice in _choices(typ):
        if isinstance(choice, type) and _types.is_input_type(choice):
            yield choice
        else:
            for inner in typing.get_args(choice):
                yield from _inner(inner)


def misfit(kind: ResourceType, name: str, value: Any) -> str:
    """Why a property of a resource cannot have a value, by its type; empty where it can, or where nobody can say."""
    of_inputs: Mapping[str, Any] = _members(kind.args)[0] if kind.args else {}
    typ = of_inputs.get(name, kind.outputs.get(name))
    return "" if value is None else next((f"{at}: {why}" for at, why in _value(typ, value, name)), "")


def _object(cls: type, value: Any, at: str) -> typing.Iterator[tuple[str, str]]:
    if value == UNKNOWN or is_special(value):
        return
    if not is_map(value):
        yield at, f"expected an object of {cls.__name__.removesuffix('Args')}, got {_shown(value)}"
        return
    of_class, required = _members(cls)
    for name in required:
        if value.get(name) is None:
            yield f"{at}.{name}" if at else name, "missing required property"
    for name, one in value.items():
        path = f"{at}.{name}" if at else name
        if name.startswith("__"):
            continue
        if name not in of_class:
            yield path, "unknown property"
        elif one is not None:
            yield from _value(of_class[name], one, path)


@cache
def _members(cls: type) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    names = _types.input_type_py_to_pulumi_names(cls)
    parameters = inspect.signature(cls.__init__).parameters
    required = tuple(
        names[p.name] for p in parameters.values() if p.name in names and p.default is inspect.Parameter.empty
    )
    return _types.input_type_types(cls), required


def _value(typ: Any, value: Any, at: str) -> typing.Iterator[tuple[str, str]]:
    if value == UNKNOWN or is_special(value) or typ is None or typ is Any:
        return
    choices = [t for t in _choices(typ) if t is not type(None)]
    if not choices or Any in choices:
        return
    found = [list(_one(choice, value, at)) for choice in choices]
    if not any(not problems for problems in found):
        yield from min(found, key=len)


def _choices(typ: Any) -> list[Any]:
    """What a type allows, without Output, Awaitable and Optional around it."""
    origin, args = typing.get_origin(typ), typing.get_args(typ)
    if origin in (typing.Union, types.UnionType):
        return [c for a in args for c in _choices(a)]
    if origin in (pulumi.Output, Awaitable):
        return _choices(args[0]) if args and args[0] is not type(None) else []
    return [typ]


def _one(typ: Any, value: Any, at: str) -> typing.Iterator[tuple[str, str]]:
    origin, args = typing.get_origin(typ), typing.get_args(typ)
    if (isinstance(origin, type) and issubclass(origin, Mapping)) or typ in (dict, Mapping):
        if not is_map(value):
            yield at, f"expected a mapping, got {_shown(value)}"
        elif len(args) == 2:
            for key, one in value.items():
                yield from _value(args[1], one, f"{at}.{key}")
    elif (isinstance(origin, type) and issubclass(origin, Sequence)) or typ in (list, Sequence):
        if not is_list(value):
            yield at, f"expected a list, got {_shown(value)}"
        elif args:
            for i, one in enumerate(value):
                yield from _value(args[0], one, f"{at}[{i}]")
    elif isinstance(typ, type) and _types.is_input_type(typ):
        yield from _object(typ, value, at)
    elif isinstance(typ, type) and issubclass(typ, Enum):
        words = [e.value for e in typ]
        if value not in words:
            yield at, f"expected one of {', '.join(map(str, words))}, got {_shown(value)}"
    elif typ in _SCALARS and (not isinstance(value, _SCALARS[typ]) or (isinstance(value, bool) and typ is not bool)):
        yield at, f"expected {_NAMES[typ]}, got {_shown(value)}"


_SCALARS: dict[Any, tuple[type, ...]] = {str: (str,), int: (int,), float: (int, float), bool: (bool,)}
_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _shown(value: Any) -> str:
    return f"{type(value).__name__} {str(value)[:40]!r}"
