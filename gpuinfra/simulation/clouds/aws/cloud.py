"""AWS, simulated: identifiers, what replaces, what is refused, and machines in Auto Scaling groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...addressing import address
from ...cloud import Cloud, Groups, Request, Spending, digest
from ...held import with_held
from ...values import as_list, as_map
from . import answers, machines, making, refusals
from .held import HOLDING
from .replacement import DIFFS, OTHERS, UNORDERED
from .types import GROUP, INSTANCE, LUSTRE, NODE_GROUP, SUBNET, TEMPLATE, VPC
from .words import ACCOUNT, DOCUMENT, arn, outputs_of_zone, region, word

# Types whose id is a prefix and digits.
_PREFIXES = {
    VPC: "vpc-",
    SUBNET: "subnet-",
    INSTANCE: "i-",
    "aws:ec2/defaultVpc:DefaultVpc": "vpc-",
    "aws:ec2/defaultSubnet:DefaultSubnet": "subnet-",
    "aws:ec2/networkInterface:NetworkInterface": "eni-",
    "aws:ec2/networkAcl:NetworkAcl": "acl-",
    "aws:ec2/egressOnlyInternetGateway:EgressOnlyInternetGateway": "eigw-",
    "aws:ec2/vpcPeeringConnection:VpcPeeringConnection": "pcx-",
    "aws:ec2/capacityReservation:CapacityReservation": "cr-",
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation": "cr-",
    "aws:ec2/eipAssociation:EipAssociation": "eipassoc-",
    "aws:ec2/flowLog:FlowLog": "fl-",
    "aws:ec2/ami:Ami": "ami-",
    "aws:ec2/amiCopy:AmiCopy": "ami-",
    "aws:ec2/amiFromInstance:AmiFromInstance": "ami-",
    "aws:ec2/spotInstanceRequest:SpotInstanceRequest": "sir-",
    "aws:ec2/fleet:Fleet": "fleet-",
    "aws:ec2/securityGroupRule:SecurityGroupRule": "sgrule-",
    "aws:ec2/transitGateway:TransitGateway": "tgw-",
    "aws:ebs/volume:Volume": "vol-",
    "aws:ebs/snapshot:Snapshot": "snap-",
    "aws:ec2/volumeAttachment:VolumeAttachment": "vai-",
    "aws:efs/accessPoint:AccessPoint": "fsap-",
    "aws:fsx/openZfsFileSystem:OpenZfsFileSystem": "fs-",
    "aws:route53/zone:Zone": "Z",
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
    "aws:eks/cluster:Cluster": ("eks", "cluster/"),
    "aws:dynamodb/table:Table": ("dynamodb", "table/"),
    "aws:ecr/repository:Repository": ("ecr", "repository/"),
    "aws:ecs/cluster:Cluster": ("ecs", "cluster/"),
    "aws:secretsmanager/secret:Secret": ("secretsmanager", "secret:"),
}
_NAMING = ("name", "bucket", "nodeGroupName", "keyName", "identifier", "clusterIdentifier")
"""The arguments that the provider makes up where they are left out."""


def _name(request: Request) -> str:
    """The name in the cloud: as given, or made up as the provider does."""
    inputs = request.inputs
    prefix = next((inputs[k] for k in ("namePrefix", "bucketPrefix") if inputs.get(k)), None)
    for key in ("name", "bucket", "nodeGroupName", "keyName", "addonName", "roleName", "userName"):
        if isinstance(inputs.get(key), str):
            return str(inputs[key])
    return f"{prefix or request.name + '-'}{digest(request.seed, 7)}"


def _identify(request: Request) -> str:
    if request.type in _PREFIXES:
        return _PREFIXES[request.type] + digest(request.seed)
    if request.type in _NAMED:
        return _name(request)
    special = _IDS.get(request.type)
    return special(request) if special else _name(request)


_IDS: dict[str, Callable[[Request], str]] = {
    "aws:sns/topic:Topic": lambda r: arn(r, "sns", _name(r)),
    "aws:sns/topicPolicy:TopicPolicy": lambda r: str(r.inputs["arn"]),
    "aws:sns/topicSubscription:TopicSubscription": lambda r: f"{r.inputs['topic']}:{digest(r.seed, 8)}",
    "aws:sqs/queue:Queue": lambda r: f"https://sqs.{region(r)}.amazonaws.com/{ACCOUNT}/{_name(r)}",
    "aws:scheduler/schedule:Schedule": lambda r: f"default/{_name(r)}",
    "aws:budgets/budget:Budget": lambda r: f"{ACCOUNT}:{_name(r)}",
    "aws:budgets/budgetAction:BudgetAction": lambda r: f"{ACCOUNT}:{digest(r.seed, 8)}:{r.inputs['budgetName']}",
    "aws:iam/policy:Policy": lambda r: arn(r, "iam", f"policy/{_name(r)}"),
    "aws:iam/rolePolicy:RolePolicy": lambda r: f"{r.inputs['role']}:{_name(r)}",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": lambda r: f"{r.inputs['role']}/{r.inputs['policyArn']}",
    NODE_GROUP: lambda r: f"{r.inputs['clusterName']}:{_name(r)}",
    "aws:eks/addon:Addon": lambda r: f"{r.inputs['clusterName']}:{r.inputs['addonName']}",
    "aws:eks/fargateProfile:FargateProfile": lambda r: f"{r.inputs['clusterName']}:{_name(r)}",
    "aws:kms/key:Key": lambda r: _uuid(r.seed),
    "aws:lb/loadBalancer:LoadBalancer": lambda r: arn(
        r, "elasticloadbalancing", f"loadbalancer/app/{_name(r)}/{digest(r.seed, 16)}"
    ),
    "aws:lb/targetGroup:TargetGroup": lambda r: arn(
        r, "elasticloadbalancing", f"targetgroup/{_name(r)}/{digest(r.seed, 16)}"
    ),
}


def _uuid(text: str) -> str:
    d = digest(text, 32)
    return f"{d[:8]}-{d[8:12]}-{d[12:16]}-{d[16:20]}-{d[20:]}"


def _outputs(request: Request, id_: str) -> Mapping[str, Any]:
    out: dict[str, Any] = {}
    if request.type in _NAMED:
        service, before = _NAMED[request.type]
        out = {"name": id_, "arn": arn(request, service, before.format(digest=digest(id_, 8)) + id_)}
    elif not isinstance(request.inputs.get("name"), str):
        out = {"name": _name(request)}
    special = _OUTPUTS.get(request.type)
    return {**out, **(special(request, id_) if special else {})}


def _inside(request: Request, id_: str) -> dict[str, Any]:
    """An address in the resource's subnet."""
    subnet = request.world.thing(SUBNET, str(request.inputs.get("subnetId")))
    given = request.inputs.get("privateIp")
    mine = given or address(request.world, id_, str(subnet.inputs.get("cidrBlock")) if subnet else "172.31.0.0/20")
    return {"privateIp": mine, "privateDnsName": f"ip-{str(mine).replace('.', '-')}.{region(request)}.compute.internal"}


