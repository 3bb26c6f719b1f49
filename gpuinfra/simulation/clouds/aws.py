"""AWS, simulated: identifiers, what replaces, what is refused, and machines in Auto Scaling groups."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from ...plan.resolve import POOL_LABEL
from ..clockwork import firings
from ..cloud import Cloud, Diffs, Due, Groups, Refusal, Request, Spending, digest
from ..values import as_list, as_map, lookup
from ..world import Thing, World

_ACCOUNT = "123456789012"
"""The account of examples in AWS's documentation."""
_GROUP = "aws:autoscaling/group:Group"
_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
_SCHEDULE = "aws:scheduler/schedule:Schedule"
_LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"


def _region(request: Request) -> str:
    return str(request.inputs.get("region") or request.config.get("region") or "us-east-1")


# Types whose id is a prefix and digits.
_PREFIXES = {
    "aws:ec2/vpc:Vpc": "vpc-",
    "aws:ec2/subnet:Subnet": "subnet-",
    "aws:ec2/internetGateway:InternetGateway": "igw-",
    "aws:ec2/natGateway:NatGateway": "nat-",
    "aws:ec2/eip:Eip": "eipalloc-",
    "aws:ec2/routeTable:RouteTable": "rtb-",
    "aws:ec2/routeTableAssociation:RouteTableAssociation": "rtbassoc-",
    "aws:ec2/route:Route": "r-",
    "aws:ec2/vpcEndpoint:VpcEndpoint": "vpce-",
    "aws:ec2/securityGroup:SecurityGroup": "sg-",
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": "sgr-",
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": "sgr-",
    _TEMPLATE: "lt-",
    _LUSTRE: "fs-",
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": "dra-",
    "aws:efs/fileSystem:FileSystem": "fs-",
    "aws:efs/mountTarget:MountTarget": "fsmt-",
}
# Types whose id is their name; the value is the service and what stands before the name in the ARN.
_NAMED = {
    _GROUP: ("autoscaling", "autoScalingGroup:{digest}:autoScalingGroupName/"),
    "aws:ec2/placementGroup:PlacementGroup": ("ec2", "placement-group/"),
    "aws:iam/role:Role": ("iam", "role/"),
    "aws:iam/instanceProfile:InstanceProfile": ("iam", "instance-profile/"),
    "aws:s3/bucket:Bucket": ("s3", ""),
    "aws:lambda/function:Function": ("lambda", "function:"),
    "aws:cloudwatch/logGroup:LogGroup": ("logs", "log-group:"),
    "aws:cloudwatch/eventRule:EventRule": ("events", "rule/"),
}
_GLOBAL = {"iam", "s3"}


def _name(request: Request) -> str:
    """The name in the cloud: as given, or made up as the provider does."""
    inputs = request.inputs
    prefix = next((inputs[k] for k in ("namePrefix", "bucketPrefix") if inputs.get(k)), None)
    for key in ("name", "bucket"):
        if isinstance(inputs.get(key), str):
            return str(inputs[key])
    return f"{prefix or request.name + '-'}{digest(request.urn, 7)}"


def _arn(request: Request, service: str, resource: str) -> str:
    where = ":" if service == "s3" else f":{_ACCOUNT}:" if service == "iam" else f"{_region(request)}:{_ACCOUNT}:"
    if service == "iam":
        where = f":{_ACCOUNT}:"
    return f"arn:aws:{service}:{where}{resource}" if service != "s3" else f"arn:aws:s3:::{resource}"


def _identify(request: Request) -> str:
    if request.type in _PREFIXES:
        return _PREFIXES[request.type] + digest(request.urn)
    if request.type in _NAMED:
        return _name(request)
    special = _IDS.get(request.type)
    return special(request) if special else _name(request)


