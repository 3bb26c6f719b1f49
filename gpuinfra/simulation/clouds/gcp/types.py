"""Type tokens that several modules of this cloud name."""

GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
REGION_GROUP = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
TEMPLATES = (
    "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
    "gcp:compute/instanceTemplate:InstanceTemplate",
)
REQUESTS = ("gcp:compute/resizeRequest:ResizeRequest", "gcp:compute/regionResizeRequest:RegionResizeRequest")
LUSTRE = "gcp:lustre/instance:Instance"
JOB = "gcp:cloudscheduler/job:Job"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
CONNECTION = "gcp:servicenetworking/connection:Connection"
FILESTORE = "gcp:filestore/instance:Instance"
INSTANCE = "gcp:compute/instance:Instance"
NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
