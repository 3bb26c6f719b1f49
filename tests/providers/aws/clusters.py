"""Specs and recordings that the tests of the AWS room share."""

from __future__ import annotations

import base64
import gzip
import json
from datetime import UTC, datetime
from typing import Any

import yaml

from gpuinfra import catalog
from gpuinfra.cluster import GpuCluster
from gpuinfra.policy.resource_graph import Resource, ResourceGraph
from gpuinfra.testing import record
from gpuinfra.vocabulary import Provider

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
SCHEDULE = "aws:scheduler/schedule:Schedule"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
BUDGET = {
    "per_month_usd": 400000,
    "alerts_percent": [50, 80, 100],
    "contacts": ["ml-platform@example.com"],
    "on_limit": "notify",
}
BLOCK = {
    "type": "capacity_block",
    "id": "cr-0aaa1111bbbb2222c",
    "starts": "2026-12-01T11:30:00Z",
    "ends": "2026-12-08T11:30:00Z",
}


def pool(**changes: Any) -> dict[str, Any]:
    """Four H100 nodes, changed."""
    return {"name": "gpu", "instance_type": "p5.48xlarge", "count": 4, **changes}


def cluster(**changes: Any) -> dict[str, Any]:
    """A spec without errors, changed at its top level."""
    return {
        "name": "train",
        "location": {"provider": "aws", "region": "us-east-2", "zone": "use2-az1"},
        "node_pools": [pool()],
        "image": {"container": "nvcr.io/nvidia/pytorch:25.08-py3"},
        "shutdown": {"lease": "72h", "idle_after": "30m"},
        **changes,
    }


def home(instance_type: str) -> dict[str, str]:
    """A location that offers a type."""
    for region in catalog.regions(Provider.AWS):
        row = catalog.zones(Provider.AWS, region, instance_type)
        if row:
            return {"provider": "aws", "region": region, "zone": row.zones[0]}
    raise LookupError(instance_type)


def recorded(
    spec: Any, name: str = "train", *, preview: bool = False, now: datetime = NOW, **options: Any
) -> ResourceGraph:
    """What a GpuCluster of the spec registers."""
    return record(lambda: GpuCluster(name, spec, now=now, **options), preview=preview)


def only(graph: ResourceGraph, type_: str) -> Resource:
    """The one resource of a type."""
    (found,) = graph.of_type(type_)
    return found


def boot_document(template: Resource) -> dict[str, Any]:
    """The cloud-init document in a launch template."""
    data = base64.b64decode(template.get("userData"), validate=True)
    assert len(data) <= 16384, "EC2 takes 16 KiB of user data"
    return yaml.safe_load(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def boot_facts(template: Resource) -> dict[str, Any]:
    """cluster.json, as the nodes of a launch template get it."""
    files = {f["path"]: f["content"] for f in boot_document(template)["write_files"]}
    return json.loads(files["/etc/gpuinfra/cluster.json"])


def statements(policy: Resource) -> list[dict[str, Any]]:
    """The statements of an IAM policy resource."""
    return json.loads(policy.get("policy"))["Statement"]
