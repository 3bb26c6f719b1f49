"""Specs and recordings that the tests of the Google Cloud room share."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import yaml

from gpuinfra import catalog
from gpuinfra.cluster import GpuCluster
from gpuinfra.plan import resolve
from gpuinfra.plan.models import ClusterPlan
from gpuinfra.policy.resource_graph import OutputRef, Resource, ResourceGraph
from gpuinfra.spec.load import parse
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.testing import record
from gpuinfra.vocabulary import Provider

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
NETWORK = "gcp:compute/network:Network"
SUBNET = "gcp:compute/subnetwork:Subnetwork"
FIREWALL = "gcp:compute/firewall:Firewall"
TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"
GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
REGION_GROUP = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
REQUEST = "gcp:compute/resizeRequest:ResizeRequest"
POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
MEMBER = "gcp:projects/iAMMember:IAMMember"
ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
ACCOUNT = "gcp:serviceaccount/account:Account"
BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"
SUBNETWORK = "projects/acme-lab/regions/us-central1/subnetworks/prod"
LUSTRE = {"name": "scratch", "kind": "lustre", "size_gib": 18000, "throughput_mbps_per_tib": 500, "mount": "/scratch"}
HOME = {"name": "home", "kind": "nfs", "size_gib": 2560, "mount": "/shared"}
RESERVED = {"type": "reservation", "id": "res-h"}
FLEX = {"type": "flex_start", "duration": "24h"}


def pool(**changes: Any) -> dict[str, Any]:
    """Two nodes with one L4 each, changed."""
    return {"name": "gpu", "instance_type": "g2-standard-8", "count": 2, **changes}


def cluster(**changes: Any) -> dict[str, Any]:
    """A spec without errors, changed at its top level."""
    return {
        "name": "train",
        "location": {"provider": "gcp", "project": "acme-lab", "region": "us-central1", "zone": "us-central1-a"},
        "node_pools": [pool()],
        "image": {"container": "nvcr.io/nvidia/pytorch:25.08-py3"},
        "shutdown": {"lease": "72h", "idle_after": "30m"},
        **changes,
    }


def home(instance_type: str, attached: str = "") -> dict[str, str]:
    """A location that offers a type, or what is attached to it."""
    for region in catalog.regions(Provider.GCP):
        row = catalog.zones(Provider.GCP, region, f"accelerator:{attached}" if attached else instance_type)
        if row:
            return {"provider": "gcp", "project": "acme-lab", "region": region, "zone": row.zones[0]}
    return {"provider": "gcp", "project": "acme-lab", "region": "us-central1", "zone": "us-central1-b"}


def of_type(instance_type: str, **changes: Any) -> dict[str, Any]:
    """A spec whose one pool has that type, where it is offered."""
    return cluster(location=home(instance_type), node_pools=[pool(instance_type=instance_type, **changes)])


def spec_of(**changes: Any) -> ClusterSpec:
    """The spec as a model."""
    loaded = parse(cluster(**changes))
    assert loaded.spec, loaded.diagnostics
    return loaded.spec


def planned(spec: dict[str, Any], name: str = "train") -> ClusterPlan:
    """The plan of a spec, whether or not it has errors."""
    loaded = parse(spec)
    assert loaded.spec, loaded.diagnostics
    plan = resolve(loaded.spec, NOW, name=name).plan
    assert plan
    return plan


def recorded(
    spec: Any, name: str = "train", *, preview: bool = False, now: datetime = NOW, **options: Any
) -> ResourceGraph:
    """What a GpuCluster of the spec registers."""
    return record(lambda: GpuCluster(name, spec, now=now, **options), preview=preview)


def only(graph: ResourceGraph, type_: str) -> Resource:
    """The one resource of a type."""
    (found,) = graph.of_type(type_)
    return found


def source(value: object) -> str | None:
    """The logical name of the resource that a value comes from."""
    return value.resource if isinstance(value, OutputRef) else None


def waits_for(graph: ResourceGraph, resource: Resource) -> set[str]:
    """Names of the resources that one depends on."""
    found = (graph.by_urn(urn) for urn in resource.dependencies)
    return {r.name for r in found if r}


def boot_facts(template: Resource) -> dict[str, Any]:
    """cluster.json, as the nodes of a template get it."""
    document = yaml.safe_load(template.get("metadata", "user-data"))
    files = {f["path"]: f["content"] for f in document["write_files"]}
    return json.loads(files["/etc/gpuinfra/cluster.json"])
