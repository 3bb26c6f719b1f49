"""AWS, simulated: identifiers, what replaces, what is refused, and machines in Auto Scaling groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...cloud import Cloud, Groups, Request, Spending, digest
from ...world import World
from . import machines, making, refusals
from .replacement import DIFFS, OTHERS, UNORDERED
from .types import GROUP, LUSTRE, TEMPLATE

_ACCOUNT = "123456789012"
"""The account of examples in AWS's documentation."""


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
    TEMPLATE: "lt-",
    LUSTRE: "fs-",
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": "dra-",
    "aws:efs/fileSystem:FileSystem": "fs-",
    "aws:efs/mountTarget:MountTarget": "fsmt-",
}
# Types whose id is their name; the value is the service and what stands before the name in the ARN.
_NAMED = {
    GROUP: ("autoscaling", "autoScalingGroup:{digest}:autoScalingGroupName/"),
    "aws:ec2/placementGroup:PlacementGroup": ("ec2", "placement-group/"),
    "aws:iam/role:Role": ("iam", "role/"),
    "aws:iam/instanceProfile:InstanceProfile": ("iam", "instance-profile/"),
    "aws:s3/bucket:Bucket": ("s3", ""),
    "aws:lambda/function:Function": ("lambda", "function:"),
    "aws:cloudwatch/logGroup:LogGroup": ("logs", "log-group:"),
    "aws:cloudwatch/eventRule:EventRule": ("events", "rule/"),
}
_NAMING = ("name", "bucket", "nodeGroupName", "keyName", "identifier", "clusterIdentifier")
"""The arguments that the provider makes up where they are left out."""


def _name(request: Request) -> str:
    """The name in the cloud: as given, or made up as the provider does."""
    inputs = request.inputs
    prefix = next((inputs[k] for k in ("namePrefix", "bucketPrefix") if inputs.get(k)), None)
    for key in ("name", "bucket"):
        if isinstance(inputs.get(key), str):
            return str(inputs[key])
    return f"{prefix or request.name + '-'}{digest(request.seed, 7)}"


def _arn(request: Request, service: str, resource: str) -> str:
    where = ":" if service == "s3" else f":{_ACCOUNT}:" if service == "iam" else f"{_region(request)}:{_ACCOUNT}:"
    if service == "iam":
        where = f":{_ACCOUNT}:"
    return f"arn:aws:{service}:{where}{resource}" if service != "s3" else f"arn:aws:s3:::{resource}"


def _identify(request: Request) -> str:
    if request.type in _PREFIXES:
        return _PREFIXES[request.type] + digest(request.seed)
    if request.type in _NAMED:
        return _name(request)
    special = _IDS.get(request.type)
    return special(request) if special else _name(request)


_IDS: dict[str, Callable[[Request], str]] = {
    "aws:sns/topic:Topic": lambda r: _arn(r, "sns", _name(r)),
    "aws:sns/topicPolicy:TopicPolicy": lambda r: str(r.inputs["arn"]),
    "aws:sns/topicSubscription:TopicSubscription": lambda r: f"{r.inputs['topic']}:{digest(r.seed, 8)}",
    "aws:sqs/queue:Queue": lambda r: f"https://sqs.{_region(r)}.amazonaws.com/{_ACCOUNT}/{_name(r)}",
    "aws:scheduler/schedule:Schedule": lambda r: f"default/{_name(r)}",
    "aws:budgets/budget:Budget": lambda r: f"{_ACCOUNT}:{_name(r)}",
    "aws:budgets/budgetAction:BudgetAction": lambda r: f"{_ACCOUNT}:{digest(r.seed, 8)}:{r.inputs['budgetName']}",
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
    TEMPLATE: lambda r, i: {
        "name": _name(r),
        "arn": _arn(r, "ec2", f"launch-template/{i}"),
        "defaultVersion": 1,
        "latestVersion": _next_version(r, i),
    },
    LUSTRE: lambda r, i: {
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
    old = request.world.thing(TEMPLATE, id_)
    return int(old.outputs.get("latestVersion", 0)) + 1 if old else 1


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
    check=refusals.check,
    create=making.create,
    update=making.update,
    delete=making.delete,
    diffs=DIFFS,
    others=lambda type_: OTHERS,
    unordered=UNORDERED,
    names_itself=lambda type_, inputs, required: any(
        isinstance(inputs.get(key), str) for key in {*_NAMING} - {*required}
    ),
    # Provider 7 has a region at every resource, and none can follow it (hashicorp/terraform-provider-aws, "Enhanced region
    # support").
    moves=("region",),
    due=machines.due,
    groups=Groups(
        (GROUP,),
        lambda world, group: int(group.outputs.get("desiredCapacity") or 0),
        machines.resize,
        machines.pool,
        again=machines.again,
        margin=machines.margin,
    ),
    spending=Spending(machines.budgets, machines.stopped),
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
