"""What AWS's data sources say, where it is more than a resource's own properties."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .... import catalog
from ....vocabulary import Provider
from ...cloud import Answer, digest
from ...supply import limit_of
from ...values import as_list
from ...world import World
from .types import SUBNET
from .words import ACCOUNT, subnet_of_zone, zone_of_subnet, zones

_Given = Mapping[str, Any]


def _region(args: _Given, config: _Given) -> str:
    return str(args.get("region") or config.get("region") or "us-east-1")


def _parameter(args: _Given, world: World, config: _Given) -> _Given:
    name = str(args.get("name"))
    # Public parameters of images hold an id.
    value = f"ami-{digest(name)}" if "ami" in name or "image" in name else f"value-of-{name}"
    return {
        **args,
        "arn": f"arn:aws:ssm:{_region(args, config)}:{ACCOUNT if not name.startswith('/aws/') else ''}:parameter{name}",
        "id": name,
        "type": "String",
        "value": value,
        "insecureValue": value,
        "version": 1,
        "withDecryption": True,
    }


def _image(args: _Given, world: World, config: _Given) -> _Given:
    id_ = f"ami-{digest(json.dumps(dict(args), sort_keys=True))}"
    words = json.dumps(dict(args))
    arch = "arm64" if "arm64" in words or "aarch64" in words else "x86_64"
    disk = "/dev/sda1" if "ubuntu" in words.lower() or "099720109477" in words else "/dev/xvda"
    return {**args, "id": id_, "imageId": id_, "architecture": arch, "rootDeviceName": disk, "rootDeviceType": "ebs"}


def _images(args: _Given, world: World, config: _Given) -> _Given:
    return {**args, "id": digest(str(args)), "ids": [str(_image(args, world, config)["id"])]}


def _zones(args: _Given, world: World, config: _Given) -> _Given:
    where = _region(args, config)
    found = zones(where)
    excluded = {*map(str, as_list(args.get("excludeNames"))), *map(str, as_list(args.get("excludeZoneIds")))}
    for one in as_list(args.get("filters")):
        if one.get("name") in ("zone-id", "zone-name"):
            at = 1 if one["name"] == "zone-id" else 0
            found = [z for z in found if z[at] in as_list(one.get("values"))]
    found = [z for z in found if not excluded & {*z}]
    return {
        **args,
        "id": where,
        "region": where,
        "names": [name for name, _ in found],
        "zoneIds": [id_ for _, id_ in found],
        "groupNames": [where],
    }


def _zone(args: _Given, world: World, config: _Given) -> _Given:
    asked = str(args.get("name") or args.get("zoneId") or "")
    where = _region(args, config)
    name, id_ = next((z for z in zones(where) if asked in z), zones(where)[0])
    return {
        **args,
        "id": name,
        "name": name,
        "nameSuffix": name[-1:],
        "zoneId": id_,
        "region": where,
        "state": "available",
    }


def _subnets(args: _Given, world: World, config: _Given) -> _Given:
    wanted = {str(f.get("name")): as_list(f.get("values")) for f in as_list(args.get("filters"))}
    vpcs = wanted.get("vpc-id")
    there = [t.id for t in world.things(SUBNET) if vpcs is None or t.inputs.get("vpcId") in vpcs]
    where = _region(args, config)
    made_up = [subnet_of_zone(f"{vpcs} {name}", i) for i, (name, _) in enumerate(zones(where))]
    return {**args, "id": where, "ids": there or made_up}


def _subnet(args: _Given, world: World, config: _Given) -> _Given:
    """The zone of a subnet that stands outside; what the world has says it itself."""
    id_ = str(args.get("id") or "")
    if not id_ or world.thing(SUBNET, id_) is not None:
        return {}
    name, zone = zone_of_subnet(id_, _region(args, config))
    return {"availabilityZone": args.get("availabilityZone") or name, "availabilityZoneId": zone} if name else {}


def _default_vpc(args: _Given, world: World, config: _Given) -> _Given:
    asked = args.get("cidrBlock") or ("172.31.0.0/16" if args.get("default") else None)
    return {"cidrBlock": asked} if asked else {}


def _document(args: _Given, world: World, config: _Given) -> _Given:
    """A policy as JSON, as the provider writes it."""
    written: list[Any] = []
    for text in as_list(args.get("sourcePolicyDocuments")):
        written += json.loads(text).get("Statement", [])
    written += [_statement(s) for s in as_list(args.get("statements"))]
    for text in as_list(args.get("overridePolicyDocuments")):
        over = json.loads(text).get("Statement", [])
        sids = {s.get("Sid") for s in over if s.get("Sid")}
        written = [s for s in written if s.get("Sid") not in sids or not s.get("Sid")] + over
    policy = {"Version": args.get("version") or "2012-10-17", "Statement": written}
    if args.get("policyId"):
        policy["Id"] = args["policyId"]
    text = json.dumps(policy, indent=2)
    return {**args, "id": digest(text, 10), "json": text, "minifiedJson": json.dumps(policy, separators=(",", ":"))}


def _statement(given: _Given) -> dict[str, Any]:
    made: dict[str, Any] = {"Effect": given.get("effect") or "Allow"}
    if given.get("sid"):
        made["Sid"] = given["sid"]
    for key, word in (
        ("actions", "Action"),
        ("notActions", "NotAction"),
        ("resources", "Resource"),
        ("notResources", "NotResource"),
    ):
        if given.get(key):
            made[word] = _one_or_all(given[key])
    for key, word in (("principals", "Principal"), ("notPrincipals", "NotPrincipal")):
        if given.get(key):
            named: dict[str, list[Any]] = {}
            for one in given[key]:
                named.setdefault(str(one["type"]), []).extend(one["identifiers"])
            made[word] = "*" if named == {"*": ["*"]} else {k: _one_or_all(v) for k, v in named.items()}
    for one in as_list(given.get("conditions")):
        made.setdefault("Condition", {}).setdefault(one["test"], {})[one["variable"]] = _one_or_all(one["values"])
    return made


def _one_or_all(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _machine(args: _Given, world: World, config: _Given) -> _Given:
    name = str(args.get("instanceType"))
    found, cards = catalog.instance_type(Provider.AWS, name), catalog.network_cards(name)
    efa = {"efaSupported": True, "efaMaximumInterfaces": cards.max_efa} if cards else {}
    network = {"maximumNetworkCards": cards.cards, **efa} if cards else {}
    known = {
        "defaultVcpus": getattr(found, "vcpus", None),
        "supportedArchitectures": [getattr(found, "arch", "x86_64")],
    }
    return {**args, "id": name, "instanceType": name, **network, **{k: v for k, v in known.items() if v is not None}}


def _offerings(args: _Given, world: World, config: _Given) -> _Given:
    where = _region(args, config)
    asked = [
        v for f in as_list(args.get("filters")) if f.get("name") == "instance-type" for v in as_list(f.get("values"))
    ]
    by_id = args.get("locationType") == "availability-zone-id"
    rows: list[tuple[str, str]] = []
    for name in asked:
        row = catalog.zones(Provider.AWS, where, name)
        offered = row.zones if row and row.zones else tuple(id_ for _, id_ in zones(where))
        if args.get("locationType") in (None, "region"):
            rows.append((name, where))
        else:
            rows += [(name, id_ if by_id else letter) for letter, id_ in zones(where) if id_ in offered]
    return {
        **args,
        "id": where,
        "instanceTypes": [n for n, _ in rows],
        "locations": [z for _, z in rows],
        "locationTypes": [str(args.get("locationType") or "region")] * len(rows),
    }


def _block(args: _Given, world: World, config: _Given) -> _Given:
    one = next((r for r in world.reservations() if r.id == args.get("id")), None)
    if one is None:
        return dict(args)
    dated = {k: v.strftime("%Y-%m-%dT%H:%M:%SZ") for k, v in (("startDate", one.starts), ("endDate", one.ends)) if v}
    return {
        **args,
        "instanceType": one.instance_type,
        "availabilityZone": one.zone,
        "instanceCount": one.nodes,
        **dated,
    }


def _quota(args: _Given, world: World, config: _Given) -> _Given:
    code = str(args.get("quotaCode") or "")
    limit = limit_of(world, _region(args, config), code)
    return {**args, **({"value": limit} if limit is not None else {}), "adjustable": True}


def _where(args: _Given, world: World, config: _Given) -> _Given:
    name = str(args.get("name") or args.get("region") or _region(args, config))
    return {"id": name, "name": name, "region": name, "endpoint": f"ec2.{name}.amazonaws.com", "description": name}


INVOKE: Mapping[str, Answer] = {
    "aws:ssm/getParameter:getParameter": _parameter,
    "aws:ec2/getAmi:getAmi": _image,
    "aws:ec2/getAmiIds:getAmiIds": _images,
    "aws:ec2/getVpc:getVpc": _default_vpc,
    "aws:ec2/getSubnet:getSubnet": _subnet,
    "aws:ec2/getSubnets:getSubnets": _subnets,
    "aws:ec2/getInstanceType:getInstanceType": _machine,
    "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": _offerings,
    "aws:ec2/getCapacityBlockReservation:getCapacityBlockReservation": _block,
    "aws:iam/getPolicyDocument:getPolicyDocument": _document,
    "aws:servicequotas/getServiceQuota:getServiceQuota": _quota,
    "aws:index/getAvailabilityZones:getAvailabilityZones": _zones,
    "aws:index/getAvailabilityZone:getAvailabilityZone": _zone,
    "aws:index/getRegion:getRegion": _where,
    "aws:index/getServicePrincipal:getServicePrincipal": lambda a, w, c: {
        "name": f"{a.get('serviceName')}.amazonaws.com",
        "suffix": "amazonaws.com",
    },
    "aws:index/getPartition:getPartition": lambda a, w, c: {
        "id": "aws",
        "partition": "aws",
        "dnsSuffix": "amazonaws.com",
        "reverseDnsPrefix": "com.amazonaws",
    },
    "aws:index/getCallerIdentity:getCallerIdentity": lambda a, w, c: {
        "accountId": ACCOUNT,
        "arn": f"arn:aws:iam::{ACCOUNT}:user/example",
        "id": ACCOUNT,
        "userId": "AIDAEXAMPLE",
    },
    "aws:eks/getClusterAuth:getClusterAuth": lambda a, w, c: {
        "id": a.get("name"),
        "token": f"k8s-aws-v1.{digest(str(a.get('name')), 40)}",
    },
}
