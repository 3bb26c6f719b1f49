"""What a change of each type does: the tables of the facts, by wire name."""

from __future__ import annotations

from ...cloud import Diffs
from .types import FILESTORE, GROUP, INSTANCE, JOB, LUSTRE, NODE_POOL, REGION_GROUP, REQUESTS, TEMPLATES

_IAM = ("project", "role", "member", "condition")

DIFFS = {
    # deletionPolicy is the provider's own, and no property of the cloud's; a global template has none.
    TEMPLATES[1]: Diffs(replace=("*",)),
    **{t: Diffs(replace=("*",), in_place=("deletionPolicy",)) for t in (TEMPLATES[0], *REQUESTS)},
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
    "gcp:compute/address:Address": Diffs(
        replace=(
            "name",
            "address",
            "addressType",
            "network",
            "networkTier",
            "purpose",
            "region",
            "subnetwork",
            "project",
            "description",
        )
    ),
    INSTANCE: Diffs(
        replace=(
            "name",
            "zone",
            "project",
            "hostname",
            "networkInterfaces",
            "bootDisk.initializeParams.image",
            "bootDisk.initializeParams.type",
            "bootDisk.source",
            "guestAccelerators",
            "scratchDisks",
            "scheduling.preemptible",
            "scheduling.provisioningModel",
            "scheduling.terminationTime",
            "scheduling.maxRunDuration",
            "scheduling.onInstanceStopAction",
            "scheduling.localSsdRecoveryTimeout",
            "reservationAffinity",
            "resourcePolicies",
            "networkPerformanceConfig",
            "metadataStartupScript",
            "confidentialInstanceConfig",
        ),
        shrink=("bootDisk.initializeParams.size",),
        # The provider reads back what a machine type brings with it (facts gcp a5).
        kept=("guestAccelerators", "metadataStartupScript", "reservationAffinity", "resourcePolicies"),
    ),
    GROUP: Diffs(replace=("name", "zone", "baseInstanceName", "targetSizePolicies.mode", "project", "description")),
    REGION_GROUP: Diffs(
        replace=("name", "region", "baseInstanceName", "targetSizePolicies.mode", "project", "description")
    ),
    "gcp:container/cluster:Cluster": Diffs(
        replace=(
            "name",
            "location",
            "project",
            "network",
            "subnetwork",
            "nodePools",
            "nodeConfig",
            "initialNodeCount",
            "clusterIpv4Cidr",
            "ipAllocationPolicy",
            "networkingMode",
            "datapathProvider",
            "enableAutopilot",
            "enableMultiNetworking",
            "enableTpu",
            "defaultMaxPodsPerNode",
            "privateClusterConfig.enablePrivateNodes",
            "privateClusterConfig.masterIpv4CidrBlock",
            "description",
        ),
        kept=("datapathProvider", "clusterIpv4Cidr", "networkingMode", "defaultMaxPodsPerNode", "subnetwork"),
    ),
    NODE_POOL: Diffs(
        replace=(
            "name",
            "namePrefix",
            "cluster",
            "location",
            "project",
            "initialNodeCount",
            "maxPodsPerNode",
            "placementPolicy",
            "queuedProvisioning",
            "bestEffortProvisioning",
            "networkConfig.additionalNodeNetworkConfigs",
            "networkConfig.additionalPodNetworkConfigs",
            "networkConfig.acceleratorNetworkProfile",
            "nodeConfig.guestAccelerators",
            "nodeConfig.reservationAffinity",
            "nodeConfig.spot",
            "nodeConfig.preemptible",
            "nodeConfig.flexStart",
            "nodeConfig.maxRunDuration",
            "nodeConfig.ephemeralStorageConfig",
            "nodeConfig.ephemeralStorageLocalSsdConfig",
            "nodeConfig.localNvmeSsdBlockConfig",
            "nodeConfig.localSsdCount",
            "nodeConfig.serviceAccount",
        ),
        kept=("initialNodeCount", "maxPodsPerNode"),
    ),
    "gcp:compute/reservation:Reservation": Diffs(
        replace=(
            "name",
            "zone",
            "project",
            "description",
            "specificReservation.instanceProperties",
            "specificReservationRequired",
            "shareSettings.shareType",
        )
    ),
    "gcp:compute/futureReservation:FutureReservation": Diffs(
        replace=("name", "zone", "project", "aggregateReservation", "shareSettings.shareType")
    ),
    "gcp:compute/disk:Disk": Diffs(
        replace=("name", "type", "zone", "project", "image", "snapshot", "architecture"), shrink=("size",)
    ),
    LUSTRE: Diffs(
        replace=("filesystem", "location", "network", "perUnitStorageThroughput", "kmsKey", "instanceId", "project"),
        shrink=("capacityGib",),
    ),
    FILESTORE: Diffs(replace=("location", "tier", "networks", "protocol", "kmsKeyName", "name", "project")),
    "gcp:parallelstore/instance:Instance": Diffs(
        replace=("instanceId", "capacityGib", "location", "network", "project", "deploymentType")
    ),
    "gcp:storage/bucket:Bucket": Diffs(replace=("name", "location", "project", "hierarchicalNamespace")),
    "gcp:storage/anywhereCache:AnywhereCache": Diffs(replace=("bucket", "zone")),
    "gcp:billing/budget:Budget": Diffs(replace=("billingAccount",)),
    "gcp:serviceaccount/account:Account": Diffs(replace=("accountId", "project")),
    "gcp:projects/iAMCustomRole:IAMCustomRole": Diffs(replace=("roleId", "project")),
    "gcp:projects/iAMMember:IAMMember": Diffs(replace=_IAM),
    "gcp:storage/bucketIAMMember:BucketIAMMember": Diffs(replace=("bucket", "role", "member", "condition")),
    "gcp:pubsub/topicIAMMember:TopicIAMMember": Diffs(replace=("topic", *_IAM)),
    "gcp:pubsub/topic:Topic": Diffs(replace=("name", "project", "kmsKeyName")),
    "gcp:workflows/workflow:Workflow": Diffs(replace=("name", "namePrefix", "region", "project")),
    "gcp:eventarc/trigger:Trigger": Diffs(replace=("name", "location", "project", "transport", "matchingCriterias")),
    JOB: Diffs(replace=("name", "region", "project")),
}
OTHERS = Diffs(replace=("name", "namePrefix", "project", "region", "zone", "location"))
"""Of a type that no table has: its name and where it stands are its own in nearly all of them."""
UNORDERED = frozenset(
    {"sourceRanges", "destinationRanges", "sourceTags", "targetTags", "tags", "nodeLocations", "oauthScopes", "scopes"}
)
"""Lists that Google's provider keeps as sets: another order is no change."""
