"""An S3 link of the old kind on PERSISTENT_2.

What: importPath, exportPath, autoImportPolicy or importedFileChunkSize on a PERSISTENT_2 file system.
Why: That type links to S3 by data repository associations only, and FSx refuses the rest.
Fix: Leave them out and add an aws.fsx.DataRepositoryAssociation.
References: aws/aws-parallelcluster, FsxS3Validator; FSx for Lustre User Guide, linking to a data repository
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE
from ...aws_lustre import PERSISTENT_2, deployment
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3036", "lustre-import-on-persistent-2", Severity.ERROR, __doc__, ("AWS FSX-05",))
_KEYS = ("importPath", "exportPath", "autoImportPolicy", "importedFileChunkSize")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system."""
    for fs in ctx.aws.of_type(LUSTRE):
        found = [k for k in _KEYS if fs.get(k) is not None]
        if not found:
            continue
        kind = deployment(fs)
        if not kind:
            yield Undecided(CODE.code, fs.name, "the deployment type is not known yet")
        elif kind == PERSISTENT_2:
            yield CODE.at(f"{fs.name}.{found[0]}", f"PERSISTENT_2 takes no {', '.join(found)}", resource=fs.name)


_T = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{deploymentType: {0}, storageCapacity: 2400, importPath: "s3://acme-data/imagenet"}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format("SCRATCH_2"),), (_T.format("PERSISTENT_2"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
