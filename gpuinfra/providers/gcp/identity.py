"""Who the nodes are to Google: a service account of their own with the few permissions that a node needs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pulumi
from pulumi_gcp import artifactregistry, projects, serviceaccount, storage

from ...plan.arguments import check_covers, check_names, check_type
from ...plan.models import ClusterPlan, PoolPlan, StoragePlan
from ...spec.models import ClusterSpec
from ...vocabulary import StorageKind
from ..planning import planned
from .names import account_id, project_of
from .roles import custom_role, member_of, own_instances

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
"""The account's roles say what nodes may do; scopes are the older way, and narrow ones only hide the roles (Compute
Engine, "Service accounts")."""
_REPORT_ROLES = (("logs", "roles/logging.logWriter"), ("metrics", "roles/monitoring.metricWriter"))
_FIND_PERMISSIONS = ("compute.instanceGroupManagers.get", "compute.instances.get")
_LEAVE_PERMISSIONS = ("compute.instanceGroupManagers.update", "compute.instances.delete")
_OWN_BUCKET_ROLES = (("use", "roles/storage.objectUser"),)
# Read and add, never delete or overwrite: the data is older than the cluster, and outlives it.
_THEIR_BUCKET_ROLES = (("read", "roles/storage.objectViewer"), ("add", "roles/storage.objectCreator"))
_READER = "roles/artifactregistry.reader"
_REGISTRY = re.compile(r"(?P<location>[a-z0-9-]+)-docker\.pkg\.dev/(?P<project>[^/]+)/(?P<repository>[^/]+)/")
_OLD_REGISTRY = re.compile(r"(?P<host>(?:(?P<continent>us|eu|asia)\.)?gcr\.io)/(?P<project>[^/]+)/")
_CONTINENTS = {None: "us", "us": "us", "eu": "europe", "asia": "asia"}


class NodeIdentity(pulumi.ComponentResource):
    """The nodes' service account and its roles."""

    email: pulumi.Output[str]
    ready: tuple[pulumi.Resource, ...]
    """What nodes must wait for, so that their first boot may do what the roles allow."""

    def __init__(
        self,
        name: str,
        spec: ClusterSpec | ClusterPlan,
        opts: pulumi.ResourceOptions | None = None,
        *,
        pools: Sequence[str] | None = None,
        buckets: Mapping[str, pulumi.Input[str]] | None = None,
        boot_folder: pulumi.Input[str] | None = None,
    ) -> None:
        """The identity of a spec's nodes. `pools`: of these pools alone. `buckets`: names of buckets made for the spec,
        by storage name; those that exist are known from the spec. `boot_folder`: name of the bucket that holds what
        metadata cannot."""
        plan = planned(spec, name, opts)
        check_names("pools", "pool", pools, [p.name for p in plan.pools])
        check_type("buckets", buckets, Mapping, "a mapping from the names of storages to the names of their buckets")
        check_names("buckets", "bucket storage", list(buckets or ()), [s.name for s in _buckets(plan)])
        super().__init__("gpuinfra:gcp:NodeIdentity", name, None, opts)
        chosen = [p for p in plan.pools if pools is None or p.name in pools]
        logical = f"{plan.name}-nodes"
        account = serviceaccount.Account(
            f"{logical}-account",
            account_id=account_id(logical),
            display_name=f"Nodes of {plan.name}",
            project=project_of(plan),
            opts=pulumi.ResourceOptions(parent=self),
        )
        grants = _Grants(plan, account, pulumi.ResourceOptions(parent=self))
        grants.report()
        grants.find_peers()
        if plan.idle_after is not None:
            grants.leave_group(chosen)
        grants.use_buckets(buckets or {})
        if boot_folder is not None:
            grants.on_bucket(f"{logical}-boot", boot_folder, "roles/storage.objectViewer")
        grants.pull_images(chosen)
        self.email = account.email
        self.ready = tuple(grants.made)
        self._groups = [p.cloud_name for p in chosen]
        self.register_outputs({"email": self.email})

    def check_covers(self, pool: PoolPlan) -> None:
        """Raises ValueError where nodes of the pool could not leave their own group: the idle timer would fail."""
        check_covers("identity", "NodeIdentity", pool, self._groups)


