"""The APIs and resource providers that a plan's resources need, and what turns each one on."""

from __future__ import annotations

from collections.abc import Iterator

from ..plan.models import ClusterPlan
from ..vocabulary import OnLimit, Provider, StorageKind


def needed_services(plan: ClusterPlan) -> tuple[tuple[str, str, str], ...]:
    """(name, spec path that needs it, command that enables it), each name once."""
    found: dict[str, tuple[str, str, str]] = {}
    for name, path in _NEEDS[plan.provider](plan):
        found.setdefault(name, (name, path, _HOW[plan.provider].format(name=name)))
    return tuple(found.values())


def _none(plan: ClusterPlan) -> Iterator[tuple[str, str]]:
    return iter(())


def _stops(plan: ClusterPlan) -> str:
    """The path of what ends or stops the nodes from outside; empty where nothing does."""
    shutdown = plan.spec.shutdown
    if plan.lease.present:
        return plan.lease.path
    if shutdown is not None and shutdown.stop_at is not None:
        return "shutdown.stop_at"
    return next((f"{p.path}.capacity" for p in plan.pools if p.capacity.starts or p.capacity.ends), "")


def _gcp(plan: ClusterPlan) -> Iterator[tuple[str, str]]:
    yield "compute.googleapis.com", "node_pools"
    yield "iam.googleapis.com", "node_pools"
    yield "cloudresourcemanager.googleapis.com", "node_pools"
    for store in plan.storage:
        if store.existing:
            continue
        if store.kind is StorageKind.BUCKET:
            yield "storage.googleapis.com", store.path
            continue
        yield ("lustre" if store.kind is StorageKind.LUSTRE else "file") + ".googleapis.com", store.path
        if plan.network.is_new:
            yield "servicenetworking.googleapis.com", store.path
    if path := _stops(plan):
        yield "cloudscheduler.googleapis.com", path
    budget = plan.spec.budget
    if budget is None or budget.per_month_usd is None:
        return
    yield "billingbudgets.googleapis.com", "budget"
    if budget.contacts:
        yield "monitoring.googleapis.com", "budget.contacts"
    if budget.on_limit is not OnLimit.NOTIFY:
        for name in ("pubsub", "eventarc", "workflows", "workflowexecutions"):
            yield f"{name}.googleapis.com", "budget.on_limit"


def _azure(plan: ClusterPlan) -> Iterator[tuple[str, str]]:
    for name, path in (("Compute", "node_pools"), ("Network", "network"), ("ManagedIdentity", "node_pools")):
        yield f"Microsoft.{name}", path
    for store in plan.storage:
        if store.existing:
            continue
        if store.kind is StorageKind.LUSTRE:
            yield "Microsoft.StorageCache", store.path
        if store.kind is StorageKind.NFS:
            yield "Microsoft.NetApp", store.path
        if store.kind is StorageKind.BUCKET:
            yield "Microsoft.Storage", store.path
    if path := _stops(plan):
        yield "Microsoft.Insights", path
    budget = plan.spec.budget
    if budget is None or budget.per_month_usd is None:
        return
    yield "Microsoft.Consumption", "budget"
    if budget.on_limit is not OnLimit.NOTIFY:
        yield "Microsoft.Logic", "budget.on_limit"
        yield "Microsoft.Insights", "budget.on_limit"


_NEEDS = {Provider.AWS: _none, Provider.GCP: _gcp, Provider.AZURE: _azure}
_HOW = {
    Provider.AWS: "{name}",
    Provider.GCP: "gcloud services enable {name}",
    Provider.AZURE: "az provider register --namespace {name}",
}
