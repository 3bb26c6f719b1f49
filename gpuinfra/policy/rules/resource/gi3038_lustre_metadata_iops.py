"""Metadata IOPS that FSx does not sell, or too few for the size.

What: metadataConfiguration.iops is not 1500, 3000, 6000 or a multiple of 12000 up to 192000, or is below the least for the capacity.
Why: FSx refuses it; and a capacity that grows past the least fails in the middle of an update.
Fix: Take the next value that is sold, or mode AUTOMATIC; raise the IOPS before the capacity.
References: hashicorp/terraform-provider-aws#44432; FSx for Lustre User Guide, metadata performance
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE
from ...aws_lustre import METADATA_IOPS, METADATA_MAX, METADATA_STEP, least_metadata_iops
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3038", "lustre-metadata-iops", Severity.ERROR, __doc__, ("AWS FSX-07",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system with metadata of its own."""
    for fs in ctx.aws.of_type(LUSTRE):
        said = fs.get("metadataConfiguration", "iops")
        if late(said) or late(fs.get("metadataConfiguration", "mode")):
            yield Undecided(CODE.code, fs.name, "the metadata configuration is not known yet")
        elif fault := _fault(fs, number(said)):
            yield CODE.at(f"{fs.name}.metadataConfiguration.iops", fault, resource=fs.name)
        elif said is not None and late(fs.get("storageCapacity")):
            yield Undecided(
                CODE.code, fs.name, "the size, which says how many metadata IOPS it needs, is not known yet"
            )


def _fault(fs: Resource, iops: float | None) -> str:
    mode = fs.get("metadataConfiguration", "mode")
    if iops is None:
        return "mode USER_PROVISIONED needs iops" if mode == "USER_PROVISIONED" else ""
    if mode == "AUTOMATIC":
        return f"mode AUTOMATIC takes no iops, and {iops:g} is given"
    sold = iops in METADATA_IOPS or (iops > 0 and iops % METADATA_STEP == 0 and iops <= METADATA_MAX)
    if not sold:
        steps = [*METADATA_IOPS, *range(METADATA_STEP, METADATA_MAX + 1, METADATA_STEP)]
        return f"{iops:g} metadata IOPS are not sold; the nearest is {min(steps, key=lambda s: abs(s - iops))}"
    size = number(fs.get("storageCapacity"))
    least = least_metadata_iops(size) if size is not None else 0
    return f"{iops:g} metadata IOPS are too few for {size:g} GiB, which needs {least}" if iops < least else ""


_T = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs:
    deploymentType: PERSISTENT_2
    storageCapacity: 4800
    metadataConfiguration: {{mode: USER_PROVISIONED, iops: {0}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format(6000), _T.format(24000)), (_T.format(5000), _T.format(1500)), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
