"""What the simulated Google Cloud refuses, when, and in which words (facts gcp a1 to a9, (c))."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.specs import GCP

from .spoiled import both, put, refusal

TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"
GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
NETWORK = "gcp:compute/network:Network"
SUBNET = "gcp:compute/subnetwork:Subnetwork"
LUSTRE = "gcp:lustre/instance:Instance"
FILESTORE = "gcp:filestore/instance:Instance"
BUDGET = "gcp:billing/budget:Budget"
STORAGE = [
    {"name": "scratch", "kind": "lustre", "size_gib": 18000, "throughput_mbps_per_tib": 500, "mount": "/scratch"},
    {"name": "home", "kind": "nfs", "size_gib": 2560, "mount": "/shared"},
]
MEGA: dict[str, Any] = {**GCP, "storage": STORAGE}
ROCE: dict[str, Any] = {
    **GCP,
    "location": {"provider": "gcp", "project": "acme-lab", "region": "us-central1", "zone": "us-central1-b"},
    "node_pools": [
        {
            "name": "gpu",
            "instance_type": "a4-highgpu-8g",
            "count": 2,
            "capacity": {"type": "flex_start", "duration": "24h"},
        }
    ],
}
N1: dict[str, Any] = {
    **GCP,
    "node_pools": [
        {"name": "gpu", "instance_type": "n1-standard-8", "count": 1, "accelerator": {"model": "T4", "count": 1}}
    ],
    "image": {},
}
CASES: dict[str, tuple[dict[str, Any], str, Callable[[dict[str, Any]], None], str, str]] = {
    "GPUs that move": (MEGA, TEMPLATE, put("scheduling.onHostMaintenance", "MIGRATE"), "apply", "live migration"),
    "spot that restarts": (
        MEGA,
        TEMPLATE,
        put("scheduling.provisioningModel", "SPOT"),
        "apply",
        "AutomaticRestart is true",
    ),
    "one network interface too few": (
        MEGA,
        TEMPLATE,
        lambda i: i["networkInterfaces"].pop(),
        "apply",
        "400 invalid: a3-megagpu-8g requires 9 network interfaces",
    ),
    "two interfaces in one network": (
        MEGA,
        TEMPLATE,
        lambda i: i["networkInterfaces"][1].update(subnetwork=i["networkInterfaces"][0]["subnetwork"]),
        "apply",
        "Networks must be distinct",
    ),
    "a persistent disk where only hyperdisks go": (
        ROCE,
        TEMPLATE,
        put("disks.0.diskType", "pd-balanced"),
        "apply",
        "pd-balanced disk type cannot be used by a4-highgpu-8g machine type",
    ),
    "GPUs spelled out that are others": (
        MEGA,
        TEMPLATE,
        put("guestAccelerators", [{"type": "nvidia-l4", "count": 8}]),
        "apply",
        "not compatible",
    ),
    "an accelerator that nobody knows": (
        N1,
        TEMPLATE,
        put("guestAccelerators.0.type", "nvidia-h900"),
        "apply",
        "was not found",
    ),
    "three T4": (N1, TEMPLATE, put("guestAccelerators.0.count", 3), "apply", "3 accelerators"),
    "flex-start without an end": (
        ROCE,
        TEMPLATE,
        put("scheduling.maxRunDuration", None),
        "apply",
        "requires maxRunDuration",
    ),
    "flex-start that stops": (
        ROCE,
        TEMPLATE,
        put("scheduling.instanceTerminationAction", "STOP"),
        "apply",
        "action DELETE",
    ),
    "flex-start on a reservation": (
        ROCE,
        TEMPLATE,
        put("reservationAffinity", {"type": "ANY_RESERVATION"}),
        "apply",
        "NO_RESERVATION",
    ),
    "flex-start for more than a week": (
        ROCE,
        TEMPLATE,
        put("scheduling.maxRunDuration", {"seconds": 700_000}),
        "apply",
        "604800",
    ),
    "bound to no reservation": (
        MEGA,
        TEMPLATE,
        put("scheduling.provisioningModel", "RESERVATION_BOUND"),
        "apply",
        "requires a specific reservation",
    ),
    "a specific reservation without a name": (
        MEGA,
        TEMPLATE,
        put("reservationAffinity", {"type": "SPECIFIC_RESERVATION"}),
        "apply",
        "reservation-name",
    ),
    "an ordinary interface in an RDMA network": (
        ROCE,
        TEMPLATE,
        put("networkInterfaces.2.nicType", "GVNIC"),
        "apply",
        "requires 10 network interfaces",
    ),
    "a profile by its bare name": (
        ROCE,
        NETWORK,
        lambda i: i.update(networkProfile="us-central1-b-vpc-roce") if i.get("networkProfile") else None,
        "apply",
        "The URL is malformed",
    ),
    "a profile of another zone": (
        ROCE,
        NETWORK,
        lambda i: (
            i.update(networkProfile=i["networkProfile"].replace("central1-b", "central1-a"))
            if i.get("networkProfile")
            else None
        ),
        "apply",
        "its own zone alone",
    ),
    "a profile of another region": (
        ROCE,
        NETWORK,
        lambda i: (
            i.update(networkProfile=i["networkProfile"].replace("us-central1-b", "us-east4-b"))
            if i.get("networkProfile")
            else None
        ),
        "apply",
        "does not allow subnetworks",
    ),
    "neither surge nor gap": (
        MEGA,
        GROUP,
        put(
            "updatePolicy",
            {"maxSurgeFixed": 0, "maxUnavailableFixed": 0, "minimalAction": "REPLACE", "type": "OPPORTUNISTIC"},
        ),
        "apply",
        "must not both be 0",
    ),
    "a name that is none, at plan": (MEGA, NETWORK, put("name", "Gpu_Net"), "check", "does not match regexp"),
    "Lustre between two sizes": (
        MEGA,
        LUSTRE,
        put("capacityGib", "20000"),
        "apply",
        "400 INVALID_ARGUMENT: capacity_gib 20000",
    ),
    "Lustre of a speed that is not sold": (
        MEGA,
        LUSTRE,
        put("perUnitStorageThroughput", "300"),
        "apply",
        "per_unit_storage",
    ),
    "Lustre with a long name": (MEGA, LUSTRE, put("filesystem", "scratchfiles"), "apply", "INVALID_ARGUMENT"),
    "a small Filestore": (
        MEGA,
        FILESTORE,
        put("fileShares.capacityGb", 1000),
        "apply",
        "INVALID_ARGUMENT: capacity_gb 1000",
    ),
    "NFS 4.1 on a basic tier": (
        MEGA,
        FILESTORE,
        both(put("tier", "BASIC_SSD"), put("protocol", "NFS_V4_1")),
        "apply",
        "does not support the protocol",
    ),
    "a zonal Filestore in a region": (MEGA, FILESTORE, put("location", "us-central1"), "apply", "requires a zone"),
    "a budget of a project's id": (
        MEGA,
        BUDGET,
        put("budgetFilter.projects", ["projects/acme-lab"]),
        "apply",
        "Request contains an invalid argument",
    ),
    "a budget of two labels": (
        MEGA,
        BUDGET,
        put("budgetFilter.labels", {"a": "1", "b": "2"}),
        "apply",
        "invalid argument",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused(case: str, tmp_path: Path) -> None:
    spec, type_, spoil, moment, text = CASES[case]
    said = refusal(tmp_path, spec, type_, spoil)
    assert said.moment == moment, said
    assert re.search(text, said.text), said
