"""What a change of each type does: the tables of the facts, by wire name."""

from __future__ import annotations

from ....policy.aws_lustre import REPLACED_BY
from ...cloud import Diffs
from .types import GROUP, LUSTRE, TEMPLATE

DIFFS = {
    TEMPLATE: Diffs(replace=("name", "namePrefix")),
    GROUP: Diffs(replace=("name", "namePrefix")),
    "aws:ec2/placementGroup:PlacementGroup": Diffs(replace=("name", "strategy", "partitionCount", "spreadLevel")),
    LUSTRE: Diffs(
        replace=REPLACED_BY,
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
