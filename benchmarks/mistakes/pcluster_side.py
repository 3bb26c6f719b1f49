"""Runs inside aws-parallelcluster's own environment: validates queues, with AWS answered by moto. Reads requests as JSON
from standard input, writes findings as JSON."""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import os
import sys

os.environ.update(
    AWS_ACCESS_KEY_ID="testing", AWS_SECRET_ACCESS_KEY="testing", AWS_DEFAULT_REGION="us-east-1", AWS_REGION="us-east-1"
)

import boto3
from moto import mock_aws

_NOT_ANSWERED = "Unable to validate configuration parameters"
"""What pcluster says where its dry run cannot be answered by moto."""


def document(asked: dict, image: str, subnets: list, groups: dict) -> dict:
    """A cluster of one queue, as a case asks for it."""
    types = asked.get("instances") or [asked.get("instance", "p5.48xlarge")]
    compute: dict = {"Name": "gpu", "MinCount": asked.get("min", 0), "MaxCount": asked.get("max", 4)}
    if len(types) == 1 and not asked.get("key"):
        compute["InstanceType"] = types[0]
    elif asked.get("key"):
        compute[asked["key"]] = types[0]
    else:
        compute["Instances"] = [{"InstanceType": t} for t in types]
    if asked.get("efa"):
        compute["Efa"] = {"Enabled": True}
    networking: dict = {"SubnetIds": subnets[: asked.get("subnets", 1)]}
    if asked.get("placement"):
        networking["PlacementGroup"] = {"Enabled": True}
    if asked.get("public"):
        networking["AssignPublicIp"] = True
    if asked.get("group"):
        networking["SecurityGroups"] = [groups[asked["group"]]]
    queue: dict = {"Name": "gpu", "ComputeResources": [compute], "Networking": networking}
    if asked.get("block"):
        queue["CapacityType"] = "CAPACITY_BLOCK"
        compute["CapacityReservationTarget"] = {"CapacityReservationId": "cr-0aaa1111bbbb2222c"}
        compute["MinCount"] = compute["MaxCount"]
    head: dict = {"InstanceType": "m5.xlarge", "Networking": {"SubnetId": subnets[0]}, "Ssh": {"KeyName": "key"}}
    if asked.get("ssh"):
        head["Ssh"]["AllowedIps"] = asked["ssh"]
    out: dict = {
        "Region": "us-east-1",
        "Image": {"Os": "ubuntu2204", "CustomAmi": image},
        "HeadNode": head,
        "Scheduling": {"Scheduler": "slurm", "SlurmQueues": [queue]},
    }
    if asked.get("lustre"):
        settings = asked["lustre"]
        out["SharedStorage"] = [
            {"Name": "fsx", "StorageType": "FsxLustre", "MountDir": "/fsx", "FsxLustreSettings": settings}
        ]
    return out


def findings(asked: dict, image: str, subnets: list, groups: dict) -> list:
    """What pcluster says: errors of its schema, or findings of its validators."""
    from marshmallow import ValidationError
    from pcluster.schemas.cluster_schema import ClusterSchema

    try:
        cluster = ClusterSchema(cluster_name="bench").load(document(asked, image, subnets, groups))
        said = [f for f in cluster.validate() if f.level.name != "INFO" and _NOT_ANSWERED not in f.message]
        return [f"{f.level.name} {f.validator_type}: {f.message[:120]}" for f in said]
    except ValidationError as e:
        return [f"ERROR schema: {e.messages}"]
    except Exception as e:  # a peer's own failure is an answer, and no end of the run
        return [f"ERROR {type(e).__name__}: {e}"]


def main() -> int:
    asked = json.load(sys.stdin)
    with mock_aws():
        ec2 = boto3.client("ec2")
        subnets = [s["SubnetId"] for s in ec2.describe_subnets()["Subnets"][:3]]
        ec2.create_key_pair(KeyName="key")
        image = ec2.register_image(
            Name="bench", Architecture="x86_64", RootDeviceName="/dev/sda1", VirtualizationType="hvm"
        )["ImageId"]
        vpc = ec2.describe_subnets()["Subnets"][0]["VpcId"]
        groups = {}
        for name in ("with", "without"):
            group = ec2.create_security_group(GroupName=name, Description=name, VpcId=vpc)["GroupId"]
            own = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
            ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=own)
            if name == "with":
                ec2.authorize_security_group_egress(GroupId=group, IpPermissions=own)
            groups[name] = group
        json.dump({k: findings(v, image, subnets, groups) for k, v in asked.items()}, sys.stdout)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
