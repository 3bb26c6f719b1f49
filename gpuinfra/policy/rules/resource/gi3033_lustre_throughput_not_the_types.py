"""A Lustre throughput that the deployment type does not have.

What: `perUnitStorageThroughput` is not one of the type's values, is missing on a persistent type, or is given to a scratch type.
Why: FSx refuses it with 'throughput is invalid or does not meet the storage capacity requirement'.
Fix: PERSISTENT_2 takes 125, 250, 500 or 1000 MB/s per TiB; PERSISTENT_1 50, 100 or 200 (HDD 12 or 40); scratch types none.
References: hashicorp/terraform-provider-aws#24341; hashicorp/terraform-provider-aws#30226
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE
from ...aws_lustre import PERSISTENT_1, PERSISTENT_2, THROUGHPUTS, deployment, storage_type
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3033", "lustre-throughput-not-the-types", Severity.ERROR, __doc__, ("AWS FSX-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system."""
    for fs in ctx.aws.of_type(LUSTRE):
        kind, storage, said = deployment(fs), storage_type(fs), fs.get("perUnitStorageThroughput")
        if not kind or not storage or late(said):
            yield Undecided(CODE.code, fs.name, "the type or the throughput is not known yet")
        elif fault := _fault(fs, kind, storage, number(said)):
            yield CODE.at(f"{fs.name}.perUnitStorageThroughput", fault, resource=fs.name)


def _fault(fs: Resource, kind: str, storage: str, value: float | None) -> str:
    if storage == "HDD" and kind == PERSISTENT_2:
        return "storageType HDD does not exist on PERSISTENT_2; take SSD, or PERSISTENT_1"
    allowed = THROUGHPUTS.get((kind, storage), ())
    if not allowed:
        return f"{value:g} MB/s per TiB is given, and {kind} takes none" if value is not None else ""
    if value is None:
        needed = fs.get("throughputCapacity") is None and fs.get("backupId") is None
        return f"{kind} needs a throughput, one of {', '.join(map(str, allowed))}" if needed else ""
    if value in allowed:
        return ""
    near = min(allowed, key=lambda a: abs(a - value))
    text = f"{value:g} MB/s per TiB is not one of {kind}'s {', '.join(map(str, allowed))}; the nearest is {near}"
    other = PERSISTENT_1 if kind == PERSISTENT_2 else PERSISTENT_2
    return f"{text} ({value:g} belongs to {other})" if value in THROUGHPUTS.get((other, "SSD"), ()) else text


_T = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{deploymentType: {0}, storageCapacity: 2400, perUnitStorageThroughput: {1}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("PERSISTENT_2", 250), _T.format("SCRATCH_2", "null")),
        (_T.format("PERSISTENT_2", 200), _T.format("PERSISTENT_2", "null"), _T.format("SCRATCH_2", 125)),
        (_T.format("PERSISTENT_2", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
