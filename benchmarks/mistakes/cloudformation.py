"""A program on AWS spelled as CloudFormation, for cfn-lint and checkov."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from gpuinfra.policy.examples import graph_of
from gpuinfra.policy.resource_graph import OutputRef, Resource

Properties = dict[str, Any]
_BOOLEANS = {"true": True, "false": False}
_ATTRIBUTES = {
    ("SecurityGroup", "id"): "GroupId",
    ("LaunchTemplate", "latestVersion"): "LatestVersionNumber",
    ("Eip", "id"): "AllocationId",
    ("Role", "arn"): "Arn",
}
_ACRONYMS = {"VpcZoneIdentifiers": "VPCZoneIdentifier", "CidrIpv4": "CidrIp"}


def cloudformation(program: str) -> dict[str, Any]:
    """The template as a JSON value. A resource that CloudFormation has not is left out."""
    graph = graph_of(program)
    kinds = {r.name: r.type.rpartition(":")[2] for r in graph}
    out: dict[str, Any] = {}
    for r in graph:
        spell = _TYPES.get(r.type)
        if spell is None:
            continue
        kind, shape = spell
        body: dict[str, Any] = {"Type": kind, "Properties": shape(_plain(r.inputs, kinds))}
        if r.options.get("protect") is True:
            body |= {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
        awaited = [kinds_name for kinds_name in _awaited(r, graph) if kinds_name]
        if awaited:
            body["DependsOn"] = awaited
        out[_id(r.name)] = body
    return {"AWSTemplateFormatVersion": "2010-09-09", "Resources": out}


def _awaited(r: Resource, graph: Any) -> list[str]:
    named = {u for us in r.property_dependencies.values() for u in us}
    return [_id(o.name) for o in graph if o.urn in r.dependencies and o.urn not in named and o.type in _TYPES]


def _plain(value: Any, kinds: Mapping[str, str]) -> Any:
    """Values with references as functions, and keys in CloudFormation's case."""
    if isinstance(value, OutputRef):
        attribute = _ATTRIBUTES.get((kinds.get(value.resource, ""), value.property))
        name = _id(value.resource)
        return {"Fn::GetAtt": [name, attribute]} if attribute else {"Ref": name}
    if isinstance(value, Mapping):
        found = cast("Mapping[str, Any]", value)
        return {_pascal(k): _tags(v) if k == "tags" else _plain(v, kinds) for k, v in found.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v, kinds) for v in cast("list[Any]", value)]
    if isinstance(value, str) and "${" in value:
        return {"Fn::Sub": re.sub(r"\$\{([\w-]+)\.\w+\}", lambda m: "${" + _id(m[1]) + "}", value)}
    return _BOOLEANS.get(value, value) if isinstance(value, str) else value


def _tags(value: Any) -> Any:
    if isinstance(value, Mapping):
        return [{"Key": k, "Value": v} for k, v in cast("Mapping[str, Any]", value).items()]
    return [{_pascal(k): v for k, v in cast("Mapping[str, Any]", t).items()} for t in cast("list[Any]", value)]


def _pascal(key: str) -> str:
    text = key[:1].upper() + key[1:]
    return _ACRONYMS.get(text, text)


def _id(name: str) -> str:
    return "".join(p[:1].upper() + p[1:] for p in re.split(r"\W+", name))


def _as_is(p: Properties) -> Properties:
    return p


def _template(p: Properties) -> Properties:
    for nic in p.get("NetworkInterfaces", []):
        if "SecurityGroups" in nic:
            nic["Groups"] = nic.pop("SecurityGroups")
    if "VpcSecurityGroupIds" in p:
        p["SecurityGroupIds"] = p.pop("VpcSecurityGroupIds")
    return {"LaunchTemplateData": p}


def _scaling(p: Properties) -> Properties:
    p.pop("WaitForCapacityTimeout", None)
    for key in ("MinSize", "MaxSize", "DesiredCapacity"):
        if key in p:
            p[key] = str(p[key])
    if "LaunchTemplate" in p:
        p["LaunchTemplate"] = {"LaunchTemplateId": p["LaunchTemplate"]["Id"], "Version": p["LaunchTemplate"]["Version"]}
    return p


def _group(p: Properties) -> Properties:
    p["GroupDescription"] = p.pop("Description", "nodes")
    for key, name in (("Ingress", "SecurityGroupIngress"), ("Egress", "SecurityGroupEgress")):
        if key in p:
            rules = p.pop(key)
            p[name] = [
                {
                    "IpProtocol": r["Protocol"],
                    "FromPort": r["FromPort"],
                    "ToPort": r["ToPort"],
                    "CidrIp": r["CidrBlocks"][0],
                    "Description": r["Description"],
                }
                for r in rules
            ]
    return p


def _rule(peer: str) -> Callable[[Properties], Properties]:
    def shape(p: Properties) -> Properties:
        p["GroupId"] = p.pop("SecurityGroupId")
        if "ReferencedSecurityGroupId" in p:
            p[peer] = p.pop("ReferencedSecurityGroupId")
        return p

    return shape


