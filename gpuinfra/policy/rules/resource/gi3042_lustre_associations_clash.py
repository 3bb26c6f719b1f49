"""Data repository associations that clash.

What: More than eight associations on one file system, a file system path that is not absolute, two paths of which one holds the other, or a repository that is no S3 URL.
Why: FSx refuses the one that comes last, in whatever order they are created.
Fix: Keep at most eight, each on a path of its own such as /imagenet, to s3://bucket/prefix.
References: aws/aws-parallelcluster, FsxDraValidator; FSx for Lustre User Guide, linking to a data repository
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import ASSOCIATION, LUSTRE
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3042", "lustre-associations-clash", Severity.ERROR, __doc__, ("AWS FSX-10",))
_MOST = 8


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system and fault."""
    by_fs: dict[str, list[Resource]] = {}
    for a in ctx.aws.of_type(ASSOCIATION):
        links = ctx.aws.linked(a, "fileSystemId", LUSTRE)
        key = links.resources[0].urn if links.resources else links.foreign[0] if links.foreign else ""
        by_fs.setdefault(key, []).append(a)
        path, store = a.get("fileSystemPath"), a.get("dataRepositoryPath")
        if late(path):
            yield Undecided(CODE.code, a.name, "its path is not known yet")
        elif not isinstance(path, str) or not path.startswith("/"):
            yield CODE.at(f"{a.name}.fileSystemPath", f"'{path}' is not an absolute path", resource=a.name)
        if isinstance(store, str) and not late(store) and not store.startswith("s3://"):
            yield CODE.at(f"{a.name}.dataRepositoryPath", f"'{store}' is not an S3 URL", resource=a.name)
    for key, group in by_fs.items():
        if not key:
            continue
        if len(group) > _MOST:
            yield CODE.at(
                group[_MOST].name,
                f"{len(group)} associations on one file system, which takes {_MOST}",
                resource=group[_MOST].name,
            )
        for one, other in combinations(group, 2):
            a, b = one.get("fileSystemPath"), other.get("fileSystemPath")
            if isinstance(a, str) and isinstance(b, str) and not late(a) and not late(b) and _overlap(a, b):
                yield CODE.at(
                    f"{other.name}.fileSystemPath", f"'{b}' overlaps '{a}' of '{one.name}'", resource=other.name
                )
                break


def _overlap(a: str, b: str) -> bool:
    x, y = a.rstrip("/") + "/", b.rstrip("/") + "/"
    return x.startswith(y) or y.startswith(x)


_T = """\
- {{type: aws.fsx.LustreFileSystem, name: scratch, inputs: {{deploymentType: PERSISTENT_2}}}}
- type: aws.fsx.DataRepositoryAssociation
  name: one
  inputs: {{fileSystemId: !ref scratch.id , fileSystemPath: /data, dataRepositoryPath: "s3://acme-data/a"}}
- type: aws.fsx.DataRepositoryAssociation
  name: two
  inputs: {{fileSystemId: !ref scratch.id , fileSystemPath: {0}, dataRepositoryPath: "s3://acme-data/b"}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format("/other"),), (_T.format("/data/sub"), _T.format("other")), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