_IDS: dict[str, Callable[[Request], str]] = {
    "aws:sns/topic:Topic": lambda r: _arn(r, "sns", _name(r)),
    "aws:sns/topicPolicy:TopicPolicy": lambda r: str(r.inputs["arn"]),
    "aws:sns/topicSubscription:TopicSubscription": lambda r: f"{r.inputs['topic']}:{digest(r.urn, 8)}",
    "aws:sqs/queue:Queue": lambda r: f"https://sqs.{_region(r)}.amazonaws.com/{_ACCOUNT}/{_name(r)}",
    "aws:scheduler/schedule:Schedule": lambda r: f"default/{_name(r)}",
    "aws:budgets/budget:Budget": lambda r: f"{_ACCOUNT}:{_name(r)}",
    "aws:budgets/budgetAction:BudgetAction": lambda r: f"{_ACCOUNT}:{digest(r.urn, 8)}:{r.inputs['budgetName']}",
    "aws:iam/policy:Policy": lambda r: _arn(r, "iam", f"policy/{_name(r)}"),
    "aws:iam/rolePolicy:RolePolicy": lambda r: f"{r.inputs['role']}:{_name(r)}",
}


def _outputs(request: Request, id_: str) -> Mapping[str, Any]:
    out: dict[str, Any] = {}
    if request.type in _NAMED:
        service, before = _NAMED[request.type]
        out = {"name": id_, "arn": _arn(request, service, before.format(digest=digest(id_, 8)) + id_)}
    special = _OUTPUTS.get(request.type)
    return {**out, **(special(request, id_) if special else {})}


_OUTPUTS: dict[str, Callable[[Request, str], Mapping[str, Any]]] = {
    "aws:ec2/vpc:Vpc": lambda r, i: {"arn": _arn(r, "ec2", f"vpc/{i}"), "ownerId": _ACCOUNT},
    "aws:ec2/subnet:Subnet": lambda r, i: {"arn": _arn(r, "ec2", f"subnet/{i}"), "ownerId": _ACCOUNT},
    "aws:ec2/securityGroup:SecurityGroup": lambda r, i: {
        "arn": _arn(r, "ec2", f"security-group/{i}"),
        "name": _name(r),
    },
    "aws:ec2/eip:Eip": lambda r, i: {
        "allocationId": i,
        "publicIp": f"198.51.100.{int(digest(r.urn, 4), 16) % 254 + 1}",
    },
    _TEMPLATE: lambda r, i: {
        "name": _name(r),
        "arn": _arn(r, "ec2", f"launch-template/{i}"),
        "defaultVersion": 1,
        "latestVersion": _next_version(r, i),
    },
    _LUSTRE: lambda r, i: {
        "arn": _arn(r, "fsx", f"file-system/{i}"),
        "dnsName": f"{i}.fsx.{_region(r)}.amazonaws.com",
        "mountName": digest(i, 8),
        "ownerId": _ACCOUNT,
    },
    "aws:efs/fileSystem:FileSystem": lambda r, i: {
        "arn": _arn(r, "elasticfilesystem", f"file-system/{i}"),
        "dnsName": f"{i}.efs.{_region(r)}.amazonaws.com",
    },
    "aws:s3/bucket:Bucket": lambda r, i: {"bucket": i, "region": _region(r)},
    "aws:sns/topic:Topic": lambda r, i: {"arn": i, "name": i.rsplit(":", 1)[-1], "owner": _ACCOUNT},
    "aws:sqs/queue:Queue": lambda r, i: {
        "arn": _arn(r, "sqs", i.rsplit("/", 1)[-1]),
        "url": i,
        "name": i.rsplit("/", 1)[-1],
    },
    "aws:scheduler/schedule:Schedule": lambda r, i: {
        "name": i.split("/", 1)[-1],
        "arn": _arn(r, "scheduler", f"schedule/{i}"),
    },
    "aws:budgets/budget:Budget": lambda r, i: {"name": i.split(":", 1)[-1], "accountId": _ACCOUNT},
    "aws:iam/policy:Policy": lambda r, i: {"arn": i, "name": i.rsplit("/", 1)[-1]},
    "aws:iam/rolePolicy:RolePolicy": lambda r, i: {"name": i.split(":", 1)[-1]},
}


def _next_version(request: Request, id_: str) -> int:
    old = request.world.thing(_TEMPLATE, id_)
    return int(old.outputs.get("latestVersion", 0)) + 1 if old else 1


