"""What every bucket of a cluster has: nobody outside the account reads it, whatever its policy or an ACL says."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws


def keep_private(name: str, bucket: aws.s3.Bucket, region: str, opts: pulumi.ResourceOptions) -> None:
    """Registers the block on public access of a bucket whose logical name is `name`."""
    aws.s3.BucketPublicAccessBlock(
        f"{name}-private",
        bucket=bucket.id,
        block_public_acls=True,
        block_public_policy=True,
        ignore_public_acls=True,
        restrict_public_buckets=True,
        region=region,
        opts=opts,
    )
