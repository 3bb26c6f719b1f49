"""Lustre 2.10 on PERSISTENT_2.

What: `fileSystemTypeVersion` is 2.10 and the type PERSISTENT_2.
Why: That type starts at 2.12, and FSx refuses the creation.
Fix: Write fileSystemTypeVersion: "2.15".
References: FSx for Lustre API, FileSystemTypeVersion
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE
from ...aws_lustre import PERSISTENT_2, deployment
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3037", "lustre-version-too-old", Severity.ERROR, __doc__, ("AWS FSX-06",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system."""
    for fs in ctx.aws.of_type(LUSTRE):
        version, kind = fs.get("fileSystemTypeVersion"), deployment(fs)
        if late(version) or (not kind and version is not None):
            yield Undecided(CODE.code, fs.name, "the version or the type is not known yet")
        elif kind == PERSISTENT_2 and str(version) in ("2.10", "2.1"):
            yield CODE.at(f"{fs.name}.fileSystemTypeVersion", "Lustre 2.10 on PERSISTENT_2", resource=fs.name)


_T = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{deploymentType: PERSISTENT_2, storageCapacity: 2400, fileSystemTypeVersion: {0}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format('"2.15"'),), (_T.format('"2.10"'),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