# What makes machines.


def _create(request: Request, id_: str) -> None:
    made = _CREATED.get(request.type)
    if made:
        made(request, id_)


def _group_made(request: Request, id_: str) -> None:
    if request.world.thing(_GROUP, id_) is not None:
        raise Refusal("AlreadyExists", f"AutoScalingGroup by this name already exists - {id_}")
    least, most = int(request.inputs.get("minSize", 0)), int(request.inputs.get("maxSize", 0))
    if least > most:
        raise Refusal("ValidationError", "Min bound must be less than or equal to the max bound")
    _scale(request.world, request.inputs, id_)


def _lustre_made(request: Request, id_: str) -> None:
    size = int(request.inputs.get("storageCapacity") or 0)
    if request.inputs.get("deploymentType") == "PERSISTENT_2" and size not in (1200,) and size % 2400:
        raise Refusal("BadRequest", f"Storage capacity {size} is not valid: 1200, or a multiple of 2400 GiB")


def _schedule_made(request: Request, id_: str) -> None:
    expression = str(request.inputs.get("scheduleExpression") or "")
    if expression.startswith("at("):
        zone = ZoneInfo(str(request.inputs.get("scheduleExpressionTimezone") or "UTC"))
        if datetime.fromisoformat(expression[3:-1]).replace(tzinfo=zone) <= request.world.now:
            raise Refusal("ValidationException", f"Invalid Schedule Expression {expression}: it lies in the past")


_CREATED: dict[str, Callable[[Request, str], None]] = {
    _GROUP: _group_made,
    _LUSTRE: _lustre_made,
    _SCHEDULE: _schedule_made,
}


def _scale(world: World, inputs: Mapping[str, Any], id_: str, why: str = "scaled in") -> None:
    """Brings a group to its number, as far as its zone has machines. A shortage fails nothing here: the group goes on
    trying, and its activities say why."""
    wanted = int(inputs.get("desiredCapacity") or 0)
    running = world.running(_GROUP, id_)
    if len(running) > wanted:
        world.end_nodes(running[wanted:], why)
    missing = wanted - len(running)
    if missing <= 0:
        return
    template = _template_of(world, inputs)
    region, zone = _place_of(world, inputs)
    instance_type = str(lookup(template, "instanceType") or "unknown")
    market = "spot" if inputs.get("mixedInstancesPolicy") else "on_demand"
    left = world.left(zone, instance_type)
    can = missing if left is None else min(missing, left)
    world.launch((_GROUP, id_), (region, zone), instance_type, market, can)
    if can < missing:
        world.note("shortage", id_, f"InsufficientInstanceCapacity: {missing - can} of {instance_type} in {zone}")


