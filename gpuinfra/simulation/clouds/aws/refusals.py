"""What AWS refuses when something is made or changed, in its own codes (facts aws a2 to a6, a9, (c))."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from .... import catalog
from ....catalog import NetworkCards
from ....vocabulary import Provider, StorageKind
from ...cloud import Refusal, Request
from ...unknown_types import is_unknown
from ...values import as_list, as_map, lookup
from ...world import Thing, World
from . import machines, ranges
from .types import BUDGET, GROUP, PLACEMENT, SUBNET, TEMPLATE, VPC

_CLUSTER = "cluster"
_EFA = ("efa", "efa-only")


# At plan time: what the provider itself judges (facts aws a10: "Preview caught only").


def check(type_: str, inputs: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(property, reason) of what the provider refuses before anything is asked of AWS."""
    return list(_CHECKED[type_](inputs)) if type_ in _CHECKED else []


def _template_checked(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    hops = lookup(inputs, "metadataOptions.httpPutResponseHopLimit")
    if isinstance(hops, (int, float)) and not 1 <= hops <= 64:
        yield "metadataOptions.httpPutResponseHopLimit", f"expected to be in the range (1 - 64), got {hops:g}"
    for i, mapping in enumerate(as_list(inputs.get("blockDeviceMappings"))):
        throughput = lookup(mapping, "ebs.throughput")
        if isinstance(throughput, (int, float)) and not 125 <= throughput <= 1000:
            yield (
                f"blockDeviceMappings[{i}].ebs.throughput",
                f"expected to be in the range (125 - 1000), got {throughput:g}",
            )


def _named(what: str, *keys: str) -> Any:
    def checked(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        most = catalog.limit(Provider.AWS, what)
        for key in keys:
            name = inputs.get(key)
            if most is not None and most.maximum and isinstance(name, str) and len(name) > most.maximum:
                yield key, f"expected length to be in the range (1 - {most.maximum}), got {len(name)}"

    return checked


_CHECKED: Mapping[str, Any] = {
    TEMPLATE: _template_checked,
    VPC: ranges.checked_of_vpc,
    SUBNET: ranges.checked,
    GROUP: _named("name.autoscaling_group", "name"),
    "aws:iam/role:Role": _named("name.role", "name"),
    "aws:lambda/function:Function": _named("name.function", "name"),
    "aws:scheduler/schedule:Schedule": _named("name.schedule", "name"),
    "aws:sns/topic:Topic": _named("name.topic", "name"),
    BUDGET: _named("name.budget", "name"),
}


# Launch templates and groups. A template takes nearly all that is well formed; the group's creation launches one on trial.


def template(request: Request, id_: str) -> None:
    """What CreateLaunchTemplate refuses."""
    name = request.inputs.get("name")
    for other in request.world.things(TEMPLATE):
        if name and other.inputs.get("name") == name and other.id != id_:
            raise Refusal(
                "InvalidLaunchTemplateName.AlreadyExistsException", f"Launch template name already in use: {name}"
            )
    data = request.inputs.get("userData")
    if isinstance(data, str):
        _user_data(data)


def _user_data(data: str) -> None:
    most = catalog.limit(Provider.AWS, "user_data_bytes")
    try:
        size = len(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError):
        raise Refusal("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.") from None
    if most is not None and most.maximum and size > most.maximum:
        raise Refusal("InvalidUserData.Malformed", f"User data is limited to {most.maximum} bytes")


def group(world: World, inputs: Mapping[str, Any]) -> None:
    """What CreateAutoScalingGroup and UpdateAutoScalingGroup refuse."""
    least, most = int(inputs.get("minSize", 0)), int(inputs.get("maxSize", 0))
    if least > most:
        raise Refusal("ValidationError", "Min bound must be less than or equal to the max bound")
    wanted = inputs.get("desiredCapacity")
    if wanted is not None and not least <= int(wanted) <= most:
        raise Refusal(
            "ValidationError",
            f"Desired capacity:{wanted} must be between the specified min size:{least} and max size:{most}",
        )
    if not as_list(inputs.get("vpcZoneIdentifiers")) and not as_list(inputs.get("availabilityZones")):
        raise Refusal("ValidationError", "At least one Availability Zone or VPC Subnet is required.")
    launched = machines.template_of(world, inputs)
    if not launched and machines.launches_what_stands_outside(world, inputs):
        return
    if not launched:
        raise Refusal("ValidationError", "You must use a valid fully-formed launch template. It does not exist")
    for code, message in trial(world, inputs, launched):
        raise Refusal("ValidationError", f"You must use a valid fully-formed launch template. {code}: {message}")


def trial(world: World, inputs: Mapping[str, Any], launched: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What RunInstances says to a template."""
    if is_unknown(Provider.AWS, machine := str(launched.get("instanceType") or "")):
        yield "InvalidParameterValue", f"Invalid value '{machine}' for InstanceType."
    image = str(launched.get("imageId") or "")
    if image and not image.startswith(("ami-", "resolve:ssm:")):
        yield "InvalidAMIID.Malformed", f'Invalid id: "{image}" (expecting "ami-...")'
    nics = as_list(launched.get("networkInterfaces"))
    if nics and launched.get("vpcSecurityGroupIds"):
        yield (
            "InvalidParameterCombination",
            ("Network interfaces and an instance-level security groups may not be specified on the same request"),
        )
    yield from _interfaces(str(launched.get("instanceType") or ""), nics)
    yield from _purchase(world, inputs, launched)


def _interfaces(machine: str, nics: Sequence[Any]) -> Iterator[tuple[str, str]]:
    if len(nics) > 1 and any(str(n.get("associatePublicIpAddress")).lower() == "true" for n in nics):
        yield (
            "InvalidParameterCombination",
            (
                "The associatePublicIPAddress parameter cannot be specified when launching with multiple network interfaces."
            ),
        )
    places = [(int(n.get("networkCardIndex") or 0), int(n.get("deviceIndex") or 0)) for n in nics]
    if len(set(places)) < len(places):
        yield "InvalidParameterValue", "Each network interface requires a unique device index on its network card."
    if nics and (0, 0) not in places:
        yield (
            "InvalidParameterCombination",
            "You must specify a primary interface, with device index 0 on network card 0.",
        )
    for nic, (card, device) in zip(nics, places, strict=True):
        kind = nic.get("interfaceType")
        if kind == "efa-only" and (card, device) == (0, 0):
            yield "InvalidParameterCombination", "An EFA-only network interface cannot be the primary interface."
        if kind == "efa-only" and (nic.get("associatePublicIpAddress") or nic.get("ipv6AddressCount")):
            yield "InvalidParameterValue", "An EFA-only network interface takes no IP addresses."
    cards = catalog.network_cards(machine)
    if cards is not None:
        yield from _on_cards(cards, nics, places)
    elif any(n.get("interfaceType") in _EFA for n in nics):
        yield "InvalidParameterCombination", f"EFA interfaces are not supported on the instance type {machine}."


def _on_cards(cards: NetworkCards, nics: Sequence[Any], places: Sequence[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    name = cards.instance_type
    efa = [place for nic, place in zip(nics, places, strict=True) if nic.get("interfaceType") in _EFA]
    for card, device in places:
        if card >= cards.cards:
            yield (
                "InvalidParameterValue",
                f"Network card index {card} is invalid: {name} has {cards.cards} network cards.",
            )
        elif device >= cards.max_interfaces[card]:
            most = cards.max_interfaces[card] - 1
            yield "InvalidParameterValue", f"device index exceeds {most}, the most of network card {card} of {name}."
    for card, _ in efa:
        if card not in cards.efa_cards:
            yield "InvalidParameterCombination", f"Network card {card} of {name} does not support EFA."
    if len(efa) > cards.max_efa:
        yield "AttachmentLimitExceeded", f"{len(efa)} EFA interfaces: {name} supports {cards.max_efa}."


def _purchase(world: World, inputs: Mapping[str, Any], launched: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    market = lookup(launched, "instanceMarketOptions.marketType")
    target = machines.reservation_of(launched)
    placement = str(lookup(launched, "placement.groupName") or "")
    preference = lookup(launched, "capacityReservationSpecification.capacityReservationPreference")
    if market == "capacity-block":
        if placement:
            yield "InvalidParameterCombination", "Placement groups are not supported with Capacity Blocks."
        if not target:
            yield (
                "InvalidParameterCombination",
                "The market type capacity-block requires a capacity reservation target.",
            )
        if lookup(launched, "instanceMarketOptions.spotOptions"):
            yield "InvalidParameterCombination", "spotOptions cannot be specified with the market type capacity-block."
    if market == "spot" and inputs.get("mixedInstancesPolicy"):
        yield "InvalidParameterCombination", "Incompatible launch template: it requests Spot Instances."
    if target and preference not in (None, "capacity-reservations-only"):
        yield "InvalidParameterCombination", f"CapacityReservationPreference {preference} cannot be used with a target."
    if placement:
        yield from _placement(world, placement, str(launched.get("instanceType") or ""))


def _placement(world: World, name: str, machine: str) -> Iterator[tuple[str, str]]:
    made = [t for t in world.things(PLACEMENT) if name in (t.id, t.outputs.get("name"))]
    found = catalog.instance_type(Provider.AWS, machine)
    takes = getattr(found, "cluster_placement_supported", None)
    if takes is False and any(t.inputs.get("strategy") == _CLUSTER for t in made):
        yield (
            "InvalidParameterCombination",
            f"Cluster placement groups are not supported by the '{machine}' instance type.",
        )


def placement(request: Request, id_: str) -> None:
    """What CreatePlacementGroup refuses."""
    if request.world.thing(PLACEMENT, id_) is not None:
        raise Refusal("InvalidPlacementGroup.Duplicate", f"The placement group '{id_}' is duplicated.")


def placement_gone(world: World, name: str) -> None:
    """What DeletePlacementGroup refuses: a group whose machines run."""
    for one in world.things(GROUP):
        launched = machines.template_of(world, one.inputs)
        if lookup(launched, "placement.groupName") == name and world.running(GROUP, one.id):
            raise Refusal(
                "InvalidPlacementGroup.InUse", f"The placement group '{name}' is in use and may not be deleted."
            )


# Storage.

_INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
_EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
_LUSTRE_PORT = 988


def lustre(request: Request, id_: str) -> None:
    """What CreateFileSystem refuses."""
    kind, size = _sized(request.inputs)
    if kind == "PERSISTENT_2":
        _newest(request.inputs)
    if request.inputs.get("efaEnabled"):
        _with_efa(request, size, kind)
    _ports(request)


def _sized(inputs: Mapping[str, Any]) -> tuple[str, int]:
    """The deployment type and the size, which go together with the throughput."""
    kind, size = str(inputs.get("deploymentType") or "SCRATCH_1"), int(inputs.get("storageCapacity") or 0)
    throughput = inputs.get("perUnitStorageThroughput")
    tiers = [t for t in catalog.storage_tiers(Provider.AWS, StorageKind.LUSTRE) if t.tier == kind]
    ssd = inputs.get("storageType") in (None, "SSD")
    if tiers and ssd:
        fits = [t for t in tiers if t.throughput_mbps_per_tib is None or t.throughput_mbps_per_tib == throughput]
        if not fits or (throughput is not None and fits[0].throughput_mbps_per_tib is None):
            raise Refusal("BadRequest", "throughput is invalid or does not meet the storage capacity requirement")
        if not any((t.min_gib <= size and size % t.step_gib == 0) or size in t.extra_sizes_gib for t in fits):
            steps = ", ".join(map(str, (*fits[0].extra_sizes_gib, fits[0].min_gib)))
            raise Refusal(
                "BadRequest", f"Storage capacity {size} is invalid: {steps}, or a multiple of {fits[0].step_gib} GiB"
            )
    return kind, size


_COOLS_FOR = timedelta(hours=6)


def lustre_changed(request: Request, old: Thing) -> None:
    """What UpdateFileSystem refuses (facts aws a6, a10)."""
    inputs, world, key = request.inputs, request.world, f"grown:{old.id}"
    if inputs.get("metadataConfiguration") and not old.inputs.get("metadataConfiguration"):
        raise Refusal("BadRequest", "a metadata configuration cannot be added to a file system that has none")
    if inputs.get("efaEnabled") and inputs.get("perUnitStorageThroughput") != old.inputs.get(
        "perUnitStorageThroughput"
    ):
        raise Refusal("BadRequest", "the throughput of an EFA-enabled file system cannot be changed")
    if inputs.get("storageCapacity") != old.inputs.get("storageCapacity"):
        last = world.meta(key)
        if last and world.now < datetime.fromisoformat(last) + _COOLS_FOR:
            raise Refusal(
                "BadRequest", "Unable to perform the storage capacity update. There is an update in the last 6 hours"
            )
        world.set_meta(key, world.now.isoformat())
    _sized(inputs)


def _newest(inputs: Mapping[str, Any]) -> None:
    if inputs.get("fileSystemTypeVersion") == "2.10":
        raise Refusal("BadRequest", "Lustre version 2.10 is not supported with PERSISTENT_2")
    for key in ("importPath", "exportPath", "autoImportPolicy", "importedFileChunkSize"):
        if inputs.get(key):
            raise Refusal("BadRequest", f"{key} is not supported with PERSISTENT_2: use a data repository association")


def _with_efa(request: Request, size: int, kind: str) -> None:
    inputs = request.inputs
    if kind != "PERSISTENT_2":
        raise Refusal("BadRequest", "EFA is supported on PERSISTENT_2 file systems alone")
    if not inputs.get("metadataConfiguration"):
        raise Refusal("BadRequest", "an EFA-enabled file system requires a metadata configuration")
    # 38,400 GiB at 125 MB/s per TiB, and as much less as each TiB gives more (facts aws a6).
    step = 4_800_000 // int(inputs.get("perUnitStorageThroughput") or 1)
    if size % step:
        raise Refusal(
            "BadRequest", f"Storage capacity {size} is invalid for an EFA-enabled file system: a multiple of {step} GiB"
        )
    groups = {str(g) for g in as_list(inputs.get("securityGroupIds"))}
    made = [t for t in request.world.things("aws:ec2/securityGroup:SecurityGroup") if t.id in groups]
    for one in made:
        for rules in (_INGRESS, _EGRESS):
            if not any(_is_self(r.inputs, one.id) for r in request.world.things(rules)):
                raise Refusal(
                    "BadRequest", "Insufficient security group permissions to create an EFA-enabled file system"
                )


def _is_self(rule: Mapping[str, Any], group_id: str) -> bool:
    whole = str(rule.get("ipProtocol")) == "-1"
    return whole and rule.get("securityGroupId") == group_id and rule.get("referencedSecurityGroupId") == group_id


def _ports(request: Request) -> None:
    """FSx probes its port at creation: a group that the world knows must let it in. Groups from elsewhere are not judged."""
    groups = {str(g) for g in as_list(request.inputs.get("securityGroupIds"))}
    known = {t.id for t in request.world.things("aws:ec2/securityGroup:SecurityGroup")}
    if not groups or not groups <= known:
        return
    rules = [r.inputs for r in request.world.things(_INGRESS) if r.inputs.get("securityGroupId") in groups]
    inline = [i for t in request.world.things("aws:ec2/securityGroup:SecurityGroup") if t.id in groups
              for i in as_list(t.inputs.get("ingress"))]  # fmt: skip
    if not any(_lets_in(r) for r in (*rules, *inline)):
        raise Refusal(
            "InvalidNetworkSettings",
            f"The file system cannot be created because the default security group in the subnet provided or the provided security "
            f"groups do not permit Lustre LNET network traffic on port {_LUSTRE_PORT}",
        )


def _lets_in(rule: Mapping[str, Any]) -> bool:
    if str(rule.get("ipProtocol", rule.get("protocol"))) == "-1":
        return True
    low, high = rule.get("fromPort"), rule.get("toPort")
    return low is not None and high is not None and int(low) <= _LUSTRE_PORT <= int(high)


# Money.


def budget(request: Request, id_: str) -> None:
    """What CreateBudget refuses."""
    inputs = request.inputs
    if float(inputs.get("limitAmount") or 1) <= 0:
        raise Refusal("InvalidParameterException", "the budget limit must be greater than 0")
    heard = as_list(inputs.get("notifications"))
    most = catalog.limit(Provider.AWS, "budget_notifications")
    if most is not None and most.maximum and len(heard) > most.maximum:
        raise Refusal("CreationLimitExceededException", f"at most {most.maximum} notifications for a budget")
    for one in heard:
        if not as_list(one.get("subscriberEmailAddresses")) and not as_list(one.get("subscriberSnsTopicArns")):
            raise Refusal("InvalidParameterException", "a notification requires at least one subscriber")
        if inputs.get("timeUnit") == "DAILY" and one.get("notificationType") == "FORECASTED":
            raise Refusal("InvalidParameterException", "daily budgets take no forecasted notifications")
    name = str(inputs.get("name") or "")
    if ":" in name or "\\" in name:
        raise Refusal("InvalidParameterException", "the budget's name must not contain ':' or '\\'")


def schedule_target(request: Request) -> None:
    """What CreateSchedule refuses in its target."""
    given = lookup(request.inputs, "target.input")
    if isinstance(given, str):
        try:
            json.loads(given)
        except ValueError:
            raise Refusal("ValidationException", "Provided request parameters: input must be valid JSON.") from None
    if not as_map(request.inputs.get("target")).get("roleArn"):
        raise Refusal(
            "ValidationException", "The execution role you provide must allow AWS EventBridge Scheduler to assume it"
        )
