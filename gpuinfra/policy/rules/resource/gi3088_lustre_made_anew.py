"""A change that makes a Lustre file system anew.

What: A file system that exists changes its subnet, security groups, key, type, links or EFA switch, gets smaller or less metadata IOPS, or goes back to an older Lustre version.
Why: FSx cannot change any of these: the file system is deleted with all that it holds, and an empty one is made.
Fix: Leave it as it is and make a second one beside it; or copy the data out first and replace it on purpose.
References: FSx for Lustre User Guide, updating a file system; hashicorp/terraform-provider-aws, aws_fsx_lustre_file_system
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE
from ...aws_lustre import ABSENT, KEPT, REPLACED_BY
from ...last_inputs import Spellings, changed, covered, last, shrinks, unsure
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3088", "lustre-made-anew", Severity.ERROR, __doc__, ("AWS FSX-12",))
_SPELLINGS = Spellings(ABSENT, KEPT)
_SHRINK = ("storageCapacity", "fileSystemTypeVersion", "metadataConfiguration.iops")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system whose last inputs are known."""
    for fs in ctx.aws.of_type(LUSTRE):
        was = last(ctx, fs)
        if was is None:
            continue
        found = [p for p in changed(was, fs, REPLACED_BY, _SPELLINGS) if not covered(fs, "ignoreChanges", p)]
        found += [p for p in _SHRINK if shrinks(was, fs, p)]
        if found:
            kept = "; it is protected, so that `up` ends there" if fs.options.get("protect") is True else ""
            yield CODE.at(
                f"{fs.name}.{found[0]}",
                f"a change of {', '.join(found)} makes the file system anew, and all that it holds is lost{kept}",
                resource=fs.name,
            )
        elif open_ := [p for p in unsure(was, fs, (*REPLACED_BY, *_SHRINK)) if not covered(fs, "ignoreChanges", p)]:
            yield Undecided(CODE.code, fs.name, f"whether {', '.join(open_)} changes is not known yet")


_T = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{deploymentType: PERSISTENT_2, subnetIds: {1}, securityGroupIds: [sg-2, sg-1], storageCapacity: {0}}}
  options: {2}
"""
_URN = "urn:pulumi:dev::example::aws:fsx/lustreFileSystem:LustreFileSystem::scratch"
_WAS = {
    "deploymentType": "PERSISTENT_2",
    "storageCapacity": 4800,
    "subnetIds": "subnet-1",
    "securityGroupIds": ["sg-1", "sg-2"],
    "fileSystemTypeVersion": "2.15",
}

RULE = ResourceRule(
    CODE,
    ("storage", "drift"),
    check,
    Examples(
        (
            _T.format(4800, "subnet-1", "{}"),
            _T.format(9600, "subnet-1", "{}"),
            _T.format(4800, "subnet-2", "{ignoreChanges: [subnetIds]}"),
            _T.format("4800, storageType: SSD, efaEnabled: false", "subnet-1", "{}"),
        ),
        (
            _T.format(2400, "subnet-1", "{}"),
            _T.format(4800, "subnet-2", "{}"),
            _T.format("4800, fileSystemTypeVersion: '2.12'", "subnet-1", "{}"),
        ),
        (_T.format(4800, "!unknown ", "{}"),),
        facts={_URN: {"inputs": _WAS}},
    ),
    providers=(Provider.AWS,),
)
