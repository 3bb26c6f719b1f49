"""What a change of each type does: the tables of the facts, by wire name."""

from __future__ import annotations

from ....policy.aws_lustre import ABSENT, KEPT, REPLACED_BY
from ...cloud import Diffs
from .types import ACTION, BUDGET, GROUP, INSTANCE, LUSTRE, NODE_GROUP, SUBNET, TEMPLATE, VPC

_NAMED = ("name", "namePrefix")

DIFFS = {
    TEMPLATE: Diffs(replace=_NAMED),
    GROUP: Diffs(replace=_NAMED),
    ACTION: Diffs(replace=("scheduledActionName", "autoscalingGroupName")),
    "aws:ec2/placementGroup:PlacementGroup": Diffs(replace=("name", "strategy", "partitionCount", "spreadLevel")),
    LUSTRE: Diffs(
        replace=REPLACED_BY,
        # Also a version that goes back, and metadata operations that become fewer (facts aws a10).
        shrink=("storageCapacity", "fileSystemTypeVersion", "metadataConfiguration.iops"),
        absent=ABSENT,
        kept=tuple(sorted(KEPT)),
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
            "ephemeralStorage",
        ),
        silent=("placementGroupArn",),
        absent={
            "tenancy": "default",
            "instanceMatchCriteria": "open",
            "ebsOptimized": False,
            "ephemeralStorage": False,
        },
    ),
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation": Diffs(
        replace=("capacityBlockOfferingId", "instancePlatform")
    ),
    VPC: Diffs(replace=("cidrBlock", "ipv4IpamPoolId", "ipv4NetmaskLength")),
    SUBNET: Diffs(replace=("vpcId", "cidrBlock", "availabilityZone", "availabilityZoneId", "ipv6Native")),
    "aws:ec2/securityGroup:SecurityGroup": Diffs(replace=(*_NAMED, "description", "vpcId")),
    "aws:ec2/securityGroupRule:SecurityGroupRule": Diffs(replace=("*",), in_place=("description",)),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": Diffs(replace=("securityGroupId",)),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": Diffs(replace=("securityGroupId",)),
    "aws:ec2/natGateway:NatGateway": Diffs(replace=("subnetId", "allocationId", "connectivityType", "privateIp")),
    "aws:ec2/eip:Eip": Diffs(replace=("domain", "networkBorderGroup", "publicIpv4Pool", "address")),
    "aws:ec2/routeTable:RouteTable": Diffs(replace=("vpcId",)),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": Diffs(replace=("subnetId", "gatewayId")),
    "aws:ec2/route:Route": Diffs(
        replace=("routeTableId", "destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId")
    ),
    "aws:ec2/vpcEndpoint:VpcEndpoint": Diffs(replace=("vpcId", "serviceName", "vpcEndpointType")),
    "aws:ec2/internetGateway:InternetGateway": Diffs(),
    INSTANCE: Diffs(
        replace=(
            "ami",
            "associatePublicIpAddress",
            "availabilityZone",
            "capacityReservationSpecification",
            "cpuOptions",
            "ephemeralBlockDevices",
            "hibernation",
            "instanceMarketOptions",
            "keyName",
            "networkInterfaces",
            "placementGroup",
            "primaryNetworkInterface",
            "privateIp",
            "rootBlockDevice.encrypted",
            "rootBlockDevice.kmsKeyId",
            "secondaryNetworkInterfaces",
            "securityGroups",
            "subnetId",
            "tenancy",
        ),
        kept=("availabilityZone", "keyName", "placementGroup", "privateIp", "securityGroups", "subnetId", "tenancy"),
    ),
    "aws:ebs/volume:Volume": Diffs(
        replace=("availabilityZone", "encrypted", "kmsKeyId", "snapshotId", "multiAttachEnabled", "outpostArn")
    ),
    "aws:ec2/volumeAttachment:VolumeAttachment": Diffs(replace=("deviceName", "instanceId", "volumeId")),
    "aws:ec2/keyPair:KeyPair": Diffs(replace=("keyName", "keyNamePrefix", "publicKey")),
    "aws:eks/cluster:Cluster": Diffs(
        replace=(
            "name",
            "roleArn",
            "kubernetesNetworkConfig.serviceIpv4Cidr",
            "kubernetesNetworkConfig.ipFamily",
            "bootstrapSelfManagedAddons",
            "accessConfig.bootstrapClusterCreatorAdminPermissions",
        )
    ),
    NODE_GROUP: Diffs(
        replace=(
            "clusterName",
            "nodeGroupName",
            "nodeGroupNamePrefix",
            "amiType",
            "capacityType",
            "diskSize",
            "instanceTypes",
            "launchTemplate.id",
            "launchTemplate.name",
            "nodeRoleArn",
            "remoteAccess",
            "subnetIds",
        ),
        kept=("amiType", "capacityType", "diskSize", "instanceTypes"),
        absent={"capacityType": "ON_DEMAND"},
    ),
    "aws:eks/addon:Addon": Diffs(replace=("addonName", "clusterName")),
    "aws:efs/fileSystem:FileSystem": Diffs(
        replace=("encrypted", "performanceMode", "kmsKeyId", "creationToken", "availabilityZoneName"),
        kept=("encrypted", "performanceMode", "kmsKeyId", "creationToken", "availabilityZoneName"),
    ),
    "aws:efs/mountTarget:MountTarget": Diffs(replace=("fileSystemId", "subnetId", "ipAddress")),
    "aws:s3/bucket:Bucket": Diffs(replace=("bucket", "bucketPrefix", "objectLockEnabled")),
    "aws:iam/role:Role": Diffs(replace=(*_NAMED, "path")),
    "aws:iam/policy:Policy": Diffs(replace=(*_NAMED, "path", "description")),
    "aws:iam/instanceProfile:InstanceProfile": Diffs(replace=(*_NAMED, "path")),
    "aws:iam/rolePolicy:RolePolicy": Diffs(replace=(*_NAMED, "role")),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": Diffs(replace=("role", "policyArn")),
    BUDGET: Diffs(replace=(*_NAMED, "accountId")),
    "aws:budgets/budgetAction:BudgetAction": Diffs(replace=("accountId", "actionType", "budgetName")),
    "aws:scheduler/schedule:Schedule": Diffs(replace=(*_NAMED, "groupName")),
    "aws:sns/topic:Topic": Diffs(replace=(*_NAMED, "fifoTopic")),
    "aws:sns/topicSubscription:TopicSubscription": Diffs(replace=("topic", "protocol", "endpoint")),
    "aws:sqs/queue:Queue": Diffs(replace=(*_NAMED, "fifoQueue")),
    "aws:lambda/function:Function": Diffs(replace=("name", "packageType")),
    "aws:lambda/permission:Permission": Diffs(replace=("*",)),
    "aws:dynamodb/table:Table": Diffs(replace=("name", "hashKey", "rangeKey", "localSecondaryIndexes")),
    "aws:kms/key:Key": Diffs(replace=("keyUsage", "customerMasterKeySpec", "customKeyStoreId", "multiRegion")),
}
OTHERS = Diffs(replace=_NAMED)
"""Of a type that no table has: its name is its own in nearly all of them."""
UNORDERED = frozenset(
    {
        "availabilityZones",
        "enabledMetrics",
        "routeTableIds",
        "securityGroupIds",
        "securityGroups",
        "subnetIds",
        "suspendedProcesses",
        "vpcSecurityGroupIds",
        "vpcZoneIdentifiers",
    }
)
"""Lists that AWS's provider keeps as sets: another order is no change."""
