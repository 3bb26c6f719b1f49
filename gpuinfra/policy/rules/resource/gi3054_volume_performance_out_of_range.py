"""A volume whose IOPS or throughput EBS does not sell.

What: IOPS or throughput of a gp3, io1 or io2 volume are out of range, or out of proportion to its size or to each other.
Why: Preview checks the throughput of gp3 only; the rest fails at the launch of each node, inside the group.
Fix: gp3: 3000–16000 IOPS and at most 500 per GiB, 125–1000 MiB/s and at most 0.25 per IOPS; io1: 100–64000, at most 50 per GiB; io2: 100–256000, at most 1000 per GiB.
References: EBS User Guide, volume types; aws/aws-parallelcluster, EbsVolumeIopsValidator
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_volumes import volumes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, plain

CODE = described("GI3054", "volume-performance-out-of-range", Severity.ERROR, __doc__, ("AWS CMP-08",))
_IOPS = {"gp3": (3000, 16000, 500), "io1": (100, 64000, 50), "io2": (100, 256000, 1000)}
"""Fewest, most, and most per GiB."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each volume and fault."""
    for owner, path, ebs in volumes(ctx.aws):
        values = {k: plain(ebs.get(k)) for k in ("volumeType", "type", "iops", "throughput", "volumeSize", "size")}
        if any(late(v) for v in values.values()):
            yield Undecided(CODE.code, owner.name, "the volume is not known yet")
            continue
        for key, fault in _faults(values):
            yield CODE.at(f"{owner.name}.{path}{key}", fault, resource=owner.name)


def _faults(v: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    kind = str(v["volumeType"] or v["type"] or "gp2")
    size, iops, throughput = number(v["volumeSize"] or v["size"]), number(v["iops"]), number(v["throughput"])
    if kind in _IOPS and iops is not None:
        low, high, ratio = _IOPS[kind]
        if not low <= iops <= high:
            yield "iops", f"{iops:g} IOPS; {kind} takes {low} to {high}"
        elif size is not None and iops > low and iops > ratio * size:
            yield (
                "iops",
                f"{iops:g} IOPS on {size:g} GiB; {kind} takes {ratio} for each GiB, so {ratio * size:g} at most",
            )
    if kind == "gp3" and throughput is not None:
        if not 125 <= throughput <= 1000:
            yield "throughput", f"{throughput:g} MiB/s; gp3 takes 125 to 1000"
        elif throughput > 0.25 * (iops or 3000):
            yield (
                "throughput",
                f"{throughput:g} MiB/s with {iops or 3000:g} IOPS; gp3 takes 0.25 MiB/s for each IOPS, so "
                f"{0.25 * (iops or 3000):g} at most",
            )
    elif throughput is not None and kind in ("gp2", "io1", "io2", "st1", "sc1"):
        yield "throughput", f"{throughput:g} MiB/s is given, and {kind} takes no throughput"


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{blockDeviceMappings: [{{ebs: {{volumeType: gp3, volumeSize: 200, iops: {0}, throughput: {1}}}}}]}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples((_T.format(4000, 1000),), (_T.format(99999, 125), _T.format(3000, 1000)), (_T.format("!unknown ", 125),)),
    providers=(Provider.AWS,),
)
