"""What a change of each type does: the tables of the facts, by wire name."""

from __future__ import annotations

from ...cloud import Diffs
from .types import GROUP, JOB, LUSTRE, REGION_GROUP, REQUESTS, TEMPLATES

DIFFS = {
    **{
        t: Diffs(
            replace=(
                "name",
                "namePrefix",
                "project",
                "region",
                "description",
                "machineType",
                "disks",
                "networkInterfaces",
                "scheduling",
                "guestAccelerators",
                "metadata",
                "labels",
                "tags",
                "serviceAccount",
                "reservationAffinity",
                "resourcePolicies",
                "shieldedInstanceConfig",
                "canIpForward",
                "confidentialInstanceConfig",
            )
        )
        for t in TEMPLATES
    },
    **{
        t: Diffs(
            replace=(
                "instanceGroupManager",
                "resizeBy",
                "requestedRunDuration",
                "zone",
                "region",
                "name",
                "description",
            )
        )
        for t in REQUESTS
    },
    "gcp:compute/network:Network": Diffs(
        replace=("name", "networkProfile", "autoCreateSubnetworks", "internalIpv6Range", "project", "description")
    ),
    "gcp:compute/subnetwork:Subnetwork": Diffs(
        replace=("name", "network", "region", "project", "description"), shrink=("ipCidrRange",)
    ),
    "gcp:compute/firewall:Firewall": Diffs(replace=("name", "network", "project", "direction")),
    "gcp:compute/resourcePolicy:ResourcePolicy": Diffs(
        replace=("name", "region", "workloadPolicy", "groupPlacementPolicy.gpuTopology", "project")
    ),
    "gcp:compute/router:Router": Diffs(replace=("name", "network", "region", "project")),
    "gcp:compute/routerNat:RouterNat": Diffs(replace=("name", "router", "region", "project")),
    "gcp:compute/globalAddress:GlobalAddress": Diffs(
        replace=("name", "address", "addressType", "network", "prefixLength", "purpose", "project", "description")
    ),
    GROUP: Diffs(replace=("name", "zone", "baseInstanceName", "targetSizePolicies.mode", "project", "description")),
    REGION_GROUP: Diffs(replace=("name", "region", "baseInstanceName", "project", "description")),
    LUSTRE: Diffs(
        replace=("filesystem", "location", "network", "perUnitStorageThroughput", "kmsKey", "instanceId", "project"),
        shrink=("capacityGib",),
    ),
    "gcp:filestore/instance:Instance": Diffs(
        replace=("location", "tier", "networks", "protocol", "kmsKeyName", "name", "project")
    ),
    "gcp:storage/bucket:Bucket": Diffs(replace=("name", "location", "project", "hierarchicalNamespace")),
    "gcp:billing/budget:Budget": Diffs(replace=("billingAccount",)),
    "gcp:serviceaccount/account:Account": Diffs(replace=("accountId", "project")),
    "gcp:projects/iAMCustomRole:IAMCustomRole": Diffs(replace=("roleId", "project")),
    "gcp:projects/iAMMember:IAMMember": Diffs(replace=("project", "role", "member", "condition")),
    "gcp:storage/bucketIAMMember:BucketIAMMember": Diffs(replace=("bucket", "role", "member", "condition")),
    "gcp:pubsub/topicIAMMember:TopicIAMMember": Diffs(replace=("topic", "project", "role", "member", "condition")),
    "gcp:pubsub/topic:Topic": Diffs(replace=("name", "project", "kmsKeyName")),
    "gcp:workflows/workflow:Workflow": Diffs(replace=("name", "namePrefix", "region", "project")),
    "gcp:eventarc/trigger:Trigger": Diffs(replace=("name", "location", "project", "transport", "matchingCriterias")),
    JOB: Diffs(replace=("name", "region", "project")),
}
