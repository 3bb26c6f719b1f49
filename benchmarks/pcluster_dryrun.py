"""Validates one ParallelCluster queue of p5.48xlarge, with AWS answered by moto: the peer of `gpuinfra check`."""

from __future__ import annotations

import os

os.environ.update(
    AWS_ACCESS_KEY_ID="testing", AWS_SECRET_ACCESS_KEY="testing", AWS_DEFAULT_REGION="us-east-1", AWS_REGION="us-east-1"
)

import boto3
from moto import mock_aws


def main() -> int:
    with mock_aws():
        ec2 = boto3.client("ec2")
        subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
        ec2.create_key_pair(KeyName="key")
        image = ec2.register_image(
            Name="bench", Architecture="x86_64", RootDeviceName="/dev/sda1", VirtualizationType="hvm"
        )["ImageId"]
        from pcluster.schemas.cluster_schema import ClusterSchema

        document = {
            "Region": "us-east-1",
            "Image": {"Os": "ubuntu2204", "CustomAmi": image},
            "HeadNode": {"InstanceType": "m5.xlarge", "Networking": {"SubnetId": subnet}, "Ssh": {"KeyName": "key"}},
            "Scheduling": {
                "Scheduler": "slurm",
                "SlurmQueues": [
                    {
                        "Name": "gpu",
                        "ComputeResources": [
                            {"Name": "p5", "InstanceType": "p5.48xlarge", "MaxCount": 4, "Efa": {"Enabled": True}}
                        ],
                        "Networking": {"SubnetIds": [subnet], "PlacementGroup": {"Enabled": True}},
                    }
                ],
            },
        }
        cluster = ClusterSchema(cluster_name="bench").load(document)
        found = cluster.validate()
        print(len(found), "findings of pcluster")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
