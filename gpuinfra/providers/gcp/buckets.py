"""What every bucket of a cluster has: nobody outside the project's own grants reads it, and one rule decides who may."""

from __future__ import annotations

import pulumi
from pulumi_gcp import storage

from ...plan.models import ClusterPlan
from ...plan.names import name_limit, shortened
from ...vocabulary import Provider
from .labels import labels
from .names import auto_name, project_of

_KIND = "bucket"


def private_bucket(logical: str, plan: ClusterPlan, opts: pulumi.ResourceOptions, *, kept: bool) -> storage.Bucket:
    """Registers a bucket whose logical name is `logical`. `kept`: it holds a user's data, and outlives mistakes."""
    return storage.Bucket(
        logical,
        name=_name(logical, plan),
        location=plan.region,
        project=project_of(plan),
        storage_class="STANDARD",
        # Lists of who may read each object, beside the bucket's own, are how buckets become public.
        uniform_bucket_level_access=True,
        public_access_prevention="enforced",
        # Folders are things of their own: a checkpoint's folder is renamed at once and not object by object. It cannot
        # be had later (Cloud Storage, "Hierarchical namespace").
        hierarchical_namespace=storage.BucketHierarchicalNamespaceArgs(enabled=True) if kept else None,
        # Checkpoints are overwritten by the terabyte, and each old one would bill for seven days, the default.
        soft_delete_policy=storage.BucketSoftDeletePolicyArgs(retention_duration_seconds=0),
        versioning=storage.BucketVersioningArgs(enabled=False),
        force_destroy=not kept,
        deletion_policy="PREVENT" if kept else "DELETE",
        labels=labels(plan),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True)) if kept else opts,
    )


def _name(logical: str, plan: ClusterPlan) -> str | None:
    """None where a made-up name fits; else a name that begins with the project's id, which is unique in the world as the
    bucket's must be."""
    if auto_name(logical, _KIND) is None:
        return None
    # The ids of projects that belong to a domain carry it before a colon.
    owner = project_of(plan).replace(":", "-").replace(".", "-")
    return shortened(f"{owner}-{logical}", name_limit(Provider.GCP, _KIND))
