"""What a cluster registers on AWS, as Terraform JSON: pulumi-aws is bridged from Terraform's provider, whose own schema then
says whether names, types and choices are right.

The schema decides everything: which resource a type token is, which argument a wire name is, and where a single object is
one block of a list (the bridge flattens those).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, Resource, ResourceGraph, Secret

_PLACEHOLDER = re.compile(r"\$\{([^${}.:/]+)\.([A-Za-z0-9]+)\}")
_STAND_INS = {"rfc3339": "2026-12-04T12:00:00Z", "arn": "arn:aws:sts:us-east-2:123456789012:stand-in"}
"""In the place of what a resource gives that is of no cloud, or left out: the end of a lease, an address."""
_ACCOUNT_TEXT = "ami-0123456789abcdef0"

_AUTO_NAMED = ("name", "function_name")
_RENAMED = {"code": "filename", "function": "function_name", "name": "function_name", "topic": "topic_arn"}
"""Where the bridge gives an argument another word (pulumi-aws 7, Lambda's and SNS's resources)."""


@dataclass
class Converted:
    """A configuration, and what it could not take over."""

    resources: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict[str, dict[str, dict[str, Any]]])
    set_aside: set[str] = field(default_factory=set[str])
    """Arguments that the schema does not have, as `aws_vpc.region`."""
    unknown_types: set[str] = field(default_factory=set[str])

    def document(self, provider: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "terraform": {"required_providers": {"aws": {"source": "hashicorp/aws"}}},
            "provider": {"aws": dict(provider)},
            "resource": self.resources,
        }


def converted(graph: ResourceGraph, schemas: Mapping[str, Any], only: Iterable[str] | None = None) -> Converted:
    """The AWS resources of a graph (those whose Terraform name `only` has), by the provider's schemas."""
    out = Converted()
    names: dict[str, str] = {}
    wanted = None if only is None else frozenset(only)
    aws = [r for r in graph if r.custom and r.type.startswith("aws:")]
    for resource in aws:
        name = terraform_name(resource.type, schemas)
        if name is None:
            out.unknown_types.add(resource.type)
        elif wanted is None or name in wanted:
            names[resource.name] = name
    for resource in aws:
        if name := names.get(resource.name):
            block = schemas[name]["block"]
            made = _Conversion(name, names, schemas, out.set_aside).block(block, resource.inputs)
            waits = _waits(resource, graph, names)
            # Pulumi names by itself what the program does not name.
            auto = {a: resource.name for a in _AUTO_NAMED if block["attributes"].get(a, {}).get("required")}
            out.resources.setdefault(name, {})[_label(resource.name)] = {**auto, **made, **waits}
    return out


def terraform_name(token: str, schemas: Mapping[str, Any]) -> str | None:
    """`aws:ec2/launchTemplate:LaunchTemplate` is aws_launch_template: the module's name stands in front of some names only."""
    module, _, kind = token.removeprefix("aws:").partition("/")
    own = snake(kind.partition(":")[2])
    return next((n for n in (f"aws_{module}_{own}", f"aws_{own}") if n in schemas), None)


def snake(word: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word).lower()


@dataclass(frozen=True)
class _Conversion:
    resource: str
    names: Mapping[str, str]
    schemas: Mapping[str, Any]
    set_aside: set[str]

    def block(self, block: Mapping[str, Any], values: Mapping[str, Any], path: str = "") -> dict[str, Any]:
        attributes, blocks = block.get("attributes", {}), block.get("block_types", {})
        out: dict[str, Any] = {}
        for key, value in values.items():
            name = _named(key, {*attributes, *blocks})
            if name is None or (name in attributes and not _settable(attributes[name])):
                self.set_aside.add(f"{self.resource}{path}.{snake(key)}")
            elif name in blocks:
                inner = _plain(value)
                entries = inner if isinstance(inner, list) else [inner]
                out[name] = [self.block(blocks[name]["block"], e, f"{path}.{name}") for e in entries]
            else:
                out[name] = self.attribute(attributes[name]["type"], value)
        return out

    def attribute(self, type_: Any, value: Any) -> Any:
        value = _plain(value)
        kind = type_ if isinstance(type_, str) else type_[0]
        if kind in ("list", "set"):
            entries = value if isinstance(value, list) else [value]
            return [self.attribute(type_[1], e) for e in entries]
        if kind == "map":
            return {k: self.attribute(type_[1], v) for k, v in value.items()}
        if kind == "object":
            return {snake(k): self.attribute(type_[1][snake(k)], v) for k, v in value.items()}
        if isinstance(value, OutputRef):
            return self.reference(value)
        if isinstance(value, Mapping):
            # What Pulumi packs by itself; Terraform is given a file that someone packed.
            return "code.zip"
        if value is UNKNOWN:
            return {"number": 1, "bool": True}.get(kind, _ACCOUNT_TEXT)
        return self.text(value) if isinstance(value, str) else value

    def reference(self, ref: OutputRef) -> str:
        name = self.names.get(ref.resource)
        if not name:
            return _stand_in(ref.property)
        own = snake(ref.property)
        known = self.schemas[name]["block"]["attributes"]
        return f"${{{name}.{_label(ref.resource)}.{own if own in known else _RENAMED[own]}}}"

    def text(self, value: str) -> str:
        """A text, its own `${` escaped, with references in the place of `${name.property}`."""
        out, at = "", 0
        for match in _PLACEHOLDER.finditer(value):
            out += _escaped(value[at : match.start()])
            out += self.reference(OutputRef(match[1], match[2])) if match[1] in self.names else _stand_in(match[2])
            at = match.end()
        return out + _escaped(value[at:])


def _settable(attribute: Mapping[str, Any]) -> bool:
    return bool(attribute.get("optional") or attribute.get("required"))


def _named(key: str, known: set[str]) -> str | None:
    """The argument of a wire name: the bridge writes lists in the plural."""
    own = snake(key)
    own = own if own in known else _RENAMED.get(own, own)
    forms = (
        own,
        own.removesuffix("s"),
        f"{own.removesuffix('ies')}y" if own.endswith("ies") else own,
        own.removesuffix("es"),
    )
    return next((form for form in forms if form in known), None)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Secret) else list(value) if isinstance(value, tuple) else value


def _stand_in(property_: str) -> str:
    return _STAND_INS.get(property_, _ACCOUNT_TEXT)


def _escaped(text: str) -> str:
    return text.replace("${", "$${").replace("%{", "%%{")


def _label(name: str) -> str:
    return name.replace("-", "_")


def _waits(resource: Resource, graph: ResourceGraph, names: Mapping[str, str]) -> dict[str, Any]:
    """What a resource waits for without naming it."""
    others = [graph.by_urn(urn) for urn in resource.dependencies]
    found = sorted(f"{names[o.name]}.{_label(o.name)}" for o in others if o is not None and o.name in names)
    return {"depends_on": found} if found else {}
