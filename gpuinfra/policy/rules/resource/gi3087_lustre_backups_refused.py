"""Backups of a Lustre file system that takes none.

What: automaticBackupRetentionDays is above 0 on a scratch file system or on one that is linked to S3 by importPath or exportPath; or it is not 0 to 90.
Why: FSx refuses the request when everything else is there already.
Fix: Leave the retention out on scratch and linked file systems, and let the data repository hold the copy; else write 0 to 90 days.
References: aws/aws-parallelcluster, FsxBackupOptionsValidator; FSx for Lustre User Guide, backups
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3087", "lustre-backups-refused", Severity.ERROR, __doc__, ("AWS FSX-11",))
_KEY, _MOST_DAYS = "automaticBackupRetentionDays", 90
_LINKS = ("importPath", "exportPath")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system."""
    for fs in ctx.aws.of_type(LUSTRE):
        value, kind = fs.get(_KEY), fs.get("deploymentType")
        days = number(value)
        if late(value) or (days and late(kind)):
            yield Undecided(CODE.code, fs.name, "the backups are not known yet")
        elif days is not None and (fault := _fault(fs, days, kind)):
            yield CODE.at(f"{fs.name}.{_KEY}", *fault, resource=fs.name)


def _fault(fs: Resource, days: float, kind: object) -> tuple[str, str] | None:
    """(what is wrong, what to do); None where FSx takes it."""
    if not 0 <= days <= _MOST_DAYS:
        return f"{days:g} days, and FSx keeps backups for 0 to {_MOST_DAYS}", f"write 0 to {_MOST_DAYS} days"
    if days and (kind is None or str(kind).startswith("SCRATCH")):
        return f"{kind or 'SCRATCH_1, the default,'} takes no backups", "leave it out, or take PERSISTENT_2"
    # PERSISTENT_2 takes neither link nor a choice between link and backups: that is another rule's finding.
    linked = "" if kind == "PERSISTENT_2" else next((k for k in _LINKS if fs.get(k) is not None), "")
    if days and linked:
        return f"a file system with {linked} takes no backups", "leave it out: the bucket holds the copy"
    return None


_T = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{deploymentType: {0}, automaticBackupRetentionDays: {1}, importPath: {2}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (
            _T.format("PERSISTENT_2", 7, "null"),
            _T.format("SCRATCH_2", 0, "null"),
            _T.format("PERSISTENT_1", "null", "s3://b"),
        ),
        (
            _T.format("SCRATCH_2", 7, "null"),
            _T.format("PERSISTENT_1", 7, "s3://b"),
            _T.format("PERSISTENT_2", 120, "null"),
        ),
        (_T.format("!unknown ", 7, "null"),),
    ),
    providers=(Provider.AWS,),
)
