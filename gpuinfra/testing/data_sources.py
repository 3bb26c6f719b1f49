# pyright: reportPrivateUsage=false
"""What a data source answers in a recording where the test gives no answer.

A few functions are answered so that programs run on: with what the arguments say, AWS's documentation account, or a
text that names the lookup. Every other typed function answers in the form of its result class with tokens,
`${<function token>.<property>}`, which read UNKNOWN in preview; numbers, flags and mappings stay empty, but under an open
variant. An untyped call gets an unknown or empty answer.
"""

from __future__ import annotations

import json
import re
import sys
import typing
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from pulumi import _types

from . import shapes
from .declarations import SCALARS
from .shapes import Asked

_ACCOUNT: Final = "123456789012"
"""The account id of examples in AWS documentation: no customer has it."""
_PUBLIC_PARAMETERS: Final = "/aws/service/"
"""Where the provider itself publishes values, so that the name says what the value is."""


def answer(asked: Asked, args: Mapping[str, Any], region: str) -> tuple[dict[str, Any] | None, bool]:
    """The default answer in wire form, or None where nothing is known about the function, and whether something in it
    is made up. `region` is the configured region, empty where none is."""
    where = str(args.get("region") or region or "")
    asked = replace(asked, region=where)
    certain = _CERTAIN.get(asked.function)
    if certain is not None and (where or asked.function not in _BY_REGION):
        return certain(args, where, asked), False
    known = certain or _KNOWN.get(asked.function)
    if known is not None:
        return known(args, where, asked), True
    result = _result_class(asked.function)
    if result is not None:
        return shapes.of_class(result, asked, _echoed(result, args)), True
    if asked.variant.open:
        # The mark of a mapping whose keys nobody knows.
        return {asked.token("*"): asked.token("*")}, True
    return None, False


def _echoed(result: type, args: Mapping[str, Any]) -> dict[str, Any]:
    """What the arguments say of the answer: a look-up by id gives that id."""
    names = _types.output_type_types(result)
    return {k: v for k, v in args.items() if k in names and isinstance(v, SCALARS) and v != ""}


def _result_class(token: str) -> type | None:
    """The result class of a function token, from the modules that are loaded: to be called, it was imported."""
    parts = token.split(":")
    if len(parts) != 3:
        return None
    package, module, function = parts
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", function).lower()
    segments = [s for s in module.split("/") if s and s not in ("index", function)]
    tail = ".".join([*segments, snake]).lower()
    root = package.replace("-", "_")
    for name, loaded in list(sys.modules.items()):
        top, _, rest = name.partition(".")
        if rest.lower() == tail and top.endswith(f"_{root}"):
            found = getattr(loaded, f"{function[:1].upper()}{function[1:]}Result", None)
            if isinstance(found, type) and _types.is_output_type(found):
                return found
    return None


def _parameter(args: Mapping[str, Any], region: str, asked: Asked) -> dict[str, Any]:
    name = str(args.get("name", ""))
    public = name.startswith(_PUBLIC_PARAMETERS) or not asked.variant.open
    value = f"${{ssm:{name}}}" if public else asked.token("value")
    return {
        "id": name,
        "name": name,
        "value": value,
        "insecureValue": value,
        "type": "String",
        "arn": asked.token("arn"),
    }


def _identity(args: Mapping[str, Any], region: str, asked: Asked) -> dict[str, Any]:
    arn = f"arn:{_partition_of(region)}:iam::{_ACCOUNT}:root"
    return {"id": _ACCOUNT, "accountId": _ACCOUNT, "arn": arn, "userId": asked.token("userId")}


def _region(args: Mapping[str, Any], region: str, asked: Asked) -> dict[str, Any]:
    name = region or asked.token("region")
    return {
        "id": name,
        "name": name,
        "region": name,
        "description": asked.token("description"),
        "endpoint": asked.token("endpoint"),
    }


def _partition_of(region: str) -> str:
    return {"cn": "aws-cn", "us-gov": "aws-us-gov"}.get(re.sub(r"-[a-z]+-\d+$", "", region), "aws")


def _partition(args: Mapping[str, Any], region: str, asked: Asked) -> dict[str, Any]:
    name = _partition_of(region)
    china = name == "aws-cn"
    return {
        "id": name,
        "partition": name,
        "dnsSuffix": "amazonaws.com.cn" if china else "amazonaws.com",
        "reverseDnsPrefix": "cn.com.amazonaws" if china else "com.amazonaws",
        "region": region,
    }


def _zones(args: Mapping[str, Any], region: str, asked: Asked) -> dict[str, Any]:
    # Which zones an account sees is not known.
    return {
        "id": region or asked.token("id"),
        "names": asked.zones(),
        "zoneIds": asked.many("zoneIds", 3),
        "groupNames": [],
    }


def _google_zones(args: Mapping[str, Any], region: str, asked: Asked) -> dict[str, Any]:
    return {"id": asked.token("id"), "names": asked.zones()} | dict(args)


def _as_list(value: Any) -> Any:
    """One element stands alone in a policy document."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value  # pyright: ignore


def _policy_document(args: Mapping[str, Any], region: str, asked: Asked) -> dict[str, Any]:
    """The JSON that the provider makes of statements, without merged source documents."""
    statements: list[dict[str, Any]] = []
    for given in typing.cast("list[dict[str, Any]]", args.get("statements") or []):
        out: dict[str, Any] = {"Effect": given.get("effect") or "Allow"}
        if given.get("sid"):
            out["Sid"] = given["sid"]
        for key, wire in (("actions", "Action"), ("notActions", "NotAction"), ("resources", "Resource"),
                          ("notResources", "NotResource")):  # fmt: skip
            if given.get(key):
                out[wire] = _as_list(given[key])
        for key, wire in (("principals", "Principal"), ("notPrincipals", "NotPrincipal")):
            if given.get(key):
                out[wire] = _principals(given[key])
        for condition in typing.cast("list[dict[str, Any]]", given.get("conditions") or []):
            tests = out.setdefault("Condition", {}).setdefault(condition["test"], {})
            tests[condition["variable"]] = _as_list(condition["values"])
        statements.append(out)
    document = {"Version": args.get("version") or "2012-10-17", "Statement": statements}
    if args.get("policyId"):
        document["Id"] = args["policyId"]
    text = json.dumps(document, indent=2)
    return {"id": asked.token("id"), "json": text, "minifiedJson": json.dumps(document, separators=(",", ":"))}


def _principals(principals: list[dict[str, Any]]) -> Any:
    if all(p.get("type") == "*" for p in principals):
        return "*"
    out: dict[str, list[Any]] = {}
    for p in principals:
        out.setdefault(p["type"], []).extend(p["identifiers"])
    return {kind: _as_list(ids) for kind, ids in out.items()}


_Answer = Callable[[Mapping[str, Any], str, Asked], dict[str, Any]]

_CERTAIN: Final[dict[str, _Answer]] = {
    "aws:index/getCallerIdentity:getCallerIdentity": _identity,
    "aws:index/getRegion:getRegion": _region,
    "aws:index/getPartition:getPartition": _partition,
    "aws:iam/getPolicyDocument:getPolicyDocument": _policy_document,
}
"""What the arguments and the config say by themselves."""
_BY_REGION: Final = ("aws:index/getRegion:getRegion", "aws:index/getPartition:getPartition")
_KNOWN: Final[dict[str, _Answer]] = {
    "aws:ssm/getParameter:getParameter": _parameter,
    "aws:index/getAvailabilityZones:getAvailabilityZones": _zones,
    "gcp:compute/getZones:getZones": _google_zones,
}
