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
