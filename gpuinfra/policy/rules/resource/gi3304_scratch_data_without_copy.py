"""A scratch file system whose data are nowhere else.

What: A Lustre file system of type SCRATCH has no link to S3, by exportPath or by a data repository association.
Why: A scratch file system keeps one copy: data go with each failed server, and all of them when it is deleted or made anew.
Fix: Link it to S3 with a DataRepositoryAssociation that exports, or take PERSISTENT_2 and protect it.
References: FSx for Lustre User Guide, deployment options and data repositories
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import ASSOCIATION, LUSTRE, AwsGraph
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3304", "scratch-data-without-copy", Severity.WARNING, __doc__, ("AWS FSX-13",))
_SECOND = "PERSISTENT_2"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system. What our own component made is judged with the plan."""
    for fs in ctx.aws.of_type(LUSTRE):
        kind = fs.get("deploymentType")
        if ctx.aws.ours(fs) or fs.get("exportPath") is not None or _linked(ctx.aws, fs):
            continue
        if late(kind):
            yield Undecided(CODE.code, fs.name, "the type of the file system is not known yet")
        elif kind is None or str(kind).startswith("SCRATCH"):
            yield CODE.at(
                f"{fs.name}.deploymentType",
                f"{kind or 'SCRATCH_1, the default,'} with no export to S3: its data are nowhere else",
                resource=fs.name,
            )


def _linked(aws: AwsGraph, fs: Resource) -> bool:
    """Whether an association ties the file system to S3, or one of which it is not known yet whose it is."""
    for a in aws.of_type(ASSOCIATION):
        links = aws.linked(a, "fileSystemId", LUSTRE)
        if links.unknown or any(r.urn == fs.urn for r in links.resources):
            return True
    return False


_T = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{deploymentType: {0}}}
"""
_LINK = """\
- type: aws.fsx.DataRepositoryAssociation
  name: link
  inputs: {fileSystemId: !ref scratch.id , dataRepositoryPath: s3://b, s3: {autoExportPolicy: {events: [NEW, CHANGED]}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("PERSISTENT_2"), _T.format("SCRATCH_2") + _LINK),
        (_T.format("SCRATCH_2"), _T.format("null")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
