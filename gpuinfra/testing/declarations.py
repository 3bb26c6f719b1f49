# pyright: reportPrivateUsage=false
"""What the Python class of a resource says about its wire form: input names, and the types of its outputs.

A registration request carries none of it, so a stack transformation reads it from the resource object just before the
object registers itself. `<Class>Args` beside the class and the getters of the class are what Pulumi's code generator
writes for every provider.
"""

from __future__ import annotations

import sys
import threading
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import pulumi
from pulumi import _types

from ..policy.resource_graph import parse_property_path


@dataclass(frozen=True)
class Declared:
    """One resource, as its Python object declares it."""

    inputs: frozenset[str] = frozenset()
    """Wire names of the inputs. Empty for a resource without a generated class."""
    computed: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Wire name to Python type (None where there is none) of the properties that the program gave no value."""
    args_class: type | None = None
    given: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the program gave, before serialisation, by wire name."""


NOTHING = Declared()


def is_input_type(cls: type) -> bool:
    """Whether a class is one of the generated `*Args`."""
    return _types.is_input_type(cls)


class Declarations:
    """Everything that the resources of one run declare, by type token and logical name."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Declared] = {}
        self._lock = threading.Lock()

    def transformation(self, args: pulumi.ResourceTransformationArgs) -> None:
        """A stack transformation that changes nothing and keeps what the resource object says."""
        declared = _declared(type(args.resource), args.resource, dict(args.props or {}))
        with self._lock:
            self._found[args.type_, args.name] = declared

    def of(self, type_: str, name: str) -> Declared:
        """What the resource declared, or NOTHING (a child of a resource that another program owns)."""
        return self._found.get((type_, name), NOTHING)


def _declared(cls: type, resource: Any, props: Mapping[str, Any]) -> Declared:
    args_class = _args_class(cls)
    inputs: frozenset[str] = frozenset()
    if args_class is not None:
        names = _types.input_type_py_to_pulumi_names(args_class)
        inputs = frozenset(names.values())
        wire = {**_types.resource_py_to_pulumi_names(cls), **names}
    else:
        wire = {**_types.resource_py_to_pulumi_names(cls)}
        for key in props:
            wire.setdefault(key, resource.translate_input_property(key) or key)
    missing = [key for key, value in props.items() if value is None]
    of_class = _types.resource_types(cls) if missing else {}
    computed = {wire.get(key, key): of_class.get(wire.get(key, key)) for key in missing}
    given = {wire.get(key, key): value for key, value in props.items() if value is not None}
    return Declared(inputs, computed, args_class, given)


def _args_class(cls: type) -> type | None:
    for base in cls.__mro__:
        module = sys.modules.get(base.__module__)
        # `InitArgs` is the generator's name where a nested type already took `Args`.
        for suffix in ("Args", "InitArgs"):
            found = getattr(module, base.__name__ + suffix, None)
            # The nested type of the same name comes from another file of the package.
            if isinstance(found, type) and _types.is_input_type(found) and found.__module__ == base.__module__:
                return found
    return None


def known_properties(declared: Declared, option_paths: typing.Iterable[str]) -> tuple[str, ...]:
    """Wire names of the inputs, sorted, and below the paths given the names of every nested level that they enter.

    The nested ones are written with dots and without indices, as `scalingConfig.desiredSize`; `tags.*` says that any
    key may follow. Only the levels on a path are listed: whole trees of some types are thousands of names.
    """
    names = set(declared.inputs)
    if declared.args_class is None:
        return ()
    for path in option_paths:
        segments = [s for s in parse_property_path(path) if isinstance(s, str) and s != "*"]
        current: type | None = declared.args_class
        prefix = ""
        for segment in segments:
            of_class = _types.input_type_types(current) if current is not None else {}
            if segment not in of_class:
                break
            prefix = f"{prefix}.{segment}" if prefix else segment
            members, open_ = _members(of_class[segment])
            if open_:
                names.add(f"{prefix}.*")
            current = members
            if members is not None:
                names.update(f"{prefix}.{n}" for n in _types.input_type_py_to_pulumi_names(members).values())
    return tuple(sorted(names))


def _members(typ: Any) -> tuple[type | None, bool]:
    """The input class inside a type, if one is there, and whether any key may stand there instead."""
    if isinstance(typ, type) and _types.is_input_type(typ):
        return typ, False
    if typ is Any or typ is dict:
        return None, True
    origin, args = typing.get_origin(typ), typing.get_args(typ)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return None, True
    for arg in args:
        members, open_ = _members(arg)
        if members is not None or open_:
            return members, open_
    return None, False


SCALARS = (str, int, float, bool)


class NoAnswerType:
    """No value can be made up for a type."""


NO_ANSWER = NoAnswerType()


def answer_for(typ: Any, token: typing.Callable[[str], str], path: str, *, objects: bool = True, depth: int = 3) -> Any:
    """A value of the type whose leaves are tokens, in wire form; NO_ANSWER where that would be a guess.

    Scalars (and what has no type) are one token, a list has one element, an object has every member. A mapping and an
    enum have no answer: their keys and words are not known.
    """
    typ = _types.unwrap_type(typ) if typ is not None else None
    if typ is None or typ is Any or typ in SCALARS:
        return token(path)
    if isinstance(typ, type) and issubclass(typ, Enum):
        return NO_ANSWER
    origin, args = typing.get_origin(typ), typing.get_args(typ)
    if origin in (typing.Union, types.UnionType) and str in args:
        return token(path)
    if origin in (list, Sequence) and len(args) == 1:
        element = answer_for(args[0], token, f"{path}[0]", objects=objects, depth=depth - 1)
        return NO_ANSWER if element is NO_ANSWER else [element]
    if objects and depth > 0 and isinstance(typ, type) and _types.is_output_type(typ):
        members = {
            name: answer_for(member, token, f"{path}.{name}", depth=depth - 1)
            for name, member in _types.output_type_types(typ).items()
        }
        return NO_ANSWER if any(v is NO_ANSWER for v in members.values()) else members
    return NO_ANSWER
