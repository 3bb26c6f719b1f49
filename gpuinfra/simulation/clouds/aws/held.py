"""Single machines, and the nodes of EKS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....vocabulary import Provider
from ...cloud import Refusal, Request
from ...held import Holding
from ...supply import Codes, Given, Wanted, draws
from ...unknown_types import is_unknown
from ...values import as_list, as_map, lookup
from ...world import World
from . import machines, refusals
from .types import INSTANCE, NODE_GROUP, SPOT_REQUEST, TEMPLATE
from .words import zone_id

_DEFAULT_OF_EKS = "t3.medium"


def _launched(world: World, type_: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What a machine is launched with: its own arguments over those of its template, in the words of a template."""
    named = str(lookup(inputs, "launchTemplate.id") or lookup(inputs, "launchTemplate.name") or "")
    made = next((t for t in world.things(TEMPLATE) if named and named in (t.id, t.outputs.get("name"))), None)
    base: dict[str, Any] = dict(made.inputs) if made is not None else {}
    if type_ == NODE_GROUP:
        first = next((str(t) for t in as_list(inputs.get("instanceTypes"))), None)
        return {**base, "instanceType": first or base.get("instanceType") or _DEFAULT_OF_EKS}
    own = {k: v for k, v in inputs.items() if k not in ("networkInterfaces", "launchTemplate")}
    if own.get("ami"):
        own["imageId"] = own["ami"]
    if own.get("placementGroup"):
        own["placement"] = {"groupName": own["placementGroup"]}
    return {**base, **own}


def _wanted(world: World, type_: str, id_: str, inputs: Mapping[str, Any]) -> Wanted:
    launched = _launched(world, type_, inputs)
    machine = str(launched.get("instanceType") or "unknown")
    market = machines.market_of({}, launched)
    if type_ == SPOT_REQUEST or inputs.get("capacityType") == "SPOT":
        market = "spot"
    elif inputs.get("capacityType") == "CAPACITY_BLOCK":
        market = "capacity_block"
    subnets = as_list(inputs.get("subnetIds")) or [inputs.get("subnetId")]
    region, zone = machines.place_of(world, {"vpcZoneIdentifiers": subnets, "region": inputs.get("region")})
    asked = Wanted(
        (type_, id_),
        region,
        zone or zone_id(str(inputs.get("availabilityZone") or "")),
        machine,
        market,
        int(lookup(inputs, "scalingConfig.desiredSize") or 0) if type_ == NODE_GROUP else 1,
        reservation=machines.reservation_of(launched),
        draws=draws(Provider.AWS, machine, market) if market in ("spot", "on_demand") else {},
    )
    return replace(asked, margin=machines.margin_of(asked))


def _codes(asked: Wanted) -> Codes:
    return machines.codes_of(asked.market)


def _refusal(type_: str, given: Given) -> Refusal:
    if type_ == NODE_GROUP:
        return Refusal("AsgInstanceLaunchFailures", f"Could not launch the nodes. {given.code}: {given.why}")
    return Refusal(given.code, given.why)


HOLDING = Holding((INSTANCE, SPOT_REQUEST), (NODE_GROUP,), _wanted, _codes, _refusal)


def instance(request: Request, id_: str) -> None:
    """What RunInstances refuses."""
    launched = _launched(request.world, request.type, request.inputs)
    for code, message in _faults(request.world, launched):
        raise Refusal(code, message)


def _faults(world: World, launched: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if not launched.get("instanceType"):
        yield "MissingParameter", "The request must contain the parameter InstanceType"
    if not launched.get("imageId"):
        yield "MissingParameter", "The request must contain the parameter ImageId"
    yield from refusals.trial(world, {}, launched)


def node_group(request: Request, id_: str) -> None:
    """What CreateNodegroup refuses (facts aws a7)."""
    inputs, code = request.inputs, "InvalidParameterException"
    launched = _launched(request.world, INSTANCE, {"launchTemplate": inputs.get("launchTemplate")})
    least, wanted, most = (
        int(lookup(inputs, f"scalingConfig.{k}") or 0) for k in ("minSize", "desiredSize", "maxSize")
    )
    for machine in (str(t) for t in as_list(inputs.get("instanceTypes"))):
        if is_unknown(Provider.AWS, machine):
            raise Refusal(code, f"[{machine}] is not a valid instance type for requested amiType")
    if not least <= wanted <= most:
        raise Refusal(code, f"desired capacity {wanted} must be between {least} and {most}")
    if not launched:
        return
    twice = [k for k in ("instanceTypes", "diskSize") if inputs.get(k)]
    if "instanceTypes" in twice and launched.get("instanceType"):
        raise Refusal(
            code, "You cannot specify an instance type in both the launch template and the node group request"
        )
    if "diskSize" in twice:
        raise Refusal(code, "Disk size must be specified within the launch template")
    forbidden = {
        "iamInstanceProfile": "an IAM instance profile",
        "instanceInitiatedShutdownBehavior": "a shutdown behavior",
        "hibernationOptions": "hibernation options",
    }
    for key, words in forbidden.items():
        if launched.get(key):
            raise Refusal(code, f"The launch template must not specify {words} with a managed node group")
    if any(as_map(n).get("subnetId") for n in as_list(launched.get("networkInterfaces"))):
        raise Refusal(code, "The launch template's network interfaces must not specify a subnet")
    if lookup(launched, "instanceMarketOptions.marketType") == "spot":
        raise Refusal(code, "The launch template must not request Spot Instances; set the capacity type SPOT")
    block = lookup(launched, "instanceMarketOptions.marketType") == "capacity-block"
    if block != (inputs.get("capacityType") == "CAPACITY_BLOCK"):
        raise Refusal(code, "The capacity type CAPACITY_BLOCK and the market type capacity-block go together")