def _outside(request: Request, id_: str) -> str:
    """A public address, out of those that documents may use."""
    eip = request.world.thing("aws:ec2/eip:Eip", str(request.inputs.get("allocationId")))
    return str(eip.outputs["publicIp"]) if eip else address(request.world, f"{id_} outside", "198.18.0.0/15")


def _instance(request: Request, id_: str) -> Mapping[str, Any]:
    inside = _inside(request, id_)
    subnet = request.world.thing(SUBNET, str(request.inputs.get("subnetId")))
    public = request.inputs.get("associatePublicIpAddress")
    public = bool(subnet and subnet.inputs.get("mapPublicIpOnLaunch")) if public is None else public
    where = region(request)
    zone = subnet.outputs if subnet else outputs_of_zone(request.inputs, where)
    seen = _outside(request, id_) if public else ""
    return {
        "arn": arn(request, "ec2", f"instance/{id_}"),
        "privateIp": inside["privateIp"],
        "privateDns": inside["privateDnsName"],
        "publicIp": seen,
        "publicDns": f"ec2-{seen.replace('.', '-')}.{where}.compute.amazonaws.com" if seen else "",
        "availabilityZone": request.inputs.get("availabilityZone") or zone.get("availabilityZone"),
        "instanceState": "running",
    }


def _kubernetes(request: Request, id_: str) -> Mapping[str, Any]:
    where, own = region(request), digest(id_, 32).upper()
    network = as_map(request.inputs.get("vpcConfig"))
    first = request.world.thing(SUBNET, str((as_list(network.get("subnetIds")) or [""])[0]))
    vpc = first.inputs.get("vpcId") if first else f"vpc-{digest(id_)}"
    return {
        "clusterId": "",
        "status": "ACTIVE",
        "endpoint": f"https://{own}.gr7.{where}.eks.amazonaws.com",
        "certificateAuthority": {"data": DOCUMENT},
        "identities": [{"oidcs": [{"issuer": f"https://oidc.eks.{where}.amazonaws.com/id/{own}"}]}],
        "vpcConfig": {"vpcId": vpc, "clusterSecurityGroupId": f"sg-{digest(id_)}", **network},
    }


