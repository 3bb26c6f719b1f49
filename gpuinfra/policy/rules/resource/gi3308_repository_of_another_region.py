"""A data repository in another region than its file system.

What: The bucket that an FSx for Lustre file system is linked to stands in another region.
Why: FSx imports changes by itself from a bucket of its own region alone: the association is refused, or fails after the file system is made and bills.
Fix: Make the bucket where the file system is, or copy the data there; leave autoImportPolicy out of a link that must cross.
References: FSx for Lustre User Guide, linking to a data repository; aws/aws-parallelcluster, FsxAutoImportValidator
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import ASSOCIATION, LUSTRE, SUBNET
from ...aws_places import region_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3308", "repository-of-another-region", Severity.ERROR, __doc__, ("AWS FSX-10",))
_BUCKETS = ("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2")
_STORE, _IMPORT = "dataRepositoryPath", "importPath"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each link to a bucket of this program."""
    for link in ctx.aws.of_type(ASSOCIATION):
        if link.get("s3", "autoImportPolicy") is None:
            continue
        for fs in ctx.aws.linked(link, "fileSystemId", LUSTRE).resources:
            yield from _judged(ctx, link, _STORE, fs)
    for fs in ctx.aws.of_type(LUSTRE):
        if fs.get("autoImportPolicy") not in (None, "NONE"):
            yield from _judged(ctx, fs, _IMPORT, fs)


def _judged(ctx: GraphContext, owner: Resource, key: str, fs: Resource) -> Iterator[Diagnostic | Undecided]:
    here = region_of(fs, *ctx.aws.linked(fs, "subnetIds", SUBNET).resources)
    for bucket in _buckets(ctx, owner, key):
        there = bucket.get("region")
        if here and late(there):
            yield Undecided(CODE.code, owner.name, f"the region of bucket '{bucket.name}' is not known yet")
        elif here and isinstance(there, str) and there != here:
            yield CODE.at(
                f"{owner.name}.{key}",
                f"bucket '{bucket.name}' stands in {there}, and file system '{fs.name}' in {here}",
                resource=owner.name,
            )


def _buckets(ctx: GraphContext, owner: Resource, key: str) -> list[Resource]:
    """The buckets that a path names: by a value that comes out of one, or by the name that one has."""
    value: Any = owner.get(key)
    found = [b for b in ctx.aws.of_type(*_BUCKETS) if b.urn in owner.property_dependencies.get(key, ())]
    if found or not isinstance(value, str) or late(value):
        return found
    name = value.removeprefix("s3://").partition("/")[0]
    return [b for b in ctx.aws.of_type(*_BUCKETS) if b.get("bucket") == name]


_T = """\
- {{type: aws.s3.Bucket, name: store, inputs: {{bucket: acme-data, region: {0}}}}}
- {{type: aws.ec2.Subnet, name: inside, inputs: {{availabilityZone: us-west-2a}}}}
- {{type: aws.fsx.LustreFileSystem, name: scratch, inputs: {{deploymentType: PERSISTENT_2, subnetIds: !ref inside.id }}}}
- type: aws.fsx.DataRepositoryAssociation
  name: link
  inputs:
    fileSystemId: !ref scratch.id
    fileSystemPath: /data
    dataRepositoryPath: s3://acme-data/sets
    s3: {{autoImportPolicy: {{events: [NEW]}}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format("us-west-2"), _T.format("null")), (_T.format("eu-west-1"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
