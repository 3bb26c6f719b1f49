"""The APIs and resource providers that a plan's resources need, and what turns each one on."""

from __future__ import annotations

from collections.abc import Iterator

from ..plan.models import ClusterPlan
from ..vocabulary import Provider, StorageKind


def needed_services(plan: ClusterPlan) -> tuple[tuple[str, str, str], ...]:
    """(name, spec path that needs it, command that enables it), each name once."""
    found: dict[str, tuple[str, str, str]] = {}
    for name, path in _NEEDS[plan.provider](plan):
        found.setdefault(name, (name, path, _HOW[plan.provider].format(name=name)))
    return tuple(found.values())


def _none(plan: ClusterPlan) -> Iterator[tuple[str, str]]:
    return iter(())


def _gcp(plan: ClusterPlan) -> Iterator[tuple[str, str]]:
    yield "compute.googleapis.com", "node_pools"
    yield "iam.googleapis.com", "node_pools"
    for store in plan.storage:
        if store.existing:
            continue
        if store.kind is StorageKind.LUSTRE:
            yield "lustre.googleapis.com", store.path
        if store.kind is StorageKind.NFS:
            yield "file.googleapis.com", store.path
        if store.kind is StorageKind.BUCKET:
            yield "storage.googleapis.com", store.path
        else:
            yield "servicenetworking.googleapis.com", store.path
    if plan.spec.budget is not None and plan.spec.budget.per_month_usd is not None:
        yield "billingbudgets.googleapis.com", "budget"


def _azure(plan: ClusterPlan) -> Iterator[tuple[str, str]]:
    yield "Microsoft.Compute", "node_pools"
    yield "Microsoft.Network", "network"
    yield "Microsoft.ManagedIdentity", "node_pools"
    for store in plan.storage:
        if store.existing:
            continue
        if store.kind is StorageKind.LUSTRE:
            yield "Microsoft.StorageCache", store.path
        if store.kind is StorageKind.NFS:
            yield "Microsoft.NetApp", store.path
        if store.kind is StorageKind.BUCKET:
            yield "Microsoft.Storage", store.path
    if plan.spec.budget is not None and plan.spec.budget.per_month_usd is not None:
        yield "Microsoft.Consumption", "budget"


_NEEDS = {Provider.AWS: _none, Provider.GCP: _gcp, Provider.AZURE: _azure}
_HOW = {
    Provider.AWS: "{name}",
    Provider.GCP: "gcloud services enable {name}",
    Provider.AZURE: "az provider register --namespace {name}",
}
