"""Values of examples that are not known yet: no rule passes over one in silence, and none takes one for a fault."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from gpuinfra.policy import registry
from gpuinfra.policy.examples import _Loader, check_graph_example, graph_of  # pyright: ignore[reportPrivateUsage]
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, Resource
from gpuinfra.policy.rule import ResourceRule

RULES = registry.resource_rules()
HOLE = "not-known-yet"
TYPES = ("machineType", "vmSize", "instanceType", "instanceTypes", "sku.name")
"""A type that is not known is said once, by the rules about types (GI3204, GI3290), and not by each rule that reads it."""
LEFT = {
    **{
        ("GI3016", k): "a rule of unknown words is mostly another one"
        for k in ("cidrIpv4", "ipProtocol", "fromPort", "toPort")
    },
    ("GI3015", "cidrBlock"): "GI3070 says it of the subnet's routes",
    ("GI3071", "cidrBlock"): "as before",
    ("GI3071", "gatewayId"): "as before",
    ("GI3072", "cidrBlock"): "as before",
    ("GI3048", "arn"): "an ARN that comes out of a resource is no call of AWS's own",
    ("GI3048", "input"): "it mostly names the group, which comes out of it, and GI3047 says it",
    ("GI3048", "policy"): "a policy mostly names what it is for, which comes out of resources",
    ("GI3048", "name"): "names are mostly made by the provider",
    ("GI3049", "userData"): "GI3055 says it of the script",
    ("GI3084", "userData"): "as before",
    ("GI3059", "version"): "it comes out of the template",
    ("GI3074", "addonName"): "an add-on may be any",
    ("GI3092", "addonName"): "as before",
    ("GI3081", "imageId"): "an image is mostly an id, which shows no system, known or not",
    ("GI3082", "imageId"): "as before",
    ("GI3090", "chart"): "a chart may be any",
    ("GI3094", "chart"): "as before",
    ("GI3104", "nicType"): "an interface whose network has no profile is an ordinary one",
    ("GI3107", "networkProfile"): "GI3105 says it of the network",
    ("GI3113", "network"): "the ports are no administrator's, and the network may be another's",
    ("GI3116", "team"): "labels come out of resources, and these have right names",
    ("GI3116", "startup-script"): "so do scripts",
    ("GI3120", "type"): "onHostMaintenance is absent, which another type may take",
    ("GI3120", "count"): "as before",
    ("GI3125", "provisioningModel"): "it names a reservation in kind",
    ("GI3133", "user-data"): "scripts of machines without GPUs come out of resources, and lay no driver as a rule",
    ("GI3161", "uri"): "a job may call anything",
    ("GI3167", "key"): "a taint may be any",
    ("GI3169", "reservedIpRange"): "it is mostly the name of a range, which comes out of a resource",
    ("GI3180", "size"): "a size that grows is no loss",
    ("GI3182", "name"): "a name that is made is a new one",
    ("GI3220", "accountName"): "names are mostly made by the provider",
    ("GI3246", "vmName"): "as before",
    ("GI3251", "vmName"): "as before",
    ("GI3251", "commandToExecute"): "a command that comes out of a resource is not in the program",
    ("GI3249", "roleDefinitionId"): "a role that the program makes is judged by itself",
    ("GI3259", "direction"): "two rules of one priority may stand in two directions",
    ("GI3263", "zones"): "nothing says that the region has zones",
    ("GI3266", "container"): "a container is mostly an output",
    ("GI3266", "loggingContainer"): "as before",
    ("GI3266", "allowSharedKeyAccess"): "nothing is written that forbids it",
    ("GI3280", "mode"): "it was a system pool, and nothing says that it stays one",
    ("GI3283", "chart"): "a chart may be any",
    ("GI3065", "imageId"): "an image is mostly an id, which shows no system, known or not",
    ("GI3292", "imageId"): "an image is mostly an id, which shows no system, known or not",
    ("GI3293", "vpcId"): "subnets of unknown networks are not compared",
    ("GI3293", "virtualNetworkName"): "as before",
    ("GI3295", "sourceSubnetworkIpRangesToNat"): "the NAT may take the subnet",
    ("GI3295", "region"): "as before",
    ("GI3307", "availabilityZone"): "a subnet without a known zone shows no region",
    ("GI3308", "availabilityZone"): "as before",
    ("GI3308", "bucket"): "names are mostly made by the provider",
    ("GI3308", "dataRepositoryPath"): "one that comes out of no bucket of the program is another's",
    ("GI3313", "imageId"): "an image is mostly an id, which shows no system, known or not",
    ("GI3350", "subnetwork"): "a subnet of an unknown region is mostly an output",
    ("GI3353", "name"): "names that come out of resources are made to differ",
}
"""What a rule says nothing of, and why that is no pass of a fault."""


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inside is None:
        if value is not None and value is not UNKNOWN and not isinstance(value, OutputRef):
            yield path
        return
    for key, part in inside:
        if key != "__defaults":
            yield from leaves(part, (*path, key))


def holed(items: list[dict[str, Any]], path: tuple[Any, ...]) -> str:
    """The example with one value replaced."""
    found = copy.deepcopy(items)
    at: Any = found
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = HOLE
    return yaml.dump(found, Dumper=_Dumper)


class _Dumper(yaml.SafeDumper):
    """YAML with `!unknown` and `!ref`, as examples are written."""


_Dumper.add_representer(str, lambda d, v: d.represent_scalar("!unknown" if v == HOLE else "tag:yaml.org,2002:str", v))
_Dumper.add_representer(type(UNKNOWN), lambda d, _: d.represent_scalar("!unknown", ""))
_Dumper.add_representer(OutputRef, lambda d, v: d.represent_scalar("!ref", f"{v.resource}.{v.property}"))


def said_of(path: tuple[Any, ...]) -> str:
    """The last key of a path, with sku's before it."""
    keys = [str(s) for s in path if not isinstance(s, int)]
    return "sku.name" if keys[-2:] == ["sku", "name"] else keys[-1]


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code.code)
def test_a_value_that_is_not_known_is_never_passed_over(rule: ResourceRule):
    silent: set[str] = set()
    for text in rule.examples.bad:
        items = yaml.load(text, Loader=_Loader)
        for n, item in enumerate(items):
            for path in leaves(item.get("inputs") or {}):
                key = said_of(path)
                if key in TYPES or (rule.code.code, key) in LEFT:
                    continue
                report = check_graph_example(rule, holed(items, (n, "inputs", *path)))
                if not report.diagnostics and not report.undecided:
                    silent.add(f"{item['name']}.{'.'.join(map(str, path))}")
    assert silent == set()


@pytest.mark.parametrize("rule", registry.resource_rules(), ids=lambda r: r.code.code)
def test_a_value_that_is_not_known_is_never_a_fault(rule: ResourceRule):
    loud: set[str] = set()
    for text in rule.examples.good:
        items = yaml.load(text, Loader=_Loader) or []
        for n, item in enumerate(items):
            for path in leaves(item.get("inputs") or {}):
                report = check_graph_example(rule, holed(items, (n, "inputs", *path)))
                loud.update(f"{item['name']}.{'.'.join(map(str, path))}: {d.message}" for d in report.diagnostics)
    assert loud == set()


def test_what_is_left_out_is_still_there_to_leave_out():
    codes = {r.code.code: "\n".join(r.examples.bad) for r in RULES}
    assert [(code, key) for code, key in LEFT if key not in codes.get(code, "")] == []


def test_an_example_survives_the_hole():
    items = yaml.load("- {type: gcp.compute.Instance, name: a, inputs: {zone: b, size: 3}}", Loader=_Loader)
    (found,) = graph_of(holed(items, (0, "inputs", "zone")))
    assert isinstance(found, Resource)
    assert found.inputs["zone"] is UNKNOWN
    assert found.inputs["size"] == 3