def _lustre(p: Properties) -> Properties:
    subnets = p.pop("SubnetIds")
    inner = ("DeploymentType", "PerUnitStorageThroughput", "DataCompressionType", "MetadataConfiguration", "ImportPath")
    return {
        "FileSystemType": "LUSTRE",
        "SubnetIds": subnets if isinstance(subnets, list) else [subnets],
        "LustreConfiguration": {k: p.pop(k) for k in inner if k in p},
        **p,
    }


def _budget(p: Properties) -> Properties:
    told = [
        {
            "Notification": {k: v for k, v in n.items() if k != "SubscriberEmailAddresses"},
            "Subscribers": [{"SubscriptionType": "EMAIL", "Address": a} for a in n.get("SubscriberEmailAddresses", [])],
        }
        for n in p.get("Notifications", [])
    ]
    return {
        "Budget": {
            "BudgetType": p["BudgetType"],
            "TimeUnit": p["TimeUnit"],
            "BudgetLimit": {"Amount": float(p["LimitAmount"]), "Unit": p["LimitUnit"]},
            "CostFilters": {f["Name"]: f["Values"] for f in p.get("CostFilters", [])},
        },
        "NotificationsWithSubscribers": told,
    }


def _cluster(p: Properties) -> Properties:
    p["ResourcesVpcConfig"] = p.pop("VpcConfig")
    return p


def _pool(p: Properties) -> Properties:
    p["NodeRole"] = p.pop("NodeRoleArn")
    p["Subnets"] = p.pop("SubnetIds")
    return p


def _machine(p: Properties) -> Properties:
    p["ImageId"] = p.pop("Ami")
    p["SecurityGroupIds"] = p.pop("VpcSecurityGroupIds")
    root = p.pop("RootBlockDevice")
    p["BlockDeviceMappings"] = [{"DeviceName": "/dev/sda1", "Ebs": root}]
    return p


def _volume(p: Properties) -> Properties:
    p["VolumeType"] = p.pop("Type")
    return p


def _plug(p: Properties) -> Properties:
    p["Device"] = p.pop("DeviceName")
    return p


def _role(p: Properties) -> Properties:
    return {"AssumeRolePolicyDocument": json.loads(p["AssumeRolePolicy"])}


def _role_policy(p: Properties) -> Properties:
    return {"PolicyName": "rights", "RoleName": p["Role"], "PolicyDocument": json.loads(p["Policy"])}


def _timed(p: Properties) -> Properties:
    p.pop("ScheduledActionName", None)
    p["AutoScalingGroupName"] = p.pop("AutoscalingGroupName")
    return p


_TYPES: dict[str, tuple[str, Callable[[Properties], Properties]]] = {
    "aws:ec2/vpc:Vpc": ("AWS::EC2::VPC", _as_is),
    "aws:ec2/internetGateway:InternetGateway": ("AWS::EC2::InternetGateway", lambda p: {}),
    "aws:ec2/subnet:Subnet": ("AWS::EC2::Subnet", _as_is),
    "aws:ec2/routeTable:RouteTable": ("AWS::EC2::RouteTable", _as_is),
    "aws:ec2/route:Route": ("AWS::EC2::Route", _as_is),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": ("AWS::EC2::SubnetRouteTableAssociation", _as_is),
    "aws:ec2/eip:Eip": ("AWS::EC2::EIP", _as_is),
    "aws:ec2/natGateway:NatGateway": ("AWS::EC2::NatGateway", _as_is),
    "aws:ec2/vpcEndpoint:VpcEndpoint": ("AWS::EC2::VPCEndpoint", _as_is),
    "aws:ec2/securityGroup:SecurityGroup": ("AWS::EC2::SecurityGroup", _group),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": (
        "AWS::EC2::SecurityGroupIngress",
        _rule("SourceSecurityGroupId"),
    ),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": (
        "AWS::EC2::SecurityGroupEgress",
        _rule("DestinationSecurityGroupId"),
    ),
    "aws:ec2/placementGroup:PlacementGroup": ("AWS::EC2::PlacementGroup", _as_is),
    "aws:ec2/launchTemplate:LaunchTemplate": ("AWS::EC2::LaunchTemplate", _template),
    "aws:autoscaling/group:Group": ("AWS::AutoScaling::AutoScalingGroup", _scaling),
    "aws:autoscaling/schedule:Schedule": ("AWS::AutoScaling::ScheduledAction", _timed),
    "aws:scheduler/schedule:Schedule": ("AWS::Scheduler::Schedule", _as_is),
    "aws:fsx/lustreFileSystem:LustreFileSystem": ("AWS::FSx::FileSystem", _lustre),
    "aws:budgets/budget:Budget": ("AWS::Budgets::Budget", _budget),
    "aws:eks/cluster:Cluster": ("AWS::EKS::Cluster", _cluster),
    "aws:eks/nodeGroup:NodeGroup": ("AWS::EKS::Nodegroup", _pool),
    "aws:ec2/instance:Instance": ("AWS::EC2::Instance", _machine),
    "aws:ebs/volume:Volume": ("AWS::EC2::Volume", _volume),
    "aws:iam/role:Role": ("AWS::IAM::Role", _role),
    "aws:iam/rolePolicy:RolePolicy": ("AWS::IAM::RolePolicy", _role_policy),
    "aws:ec2/volumeAttachment:VolumeAttachment": ("AWS::EC2::VolumeAttachment", _plug),
}
