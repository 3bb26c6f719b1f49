"""Specs for tests: one small right cluster a cloud, and changes laid over it."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

from gpuinfra.diagnostics import Diagnostic
from gpuinfra.plan.resolve import Resolution, resolve
from gpuinfra.spec.models import ClusterSpec

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)

AWS: dict[str, Any] = {
    "name": "acme",
    "location": {"provider": "aws", "region": "us-east-2", "zone": "use2-az1"},
    "node_pools": [{"name": "gpu", "instance_type": "p5.48xlarge", "count": 2}],
    "image": {"container": "nvcr.io/nvidia/pytorch:25.08-py3"},
    "budget": {"per_month_usd": 50_000, "contacts": ["ml-platform@example.com"]},
    "shutdown": {"lease": "72h"},
}
GCP: dict[str, Any] = {
    **AWS,
    "location": {"provider": "gcp", "project": "acme-lab", "region": "us-central1", "zone": "us-central1-a"},
    "node_pools": [{"name": "gpu", "instance_type": "a3-megagpu-8g", "count": 2}],
}
AZURE: dict[str, Any] = {
    **AWS,
    "location": {"provider": "azure", "region": "eastus", "zone": "1", "resource_group": "rg-acme"},
    "node_pools": [{"name": "gpu", "instance_type": "Standard_ND96isr_H100_v5", "count": 2}],
    "network": {
        "cidr": "10.40.0.0/20",
        "ssh_keys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIexample someone@example.com"],
    },
}


def spec(base: dict[str, Any] = AWS, **changes: Any) -> ClusterSpec:
    """`base` with top-level keys replaced."""
    return ClusterSpec.model_validate({**deepcopy(base), **changes})


def pool(base: dict[str, Any] = AWS, **changes: Any) -> ClusterSpec:
    """`base` with keys of its first pool replaced; None takes one away."""
    first = {**deepcopy(base["node_pools"][0]), **changes}
    return spec(base, node_pools=[{k: v for k, v in first.items() if v is not None}])


def resolved(what: ClusterSpec) -> Resolution:
    """The resolution at a fixed moment."""
    return resolve(what, NOW)


def found(resolution: Resolution, code: str) -> list[Diagnostic]:
    """The findings of a code."""
    return [d for d in resolution.diagnostics if d.code == code]


def only(resolution: Resolution, code: str) -> Diagnostic:
    """The one finding of a code; every error must be of it."""
    errors = {d.code for d in resolution.diagnostics if d.is_error} - {code}
    assert not errors, resolution.diagnostics
    (one,) = found(resolution, code)
    return one


def clean(resolution: Resolution) -> Resolution:
    """The resolution, which has no error."""
    assert not [d for d in resolution.diagnostics if d.is_error], resolution.diagnostics
    return resolution