def _template_of(world: World, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    id_ = lookup(inputs, "launchTemplate.id") or lookup(
        inputs, "mixedInstancesPolicy.launchTemplate.launchTemplateSpecification.launchTemplateId"
    )
    thing = world.thing(_TEMPLATE, str(id_))
    return thing.inputs if thing else {}


def _place_of(world: World, inputs: Mapping[str, Any]) -> tuple[str, str]:
    subnets = inputs.get("vpcZoneIdentifiers") or [""]
    thing = world.thing("aws:ec2/subnet:Subnet", str(subnets[0]))
    if thing is None:
        return str(inputs.get("region") or ""), ""
    zone = thing.inputs.get("availabilityZoneId") or thing.inputs.get("availabilityZone") or ""
    return str(thing.inputs.get("region") or ""), str(zone)


def _resize(world: World, group: Thing, wanted: int, why: str) -> None:
    moved = {**group.outputs, "desiredCapacity": wanted}
    if wanted == 0:
        moved["minSize"] = 0
    world.keep(replace(group, outputs=moved))
    _scale(world, moved, group.id, why)


def _pool(world: World, group: Thing) -> str:
    tags = as_list(group.inputs.get("tags"))
    return next((str(t.get("value")) for t in tags if t.get("key") == POOL_LABEL), "")


# What the cloud does by itself.


def _due(world: World, after: datetime, until: datetime) -> list[Due]:
    found: list[Due] = []
    for schedule in world.things(_SCHEDULE):
        for moment in _moments(schedule, after, until):
            found.append(Due(moment, schedule.name, partial(_fire, schedule=schedule)))
    return found


def _moments(schedule: Thing, after: datetime, until: datetime) -> Iterator[datetime]:
    expression = str(schedule.inputs.get("scheduleExpression") or "")
    zone = ZoneInfo(str(schedule.inputs.get("scheduleExpressionTimezone") or "UTC"))
    if expression.startswith("at("):
        moment = datetime.fromisoformat(expression[3:-1]).replace(tzinfo=zone).astimezone(UTC)
        if after < moment <= until:
            yield moment
    elif expression.startswith("cron("):
        line = _five_fields(expression[5:-1])
        yield from firings(line, zone, after, until)


def _five_fields(six: str) -> str:
    """EventBridge's six fields as a crontab's five: names of days stay, `?` means any, the year is always *."""
    minute, hour, day, month, weekday, _ = six.split()
    return " ".join([minute, hour, day.replace("?", "*"), month, weekday.replace("?", "*")])


def _fire(world: World, schedule: Thing) -> None:
    asked = json.loads(str(lookup(schedule.inputs, "target.input") or "{}"))
    group = world.thing(_GROUP, str(asked.get("AutoScalingGroupName")))
    if group is not None:
        _resize(world, group, int(asked.get("DesiredCapacity", 0)), f"schedule {schedule.name}")
    if schedule.inputs.get("actionAfterCompletion") == "DELETE":
        world.forget(schedule.type, schedule.id)


def _budgets(world: World) -> list[tuple[Thing, float]]:
    found = [t for t in world.things("aws:budgets/budget:Budget") if t.inputs.get("timeUnit") == "MONTHLY"]
    return [(t, float(t.inputs["limitAmount"])) for t in found if t.inputs.get("limitAmount")]


def _stopped(world: World, budget: Thing) -> list[Thing]:
    """The groups of the function that the budget's topic calls."""
    told = {
        topic
        for n in as_list(budget.inputs.get("notifications"))
        if n.get("notificationType") == "ACTUAL"
        for topic in as_list(n.get("subscriberSnsTopicArns"))
    }
    heard = [t for t in world.things("aws:sns/topicSubscription:TopicSubscription") if t.inputs.get("topic") in told]
    functions = {f.outputs.get("arn"): f for f in world.things("aws:lambda/function:Function")}
    names: list[str] = []
    for subscription in heard:
        function = functions.get(subscription.inputs.get("endpoint"))
        if function is not None:
            names += _groups_of(function)
    return [g for g in world.things(_GROUP) if g.id in names]


def _groups_of(function: Thing) -> list[str]:
    """What groups.json in the function's archive names."""
    assets = as_map(lookup(function.inputs, "code.assets"))
    text = lookup(assets.get("groups.json") or {}, "text")
    return list(json.loads(text)) if isinstance(text, str) else []


def _update(request: Request, old: Thing) -> None:
    if request.type == _GROUP:
        most, wanted = int(old.outputs.get("maxSize") or 0), int(old.outputs.get("desiredCapacity") or 0)
        moved = {**old.outputs, "desiredCapacity": min(wanted, most)}
        request.world.keep(replace(old, outputs=moved))
        _scale(request.world, moved, old.id)


def _delete(request: Request, old: Thing) -> None:
    if old.type == _GROUP:
        request.world.end_nodes(request.world.running(_GROUP, old.id), "group deleted")


_DIFFS = {
    _TEMPLATE: Diffs(replace=("name", "namePrefix")),
    _GROUP: Diffs(replace=("name", "namePrefix")),
    "aws:ec2/placementGroup:PlacementGroup": Diffs(replace=("name", "strategy", "partitionCount", "spreadLevel")),
    _LUSTRE: Diffs(
        replace=(
            "subnetIds",
            "securityGroupIds",
            "kmsKeyId",
            "efaEnabled",
            "deploymentType",
            "storageType",
            "importPath",
            "exportPath",
            "importedFileChunkSize",
            "backupId",
            "copyTagsToBackups",
            "driveCacheType",
        ),
        shrink=("storageCapacity",),
    ),
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": Diffs(
        replace=("fileSystemId", "fileSystemPath", "dataRepositoryPath")
    ),
    "aws:ec2/capacityReservation:CapacityReservation": Diffs(
        replace=(
            "availabilityZone",
            "instanceType",
            "instancePlatform",
            "tenancy",
            "instanceMatchCriteria",
            "ebsOptimized",
        )
    ),
    "aws:ec2/vpc:Vpc": Diffs(replace=("cidrBlock",)),
    "aws:ec2/subnet:Subnet": Diffs(replace=("vpcId", "cidrBlock", "availabilityZone", "availabilityZoneId")),
    "aws:ec2/securityGroup:SecurityGroup": Diffs(replace=("name", "namePrefix", "description", "vpcId")),
    "aws:ec2/natGateway:NatGateway": Diffs(replace=("subnetId", "allocationId", "connectivityType")),
    "aws:ec2/vpcEndpoint:VpcEndpoint": Diffs(replace=("vpcId", "serviceName", "vpcEndpointType")),
    "aws:ec2/internetGateway:InternetGateway": Diffs(),
    "aws:efs/fileSystem:FileSystem": Diffs(replace=("encrypted", "performanceMode", "kmsKeyId", "creationToken")),
    "aws:efs/mountTarget:MountTarget": Diffs(replace=("fileSystemId", "subnetId", "ipAddress")),
    "aws:s3/bucket:Bucket": Diffs(replace=("bucket", "bucketPrefix")),
    "aws:iam/role:Role": Diffs(replace=("name", "namePrefix", "path")),
    "aws:iam/policy:Policy": Diffs(replace=("name", "namePrefix", "path", "description")),
    "aws:iam/instanceProfile:InstanceProfile": Diffs(replace=("name", "namePrefix", "path")),
    "aws:budgets/budget:Budget": Diffs(replace=("name", "namePrefix", "accountId")),
    "aws:budgets/budgetAction:BudgetAction": Diffs(replace=("accountId", "actionType", "budgetName")),
    "aws:scheduler/schedule:Schedule": Diffs(replace=("name", "namePrefix", "groupName")),
    "aws:sns/topic:Topic": Diffs(replace=("name", "namePrefix", "fifoTopic")),
    "aws:sqs/queue:Queue": Diffs(replace=("name", "namePrefix", "fifoQueue")),
    "aws:lambda/function:Function": Diffs(replace=("name", "packageType")),
}


