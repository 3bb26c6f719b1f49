"""A Lustre file system whose data are nowhere else.

What: A file system of type SCRATCH or PERSISTENT_1 has no export to S3; or a persistent one keeps no final backup, is not linked to S3, and is not protected.
Why: A scratch file system loses data with each failed server, and every file system loses all of them when it is deleted or made anew. Without a final backup, which is the default, nothing is left.
Fix: Link it to S3 with a DataRepositoryAssociation that exports, or set skipFinalBackup: false and protect: true.
References: FSx for Lustre User Guide, deployment options and data repositories
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import ASSOCIATION, LUSTRE, AwsGraph
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3304", "lustre-data-without-copy", Severity.WARNING, __doc__, ("AWS FSX-13",))
_SECOND = "PERSISTENT_2"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system. What our own component made is judged with the plan."""
    for fs in ctx.aws.of_type(LUSTRE):
        kind = fs.get("deploymentType")
        guarded = fs.options.get("protect") is True or fs.options.get("retainOnDelete") is True
        if ctx.aws.ours(fs) or fs.get("exportPath") is not None or _linked(ctx.aws, fs):
            continue
        if late(kind):
            yield Undecided(CODE.code, fs.name, "the type of the file system is not known yet")
        elif str(kind) != _SECOND and not (guarded and str(kind).startswith("PERSISTENT")):
            yield CODE.at(
                f"{fs.name}.deploymentType",
                f"{kind or 'SCRATCH_1, the default,'} with no export to S3: its data are nowhere else",
                resource=fs.name,
            )
        elif str(kind) == _SECOND and not guarded and not _backed_up(fs):
            yield CODE.at(
                f"{fs.name}.skipFinalBackup",
                "no final backup, no backups, no link to S3 and no protection: its data go with it",
                resource=fs.name,
            )


def _linked(aws: AwsGraph, fs: Resource) -> bool:
    """Whether an association ties the file system to S3, or one of which it is not known yet whose it is."""
    for a in aws.of_type(ASSOCIATION):
        links = aws.linked(a, "fileSystemId", LUSTRE)
        if links.unknown or any(r.urn == fs.urn for r in links.resources):
            return True
    return False


def _backed_up(fs: Resource) -> bool:
    final, days = fs.get("skipFinalBackup"), fs.get("automaticBackupRetentionDays")
    return truth(final) is False or late(final) or late(days) or bool(number(days))


_T = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{deploymentType: {0}, skipFinalBackup: {1}}}
  options: {2}
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
        (
            _T.format("PERSISTENT_2", "false", "{}"),
            _T.format("PERSISTENT_2", "null", "{protect: true}"),
            _T.format("SCRATCH_2", "null", "{}") + _LINK,
        ),
        (_T.format("SCRATCH_2", "null", "{}"), _T.format("PERSISTENT_2", "null", "{}")),
        (_T.format("!unknown ", "null", "{}"),),
    ),
    providers=(Provider.AWS,),
)
