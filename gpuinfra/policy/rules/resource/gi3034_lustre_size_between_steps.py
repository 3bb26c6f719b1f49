"""A Lustre size between two steps.

What: `storageCapacity` is not a size of its deployment type.
Why: FSx sells fixed steps and refuses the rest. Rounding would change what is paid, so nothing is rounded.
Fix: Take one of the two sizes named: 1200 GiB or multiples of 2400; SCRATCH_1 1200, 2400 or multiples of 3600; HDD multiples of 6000 (12 MB/s) or 1800 (40 MB/s).
References: FSx for Lustre API, StorageCapacity; aws/aws-parallelcluster, FsxStorageCapacityValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE
from ...aws_lustre import deployment, nearest_sizes, storage_type
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3034", "lustre-size-between-steps", Severity.ERROR, __doc__, ("AWS FSX-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system."""
    for fs in ctx.aws.of_type(LUSTRE):
        kind, storage, said = deployment(fs), storage_type(fs), fs.get("storageCapacity")
        if not kind or not storage or late(said):
            yield Undecided(CODE.code, fs.name, "the type or the size is not known yet")
            continue
        size = number(said)
        throughput = number(fs.get("perUnitStorageThroughput"))
        if size is None:
            continue
        sizes = nearest_sizes(kind, storage, int(throughput) if throughput is not None else None, size)
        if sizes:
            choice = " or ".join(f"{s} GiB" for s in sizes)
            yield CODE.at(
                f"{fs.name}.storageCapacity",
                f"{size:g} GiB is not a size of {kind}",
                f"choose {choice}",
                resource=fs.name,
            )


_T = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{deploymentType: {0}, storageCapacity: {1}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("PERSISTENT_2", 7200), _T.format("SCRATCH_1", 3600)),
        (_T.format("PERSISTENT_2", 5000), _T.format("PERSISTENT_2", 3600)),
        (_T.format("PERSISTENT_2", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
