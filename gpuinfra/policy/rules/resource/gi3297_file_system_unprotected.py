"""A file system that one wrong `up` deletes.

What: An FSx for Lustre file system of a persistent type has neither `protect` nor `retainOnDelete`.
Why: Its subnet, its security groups, its type or a smaller size replace it: the old one goes, with all that nodes wrote and no bucket has.
Fix: Set protect: true on it.
References: Pulumi docs, protect; hashicorp/terraform-provider-aws, aws_fsx_lustre_file_system, arguments that force a new resource
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3297", "file-system-unprotected", Severity.WARNING, __doc__, ())


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system. A scratch one is meant to go."""
    for fs in ctx.aws.of_type(LUSTRE):
        kind = fs.get("deploymentType")
        if fs.options.get("protect") is True or fs.options.get("retainOnDelete") is True:
            continue
        if late(kind):
            yield Undecided(CODE.code, fs.name, "its type is not known yet")
        elif isinstance(kind, str) and kind.startswith("PERSISTENT"):
            yield CODE.at(
                f"{fs.name}.options.protect",
                "nothing protects the file system from being replaced with all that it holds",
                "set protect: true",
                resource=fs.name,
            )


_T = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{deploymentType: {0}}}
  options: {1}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("PERSISTENT_2", "{protect: true}"), _T.format("SCRATCH_2", "{}")),
        (_T.format("PERSISTENT_2", "{}"),),
        (_T.format("!unknown ", "{}"),),
    ),
    providers=(Provider.AWS,),
)
