# pyright: reportPrivateUsage=false
"""What a data source says: of a resource of this world where it asks for one, else of one that stands outside of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pulumi import _types

from .cloud import Cloud, Request, digest
from .made_up import value_of
from .schema import Sdk, imported
from .values import is_list, is_map
from .world import Thing, World


def looked_up(
    cloud: Cloud, sdk: Sdk, token: str, args: Mapping[str, Any], world: World, config: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The answer to a data source that the SDK has; None where it has none by that token."""
    result = answer_class(sdk, token)
    if result is None:
        return None
    kind = _of_a_resource(sdk, token)
    there = _there(world, kind, args) if kind else None
    asked = Request(kind or token, _subject(token), f"{token} {sorted(args.items())}", dict(args), world, config)
    id_, own = (there.id, {**there.inputs, **there.outputs}) if there is not None else _elsewhere(cloud, asked, kind)
    answer: dict[str, Any] = {}
    for name, typ in _types.output_type_types(result).items():
        given = own.get(name, args.get(name))
        answer[name] = given if given is not None else value_of(typ, asked, name, id_, cloud.word)
    answer["id"] = id_ if there is not None or not args.get("id") else args["id"]
    return {k: v for k, v in answer.items() if v is not None}


def _elsewhere(cloud: Cloud, asked: Request, kind: str) -> tuple[str, Mapping[str, Any]]:
    """The id of what stands outside of this world, and what its cloud computes of it."""
    try:
        id_ = cloud.identify(asked) if kind else ""
        return (id_, cloud.outputs(asked, id_)) if id_ else (f"{asked.name}-{digest(asked.urn, 8)}", {})
    except KeyError:
        # A data source may ask by other words than those that a resource is made with.
        return f"{asked.name}-{digest(asked.urn, 8)}", {}


def _subject(token: str) -> str:
    """What is looked up: the function's name without its verb."""
    name = token.rsplit(":", 1)[-1]
    return name.removeprefix("get").removeprefix("list")


@cache
def _of_a_resource(sdk: Sdk, token: str) -> str:
    """The type of resource that a data source looks for; empty where there is none by its name."""
    package, module, _ = token.split(":")
    what = _subject(token)
    low = f"{what[:1].lower()}{what[1:]}"
    bridged = f"{package}:{module.partition('/')[0]}/{low}:{what}"
    found = next((t for t in (bridged, f"{package}:{module}:{what}") if sdk.type(t) is not None), "")
    return "" if token.rsplit(":", 1)[-1].startswith("list") else found


def _there(world: World, kind: str, args: Mapping[str, Any]) -> Thing | None:
    asked = {k: v for k, v in args.items() if isinstance(v, (str, int)) and v != ""}
    found = [t for t in world.things(kind) if asked and all(_is(t, k, v) for k, v in asked.items())]
    return found[-1] if found else None


def _is(thing: Thing, key: str, value: Any) -> bool:
    known = [thing.inputs.get(key), thing.outputs.get(key)]
    if key == "id" or key.endswith(("Id", "Name", "name")):
        known += [thing.id, thing.id.rsplit("/", 1)[-1]]
    said = [k for k in known if k is not None and not is_map(k) and not is_list(k)]
    return not said or value in said


@cache
def answer_class(sdk: Sdk, token: str) -> type | None:
    """The class of an answer, in the SDK's module of the function."""
    _, where, name = token.split(":")
    folder = where.partition("/")[0]
    root = find_spec(sdk.module)
    if root is None or root.origin is None:
        return None
    base = Path(root.origin).parent
    package = "" if folder == "index" else _same(folder, [p.name for p in base.iterdir() if p.is_dir()])
    if package is None:
        return None
    file = _same(name, [p.stem for p in (base / package).glob("*.py")])
    if file is None:
        return None
    module = imported(".".join(filter(None, (sdk.module, package, file))))
    wanted = f"{name}Result".lower()
    return next((v for k, v in vars(module).items() if k.lower() == wanted and _types.is_output_type(v)), None)


def _same(name: str, names: list[str]) -> str | None:
    """The name of Python's for one of the schema's."""
    return next((n for n in names if n.replace("_", "").lower() == name.lower()), None)
