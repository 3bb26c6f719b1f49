"""Who the nodes are to AWS: one role with the few actions that a node needs, written out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pulumi
import pulumi_aws as aws

from ...plan.arguments import check_covers, check_names, check_type
from ...plan.models import ClusterPlan, PoolPlan
from ...spec.models import ClusterSpec
from ...vocabulary import StorageKind
from ..late_text import late_text
from ..planning import planned
from .auto_names import name_prefix
from .iam_policy import Statement, document, group_statement, trust
from .partitions import arn
from .tags import tags

# What Session Manager needs of a node and no more: AmazonSSMManagedInstanceCore also reads every parameter of the
# account (Systems Manager User Guide, "Add Session Manager permissions to an existing IAM role").
_SESSION_ACTIONS = (
    "ssm:UpdateInstanceInformation",
    "ssmmessages:CreateControlChannel",
    "ssmmessages:CreateDataChannel",
    "ssmmessages:OpenControlChannel",
    "ssmmessages:OpenDataChannel",
)
_LIST_ACTIONS = ("s3:ListBucket", "s3:ListBucketMultipartUploads")
_BUCKET_ACTIONS = ("s3:GetBucketLocation", *_LIST_ACTIONS)
_OBJECT_ACTIONS = ("s3:AbortMultipartUpload", "s3:GetObject", "s3:ListMultipartUploadParts", "s3:PutObject")
_OWN_OBJECT_ACTIONS = (*_OBJECT_ACTIONS, "s3:DeleteObject")
_PULL_ACTIONS = ("ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer")
_ECR = re.compile(r"(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.[a-z.]+/(?P<repository>[^:@]+)")
_ANY = ("*",)


class NodeIdentity(pulumi.ComponentResource):
    """The nodes' role and instance profile."""

    role_arn: pulumi.Output[str]
    instance_profile: pulumi.Output[str]
    """Name of the instance profile, as a launch template takes it."""
    ready: tuple[pulumi.Resource, ...]
    """What nodes must wait for, so that their first boot may do what the role allows."""

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
        """The identity of a spec's nodes. `pools`: of these pools alone. `buckets`: ARNs of buckets made for the spec,
        by storage name; those that exist are known from the spec. `boot_folder`: ARN of the bucket that holds what user
        data cannot."""
        plan = planned(spec, name, opts)
        check_names("pools", "pool", pools, [p.name for p in plan.pools])
        check_type("buckets", buckets, Mapping, "a mapping from the names of storages to the ARNs of their buckets")
        check_names("buckets", "bucket storage", list(buckets or ()), _bucket_storages(plan))
        super().__init__("gpuinfra:aws:NodeIdentity", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        prefix = plan.name
        role = aws.iam.Role(
            f"{prefix}-nodes-role",
            name_prefix=name_prefix(f"{prefix}-nodes-role", "role"),
            description=f"Nodes of {prefix}",
            assume_role_policy=trust("ec2.amazonaws.com"),
            tags=tags(plan, f"{prefix}-nodes-role"),
            opts=child,
        )
        policy = aws.iam.RolePolicy(
            f"{prefix}-nodes-policy",
            role=role.id,
            policy=document([*statements(plan, pools, buckets or {}), *_boot_statements(boot_folder)]),
            opts=child,
        )
        profile = aws.iam.InstanceProfile(
            f"{prefix}-nodes-profile", role=role.name, tags=tags(plan, f"{prefix}-nodes-profile"), opts=child
        )
        self.role_arn = role.arn
        self.instance_profile = profile.name
        self.ready = (policy,)
        self._groups = _groups(plan, pools)
        self.register_outputs({"roleArn": self.role_arn, "instanceProfile": self.instance_profile})

    def check_covers(self, pool: PoolPlan) -> None:
        """Raises ValueError where nodes of the pool could not leave their own group: the idle timer would fail."""
        check_covers("identity", "NodeIdentity", pool, self._groups)


def _groups(plan: ClusterPlan, pools: Sequence[str] | None) -> list[str]:
    return [p.cloud_name for p in plan.pools if pools is None or p.name in pools]


def statements(
    plan: ClusterPlan, pools: Sequence[str] | None, buckets: Mapping[str, pulumi.Input[str]]
) -> list[Statement]:
    """What nodes may do: be reached, find their peers, scale their own group down, read and write their buckets."""
    groups = _groups(plan, pools)
    found = [
        Statement("BeReachedBySessionManager", _SESSION_ACTIONS, _ANY),
        # AWS scopes no Describe call to a resource; the region is what can be said (Service Authorization Reference).
        Statement(
            "FindPeers",
            ("ec2:DescribeInstances",),
            _ANY,
            {"StringEquals": {"aws:RequestedRegion": plan.region}},
        ),
    ]
    if plan.idle_after is not None:
        found.append(
            group_statement(
                plan,
                "LeaveOwnGroupWhenIdle",
                "autoscaling:TerminateInstanceInAutoScalingGroup",
                groups,
            )
        )
    return [*found, *_bucket_statements(plan, buckets), *_pull_statements(plan)]


def _bucket_storages(plan: ClusterPlan) -> list[str]:
    return [s.name for s in plan.storage if s.kind is StorageKind.BUCKET]


def _boot_statements(folder: pulumi.Input[str] | None) -> list[Statement]:
    return [Statement("ReadBootBundle", ("s3:GetObject",), [late_text("", folder, "/*")])] if folder is not None else []


def bucket_and_prefix(url: str) -> tuple[str, str]:
    """The bucket and the prefix of s3://bucket/prefix, the prefix without slashes at its ends."""
    bucket, _, prefix = url.removeprefix("s3://").partition("/")
    return bucket, prefix.strip("/")


def _bucket_statements(plan: ClusterPlan, made: Mapping[str, pulumi.Input[str]]) -> list[Statement]:
    """The spec's buckets and no other. Objects may be deleted only in a bucket that was made for the cluster."""
    buckets: list[pulumi.Input[str]] = []
    found: list[Statement] = []
    theirs: list[pulumi.Input[str]] = []
    ours: list[pulumi.Input[str]] = []
    for storage in plan.storage:
        if storage.kind is not StorageKind.BUCKET:
            continue
        if storage.existing:
            bucket, prefix = bucket_and_prefix(storage.existing)
            whole = arn(plan.region, "s3", bucket, regional=False)
            if prefix:
                within = {"StringLike": {"s3:prefix": [prefix, f"{prefix}/*"]}}
                found.append(Statement(f"ListPrefix{len(found)}", _LIST_ACTIONS, [whole], within))
            else:
                buckets.append(whole)
            theirs.append(arn(plan.region, "s3", f"{bucket}/{prefix}/*" if prefix else f"{bucket}/*", regional=False))
        elif storage.name in made:
            buckets.append(made[storage.name])
            ours.append(late_text("", made[storage.name], "/*"))
    found += [
        Statement("ListBuckets", _BUCKET_ACTIONS, buckets),
        Statement("UseObjects", _OBJECT_ACTIONS, theirs),
        Statement("UseOwnObjects", _OWN_OBJECT_ACTIONS, ours),
    ]
    return [s for s in found if s.resources]


def _pull_statements(plan: ClusterPlan) -> list[Statement]:
    """Leave to pull the container where it stands in a private registry of AWS."""
    repositories: set[str] = set()
    for pool in plan.pools:
        found = _ECR.match(pool.container.reference) if pool.container else None
        if found:
            repositories.add(arn(found["region"], "ecr", f"repository/{found['repository']}", account=found["account"]))
    if not repositories:
        return []
    return [
        Statement("LogInToRegistry", ("ecr:GetAuthorizationToken",), _ANY),
        Statement("PullImages", _PULL_ACTIONS, sorted(repositories)),
    ]