class _Grants:
    """Makes the grants of one account. Each adds a member to a policy and leaves the policy's others alone."""

    def __init__(self, plan: ClusterPlan, account: serviceaccount.Account, opts: pulumi.ResourceOptions) -> None:
        self.plan = plan
        self.account = account
        self.member = member_of(account)
        self.opts = opts
        self.prefix = f"{plan.name}-nodes"
        self.made: list[pulumi.Resource] = []

    def report(self) -> None:
        """Logs and metrics."""
        for what, role in _REPORT_ROLES:
            self._on_project(f"{self.prefix}-{what}", role)

    def find_peers(self) -> None:
        """The other nodes of a group, by the API."""
        name = f"{self.prefix}-peers"
        role = custom_role(self.plan, name, "Find peers", _FIND_PERMISSIONS, self.account, self.opts)
        self._on_project(f"{name}-member", role.name)

    def leave_group(self, pools: Sequence[PoolPlan]) -> None:
        """Delete a node of the cluster's own through its group."""
        name = f"{self.prefix}-leave"
        role = custom_role(self.plan, name, "Leave the group when idle", _LEAVE_PERMISSIONS, self.account, self.opts)
        condition = projects.IAMMemberConditionArgs(
            title="own nodes", description="Instances of this cluster", expression=own_instances(self.plan, pools)
        )
        self._on_project(f"{name}-member", role.name, condition)

    def use_buckets(self, made: Mapping[str, pulumi.Input[str]]) -> None:
        """The spec's buckets and no other. Objects may be deleted only in a bucket that was made for the cluster, or
        that holds the job's checkpoints, of which old ones give way."""
        theirs: dict[str, bool] = {}
        for one in _buckets(self.plan):
            if one.name in made:
                self._use_bucket(one.resource_name, made[one.name], _OWN_BUCKET_ROLES)
            elif bucket := _bucket_of(one.existing):
                theirs[bucket] = theirs.get(bucket, False) or _holds_checkpoints(self.plan, one)
        # One grant a bucket, named by it: of two that say the same, the end of either would take both away.
        for bucket, own in theirs.items():
            self._use_bucket(f"{self.prefix}-{bucket}", bucket, _OWN_BUCKET_ROLES if own else _THEIR_BUCKET_ROLES)

    def _use_bucket(self, name: str, bucket: pulumi.Input[str], roles: Sequence[tuple[str, str]]) -> None:
        for what, role in roles:
            self.on_bucket(f"{name}-{what}", bucket, role)

    def pull_images(self, pools: Sequence[PoolPlan]) -> None:
        """The container's repository, where it stands in the cluster's own project: those of others are their owners' to
        open."""
        seen: set[tuple[str, str]] = set()
        for pool in pools:
            place = _own_repository(pool.container.reference, project_of(self.plan)) if pool.container else None
            if place is None or place in seen:
                continue
            seen.add(place)
            name = f"{self.prefix}-pull-{len(seen)}" if len(seen) > 1 else f"{self.prefix}-pull"
            self.made.append(
                artifactregistry.RepositoryIamMember(
                    name,
                    project=project_of(self.plan),
                    location=place[0],
                    repository=place[1],
                    role=_READER,
                    member=self.member,
                    opts=self.opts,
                )
            )

    def on_bucket(self, name: str, bucket: pulumi.Input[str], role: str) -> None:
        """A role on one bucket."""
        self.made.append(storage.BucketIAMMember(name, bucket=bucket, role=role, member=self.member, opts=self.opts))

    def _on_project(
        self, name: str, role: pulumi.Input[str], condition: projects.IAMMemberConditionArgs | None = None
    ) -> None:
        self.made.append(
            projects.IAMMember(
                name,
                project=project_of(self.plan),
                role=role,
                member=self.member,
                condition=condition,
                opts=self.opts,
            )
        )


def _buckets(plan: ClusterPlan) -> list[StoragePlan]:
    return [s for s in plan.storage if s.kind is StorageKind.BUCKET]


def _bucket_of(url: str) -> str:
    return url.removeprefix("gs://").partition("/")[0]


def _holds_checkpoints(plan: ClusterPlan, one: StoragePlan) -> bool:
    job = plan.spec.job
    path = job.checkpoint.path if job and job.checkpoint else ""
    return bool(path) and f"{path.rstrip('/')}/".startswith(f"{one.mount.rstrip('/')}/")


def _own_repository(reference: str, project: str) -> tuple[str, str] | None:
    """Location and name of the repository of an image, where it belongs to the project."""
    found = _REGISTRY.match(reference)
    if found:
        return (found["location"], found["repository"]) if found["project"] == project else None
    old = _OLD_REGISTRY.match(reference)
    # gcr.io addresses are served by repositories of that name (Artifact Registry, "Transition from Container Registry").
    return (_CONTINENTS[old["continent"]], old["host"]) if old and old["project"] == project else None