_OUTPUTS: dict[str, Callable[[Request, str], Mapping[str, Any]]] = {
    VPC: lambda r, i: {"arn": arn(r, "ec2", f"vpc/{i}"), "ownerId": ACCOUNT},
    SUBNET: lambda r, i: {
        "arn": arn(r, "ec2", f"subnet/{i}"),
        "ownerId": ACCOUNT,
        **outputs_of_zone(r.inputs, region(r)),
    },
    INSTANCE: _instance,
    "aws:ec2/networkInterface:NetworkInterface": lambda r, i: {
        "arn": arn(r, "ec2", f"network-interface/{i}"),
        **_inside(r, i),
    },
    "aws:ec2/natGateway:NatGateway": lambda r, i: {**_inside(r, i), "publicIp": _outside(r, i)},
    "aws:efs/mountTarget:MountTarget": lambda r, i: {
        "ipAddress": r.inputs.get("ipAddress") or _inside(r, i)["privateIp"],
        "dnsName": f"{r.inputs['fileSystemId']}.efs.{region(r)}.amazonaws.com",
    },
    "aws:eks/cluster:Cluster": _kubernetes,
    NODE_GROUP: lambda r, i: {
        "nodeGroupName": i.rsplit(":", 1)[-1],
        "arn": arn(r, "eks", f"nodegroup/{i.replace(':', '/')}/{_uuid(i)}"),
        "status": "ACTIVE",
        "resources": [{"autoscalingGroups": [{"name": f"eks-{i.rsplit(':', 1)[-1]}-{_uuid(i)}"}]}],
    },
    "aws:kms/key:Key": lambda r, i: {"keyId": i, "arn": arn(r, "kms", f"key/{i}")},
    "aws:secretsmanager/secret:Secret": lambda r, i: {"arn": arn(r, "secretsmanager", f"secret:{i}-{digest(i, 6)}")},
    "aws:ecr/repository:Repository": lambda r, i: {"repositoryUrl": f"{ACCOUNT}.dkr.ecr.{region(r)}.amazonaws.com/{i}"},
    "aws:ec2/keyPair:KeyPair": lambda r, i: {
        "keyName": i,
        "keyPairId": f"key-{digest(i)}",
        "arn": arn(r, "ec2", f"key-pair/{i}"),
    },
    "aws:lb/loadBalancer:LoadBalancer": lambda r, i: {
        "arn": i,
        "dnsName": f"{_name(r)}-{digest(i, 9)}.{region(r)}.elb.amazonaws.com",
    },
    "aws:lb/targetGroup:TargetGroup": lambda r, i: {"arn": i},
    "aws:ec2/securityGroup:SecurityGroup": lambda r, i: {
        "arn": arn(r, "ec2", f"security-group/{i}"),
        "name": _name(r),
    },
    "aws:ec2/eip:Eip": lambda r, i: {
        "allocationId": i,
        "publicIp": _outside(r, i),
    },
    GROUP: lambda r, i: {"desiredCapacity": machines.wanted_of(r.inputs)},
    TEMPLATE: lambda r, i: {
        "name": _name(r),
        "arn": arn(r, "ec2", f"launch-template/{i}"),
        "defaultVersion": 1,
        "latestVersion": _next_version(r, i),
    },
    LUSTRE: lambda r, i: {
        "arn": arn(r, "fsx", f"file-system/{i}"),
        "dnsName": f"{i}.fsx.{region(r)}.amazonaws.com",
        "mountName": digest(i, 8),
        "ownerId": ACCOUNT,
    },
    "aws:efs/fileSystem:FileSystem": lambda r, i: {
        "arn": arn(r, "elasticfilesystem", f"file-system/{i}"),
        "dnsName": f"{i}.efs.{region(r)}.amazonaws.com",
    },
    "aws:s3/bucket:Bucket": lambda r, i: {"bucket": i, "region": region(r)},
    "aws:sns/topic:Topic": lambda r, i: {"arn": i, "name": i.rsplit(":", 1)[-1], "owner": ACCOUNT},
    "aws:sqs/queue:Queue": lambda r, i: {
        "arn": arn(r, "sqs", i.rsplit("/", 1)[-1]),
        "url": i,
        "name": i.rsplit("/", 1)[-1],
    },
    "aws:scheduler/schedule:Schedule": lambda r, i: {
        "name": i.split("/", 1)[-1],
        "arn": arn(r, "scheduler", f"schedule/{i}"),
    },
    "aws:budgets/budget:Budget": lambda r, i: {"name": i.split(":", 1)[-1], "accountId": ACCOUNT},
    "aws:iam/policy:Policy": lambda r, i: {"arn": i, "name": i.rsplit("/", 1)[-1]},
    "aws:iam/rolePolicy:RolePolicy": lambda r, i: {"name": i.split(":", 1)[-1]},
}


def _next_version(request: Request, id_: str) -> int:
    old = request.world.thing(TEMPLATE, id_)
    return int(old.outputs.get("latestVersion", 0)) + 1 if old else 1


CLOUD = Cloud(
    "aws",
    _identify,
    _outputs,
    placed=lambda request: {"region": region(request)},
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
    groups=with_held(
        Groups(
            (GROUP,),
            lambda world, group: int(group.outputs.get("desiredCapacity") or 0),
            machines.resize,
            machines.pool,
            again=machines.again,
            margin=machines.margin,
        ),
        HOLDING,
    ),
    holding=HOLDING,
    spending=Spending(machines.budgets, machines.stopped),
    word=word,
    invoke=answers.INVOKE,
)
