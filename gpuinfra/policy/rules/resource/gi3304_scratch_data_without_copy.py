"""A Lustre file system whose data are nowhere else.

What: A Lustre file system of type SCRATCH or PERSISTENT_1 has no link to S3, or one of type PERSISTENT_2 skips its final backup; and none of them has backups.
Why: A scratch file system keeps one copy: data go with each failed server. Any of them goes whole when it is deleted or made anew, and skipFinalBackup is true by default.
Fix: Link it to S3 with a DataRepositoryAssociation that exports (SCRATCH_1: exportPath), or take PERSISTENT_2 with skipFinalBackup: false or automaticBackupRetentionDays, and protect it.
References: FSx for Lustre User Guide, deployment options and data repositories; hashicorp/terraform-provider-aws, aws_fsx_lustre_file_system, skip_final_backup
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import ASSOCIATION, LUSTRE, AwsGraph
from ...aws_lustre import PERSISTENT_2, SCRATCH_1
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3304", "scratch-data-without-copy", Severity.WARNING, __doc__, ("AWS FSX-13",))
_TYPE_NOT_WRITTEN = "GI3032"
_DAYS, _SKIP = "automaticBackupRetentionDays", "skipFinalBackup"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system. What our own component made is judged with the plan; a type that is not written
    is another rule's, or the backup's that it is restored from."""
    for fs in ctx.aws.of_type(LUSTRE):
        kind = fs.get("deploymentType")
        if kind is None and (fs.get("backupId") is not None or _TYPE_NOT_WRITTEN not in ctx.options.silenced):
            continue
        if ctx.aws.ours(fs) or _linked(ctx.aws, fs):
            continue
        if late(kind):
            yield Undecided(CODE.code, fs.name, "the type of the file system is not known yet")
        elif kind is None or str(kind).startswith("SCRATCH"):
            hint = (
                "name exportPath, or take another type: associations are not for this one" if kind == SCRATCH_1 else ""
            )
            yield CODE.at(
                f"{fs.name}.deploymentType",
                f"{kind or 'SCRATCH_1, the default,'} with no export to S3: its data are nowhere else",
                hint,
                resource=fs.name,
            )
        else:
            yield from _persistent(fs, str(kind))


def _persistent(fs: Resource, kind: str) -> Iterator[Diagnostic | Undecided]:
    """With backups, or a final one, a copy is left. Who protects nothing, and writes nothing of the final backup, hears of
    the protection alone."""
    days, skipped = fs.get(_DAYS), fs.get(_SKIP)
    if number(days) or (truth(skipped) is False and not late(skipped)):
        return
    if late(days) or late(skipped):
        yield Undecided(CODE.code, fs.name, "whether there are backups is not known yet")
    elif kind != PERSISTENT_2:
        yield CODE.at(
            f"{fs.name}.deploymentType",
            f"{kind} with no export to S3 and no backups: its data are nowhere else",
            resource=fs.name,
        )
    elif skipped is not None or fs.options.get("protect") is True:
        said = f"{_SKIP} is {'true' if skipped is not None else 'absent, which means true'}"
        yield CODE.at(
            f"{fs.name}.{_SKIP}",
            f"{said}, with no backups and no export to S3: nothing is left of the data when the file system goes",
            f"set {_SKIP}: false, or {_DAYS}",
            resource=fs.name,
        )


def _linked(aws: AwsGraph, fs: Resource) -> bool:
    """Whether paths or an association tie the file system to S3, or one of which it is not known yet whose it is. With
    importPath alone FSx chooses a path to export to."""
    if fs.get("exportPath") is not None or fs.get("importPath") is not None:
        return True
    for a in aws.of_type(ASSOCIATION):
        links = aws.linked(a, "fileSystemId", LUSTRE)
        if links.unknown or any(r.urn == fs.urn for r in links.resources):
            return True
    return False


_T = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{deploymentType: {0}}}
  options: {{{1}}}
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
            _T.format("PERSISTENT_2", ""),
            _T.format("PERSISTENT_2, skipFinalBackup: false", "protect: true"),
            _T.format("PERSISTENT_1, automaticBackupRetentionDays: 7", ""),
            _T.format("SCRATCH_2", "") + _LINK,
        ),
        (
            _T.format("SCRATCH_2", ""),
            _T.format("PERSISTENT_1", ""),
            _T.format("PERSISTENT_2, skipFinalBackup: true", "protect: true"),
            _T.format("PERSISTENT_2", "protect: true"),
        ),
        (_T.format("!unknown ", ""), _T.format("PERSISTENT_1, automaticBackupRetentionDays: !unknown ", "")),
    ),
    providers=(Provider.AWS,),
)
