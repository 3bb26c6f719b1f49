"""The types of Google Cloud resources that rules read, and the names inside paths."""

from __future__ import annotations

import re
from typing import Any

from .resource_graph import Resource
from .wire_values import late

INSTANCE = "gcp:compute/instance:Instance"
TEMPLATE = "gcp:compute/instanceTemplate:InstanceTemplate"
REGION_TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"
GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
REGION_GROUP = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
REQUEST = "gcp:compute/resizeRequest:ResizeRequest"
REGION_REQUEST = "gcp:compute/regionResizeRequest:RegionResizeRequest"
AUTOSCALER = "gcp:compute/autoscaler:Autoscaler"
REGION_AUTOSCALER = "gcp:compute/regionAutoscaler:RegionAutoscaler"
NETWORK = "gcp:compute/network:Network"
GLOBAL_ADDRESS = "gcp:compute/globalAddress:GlobalAddress"
SUBNET = "gcp:compute/subnetwork:Subnetwork"
FIREWALL = "gcp:compute/firewall:Firewall"
ROUTER = "gcp:compute/router:Router"
ROUTER_NAT = "gcp:compute/routerNat:RouterNat"
RESOURCE_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
RESERVATION = "gcp:compute/reservation:Reservation"
FUTURE_RESERVATION = "gcp:compute/futureReservation:FutureReservation"
DISK = "gcp:compute/disk:Disk"
ATTACHED_DISK = "gcp:compute/attachedDisk:AttachedDisk"
NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
LUSTRE = "gcp:lustre/instance:Instance"
FILESTORE = "gcp:filestore/instance:Instance"
PARALLELSTORE = "gcp:parallelstore/instance:Instance"
BUCKET = "gcp:storage/bucket:Bucket"
SERVICES = "gcp:servicenetworking/connection:Connection"
BUDGET = "gcp:billing/budget:Budget"
JOB = "gcp:cloudscheduler/job:Job"
POLICY_ATTACHMENT = "gcp:compute/resourcePolicyAttachment:ResourcePolicyAttachment"

TEMPLATES = (TEMPLATE, REGION_TEMPLATE)
GROUPS = (GROUP, REGION_GROUP)
REQUESTS = (REQUEST, REGION_REQUEST)
AUTOSCALERS = (AUTOSCALER, REGION_AUTOSCALER)
MACHINES = (INSTANCE, *TEMPLATES, NODE_POOL)

_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-[a-z0-9]+")


def last_part(text: str) -> str:
    """The name at the end of a path or link."""
    return text.rstrip("/").rpartition("/")[2]


def region_of(zone: str) -> str:
    """The region of a zone: us-central1 of us-central1-b."""
    return zone.rpartition("-")[0]


def is_zone(text: Any) -> bool:
    """Whether a text is a zone's name, and no region's."""
    return isinstance(text, str) and _ZONE.fullmatch(text) is not None


def own_name(resource: Resource) -> str:
    """The cloud name that a resource was given; empty where the name is made up later."""
    for key in ("name", "instanceId"):
        value = resource.get(key)
        if isinstance(value, str) and not late(value):
            return value
    return ""
