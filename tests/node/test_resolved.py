"""Bundles of real specs: what the resolver decides is what the bundle expects."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from gpuinfra.node import boot_bundle, bundle_findings, manual_commands
from gpuinfra.plan.resolve import resolve
from gpuinfra.spec.models import ClusterSpec
from tests.node import plans

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
AWS = {"provider": "aws", "region": "us-east-2"}
GCP = {"provider": "gcp", "project": "acme-lab", "region": "us-central1"}
AZURE = {"provider": "azure", "region": "eastus"}


@pytest.mark.parametrize(
    ("location", "type_name", "kind", "devices"),
    [
        (AWS, "p5.48xlarge", "efa", 32),
        (GCP, "a3-megagpu-8g", "gpudirect-tcpxo", 9),
        (AZURE, "Standard_ND96isr_H100_v5", "infiniband", 8),
    ],
)
def test_a_real_spec_gives_a_bundle_that_fits(location: dict[str, Any], type_name: str, kind: str, devices: int):
    spec = ClusterSpec.model_validate(
        {
            "name": "llama",
            "location": location,
            "network": {"ssh_keys": [plans.ED25519]},
            "node_pools": [{"name": "gpu", "instance_type": type_name, "count": 4}],
            "storage": [{"name": "data", "kind": "bucket", "mount": "/data"}],
            "image": {"container": "nvcr.io/nvidia/pytorch:25.08-py3"},
            "job": {"command": ["python", "train.py"], "launcher": "torchrun"},
            "shutdown": {"idle_after": "30m", "lease": "72h"},
        }
    )
    plan = resolve(spec, NOW).plan
    (pool,) = plan.pools
    bundle = boot_bundle(plan, pool)
    identity = ("identity.client_id",) if location["provider"] == "azure" else ()
    assert bundle.late == ("storage.data.bucket", *identity)
    assert bundle.facts["fabric"]["kind"] == kind
    assert bundle.facts["fabric"]["devices"] == devices
    assert bundle.facts["group"] == pool.cloud_name
    assert bundle.facts["local_nvme"]["mount"].startswith("/")
    assert (
        len(bundle.user_data({"storage.data.bucket": "llama-data", "identity.client_id": "0000"})) <= bundle.limit_bytes
    )
    assert bundle_findings(plan) == ()
    (command,) = manual_commands(plan)
    assert command.command.endswith("train.py")