def _parameter(args: Mapping[str, Any], world: World, config: Mapping[str, Any]) -> Mapping[str, Any]:
    value = f"ami-{digest(str(args.get('name')))}"
    return {
        **args,
        "arn": f"arn:aws:ssm:::parameter{args.get('name')}",
        "id": args.get("name"),
        "type": "String",
        "value": value,
        "insecureValue": value,
        "version": 1,
        "withDecryption": True,
    }


def _image(args: Mapping[str, Any], world: World, config: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**args, "id": "ami", "rootDeviceName": "/dev/sda1", "imageId": "ami-" + digest(str(args))}


CLOUD = Cloud(
    "aws",
    _identify,
    _outputs,
    create=_create,
    update=_update,
    delete=_delete,
    diffs=_DIFFS,
    due=_due,
    groups=Groups((_GROUP,), lambda world, group: int(group.outputs.get("desiredCapacity") or 0), _resize, _pool),
    spending=Spending(_budgets, _stopped),
    invoke={
        "aws:ssm/getParameter:getParameter": _parameter,
        "aws:ec2/getAmi:getAmi": _image,
        "aws:index/getCallerIdentity:getCallerIdentity": lambda a, w, c: {
            "accountId": _ACCOUNT,
            "arn": f"arn:aws:iam::{_ACCOUNT}:user/example",
            "id": _ACCOUNT,
            "userId": "AIDAEXAMPLE",
        },
    },
)
