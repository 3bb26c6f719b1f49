"""Small Google Cloud programs as plain values: resources point at each other by the cloud names that they were given."""

from __future__ import annotations

import json
from typing import Any

from gpuinfra.policy import GraphReport

from .judging import judged, rows, spec_findings

GOOGLE = "GCP-"

SPEC = """
api_version: gpuinfra/v1
name: lab
workload: {workload}
location: {{provider: gcp, project: acme-lab, region: {region}, zone: {zone}}}
node_pools: [{{name: gpu, {pool}}}]
budget: {{per_month_usd: 900000, contacts: [ml@example.com]}}
shutdown: {{idle_after: 30m, lease: 12h}}
"""


def resource(kind: str, label: str, options: dict[str, Any] | None = None, /, **inputs: Any) -> dict[str, Any]:
    """One resource, as gcp.compute.Instance, with inputs in wire spelling."""
    return {"type": kind, "name": label, "inputs": inputs, "options": options or {}}


def instance(label: str = "box", /, **inputs: Any) -> dict[str, Any]:
    """An instance. Without a boot disk it is a sketch: then no default is read into it."""
    return resource("gcp.compute.Instance", label, **inputs)


def judge(*resources: dict[str, Any]) -> GraphReport:
    """What all resource rules say of a program."""
    return judged(json.dumps(resources))


def errors(*resources: dict[str, Any]) -> set[str]:
    """The Google fact rows of a program's errors."""
    return rows(judge(*resources), errors=True, cloud=GOOGLE)


def spec_errors(pool: str, zone: str = "us-central1-a", workload: str = "training") -> dict[str, str]:
    """Codes and messages, with their hints, of the errors of a spec with one pool."""
    text = SPEC.format(pool=pool, zone=zone, region=zone.rpartition("-")[0], workload=workload)
    return {d.code: f"{d.message}; {d.hint}" for d in spec_findings(text) if d.is_error}
