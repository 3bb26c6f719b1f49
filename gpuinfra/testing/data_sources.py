# pyright: reportPrivateUsage=false
"""What a data source answers in a recording where the test gives no answer.

A few functions are answered so that programs run on: with what the arguments say, AWS's documentation account, or a
text that names the lookup. Every other typed function answers tokens, `${<function token>.<property>}`, which read
UNKNOWN in preview; numbers, flags and mappings stay empty. An untyped call gets an unknown or empty answer.
"""

from __future__ import annotations

import json
import re
import sys
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final

from pulumi import _types

from .declarations import NO_ANSWER, SCALARS, answer_for

Token = Callable[[str], str]
"""A token of the function asked, for one property."""

_ACCOUNT: Final = "123456789012"
"""The account id of examples in AWS documentation: no customer has it."""


def answer(token: str, args: Mapping[str, Any], region: str, issue: Callable[[str, str], str]) -> dict[str, Any] | None:
    """The default answer in wire form, or None where nothing is known about the function.

    `region` is the configured region, empty where none is; `issue(function, property)` makes a token.
    """

    def ask(path: str) -> str:
        return issue(token, path)

    known = _KNOWN.get(token)
    if known is not None:
        return known(args, str(args.get("region") or region or ""), ask)
    result = _result_class(token)
    return None if result is None else _typed(result, args, ask)


def _typed(result: type, args: Mapping[str, Any], ask: Token) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, typ in _types.output_type_types(result).items():
        bare = _types.unwrap_type(typ)
        if isinstance(args.get(name), SCALARS) and args[name] != "":
            out[name] = args[name]
        # Result classes refuse a text where they expect a number or a flag, so those stay empty.
        elif bare not in (int, float, bool):
            found = answer_for(typ, ask, name)
            if found is not NO_ANSWER:
                out[name] = found
    return out


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


def _parameter(args: Mapping[str, Any], region: str, ask: Token) -> dict[str, Any]:
    name = str(args.get("name", ""))
    value = f"${{ssm:{name}}}"
    return {"id": name, "name": name, "value": value, "insecureValue": value, "type": "String", "arn": ask("arn")}


def _identity(args: Mapping[str, Any], region: str, ask: Token) -> dict[str, Any]:
    arn = f"arn:{_partition_of(region)}:iam::{_ACCOUNT}:root"
    return {"id": _ACCOUNT, "accountId": _ACCOUNT, "arn": arn, "userId": ask("userId")}


def _region(args: Mapping[str, Any], region: str, ask: Token) -> dict[str, Any]:
    name = region or ask("region")
    return {"id": name, "name": name, "region": name, "description": ask("description"), "endpoint": ask("endpoint")}


def _partition_of(region: str) -> str:
    return {"cn": "aws-cn", "us-gov": "aws-us-gov"}.get(re.sub(r"-[a-z]+-\d+$", "", region), "aws")


def _partition(args: Mapping[str, Any], region: str, ask: Token) -> dict[str, Any]:
    name = _partition_of(region)
    china = name == "aws-cn"
    return {
        "id": name,
        "partition": name,
        "dnsSuffix": "amazonaws.com.cn" if china else "amazonaws.com",
        "reverseDnsPrefix": "cn.com.amazonaws" if china else "com.amazonaws",
        "region": region,
    }


def _zones(args: Mapping[str, Any], region: str, ask: Token) -> dict[str, Any]:
    # Which zones an account sees is not known; three tokens each, because programs take the first two or three.
    def three(prop: str) -> list[str]:
        return [ask(f"{prop}[{i}]") for i in range(3)]

    return {"id": region or ask("id"), "names": three("names"), "zoneIds": three("zoneIds"), "groupNames": []}


def _google_zones(args: Mapping[str, Any], region: str, ask: Token) -> dict[str, Any]:
    # Three likewise: every region of Google Cloud has as many or more.
    return {"id": ask("id"), "names": [ask(f"names[{i}]") for i in range(3)]} | dict(args)


def _as_list(value: Any) -> Any:
    """One element stands alone in a policy document."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value  # pyright: ignore


def _policy_document(args: Mapping[str, Any], region: str, ask: Token) -> dict[str, Any]:
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
    return {"id": ask("id"), "json": text, "minifiedJson": json.dumps(document, separators=(",", ":"))}


def _principals(principals: list[dict[str, Any]]) -> Any:
    if all(p.get("type") == "*" for p in principals):
        return "*"
    out: dict[str, list[Any]] = {}
    for p in principals:
        out.setdefault(p["type"], []).extend(p["identifiers"])
    return {kind: _as_list(ids) for kind, ids in out.items()}


_KNOWN: Final[dict[str, Callable[[Mapping[str, Any], str, Token], dict[str, Any]]]] = {
    "aws:ssm/getParameter:getParameter": _parameter,
    "aws:index/getCallerIdentity:getCallerIdentity": _identity,
    "aws:index/getRegion:getRegion": _region,
    "aws:index/getPartition:getPartition": _partition,
    "aws:index/getAvailabilityZones:getAvailabilityZones": _zones,
    "gcp:compute/getZones:getZones": _google_zones,
    "aws:iam/getPolicyDocument:getPolicyDocument": _policy_document,
}
