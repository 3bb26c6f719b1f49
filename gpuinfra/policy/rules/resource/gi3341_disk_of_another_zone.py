"""A disk that stands in another zone than its machine.

What: A zonal disk of this program is attached to an instance of another zone.
Why: Compute Engine refuses the attachment when disk and machine are made already, and both bill.
Fix: Make the disk in the machine's zone; for two zones take a regional disk.
References: Google Cloud docs, add a persistent disk to your VM; Google Cloud docs, Hyperdisk, restrictions
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import GcpGraph
from ...gcp_types import ATTACHED_DISK, DISK, INSTANCE, last_part
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, plain

# An error, though the row warns: a file system in another zone is slow, and a disk is refused.
CODE = described("GI3341", "disk-of-another-zone", Severity.ERROR, __doc__, ("GCP-STO-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each disk whose machines stand elsewhere."""
    gcp = ctx.gcp
    said: set[str] = set()
    for disk, box in _attached(gcp):
        # The zone of one is read from the other: they are the same.
        if _from(gcp, disk, box) or _from(gcp, box, disk):
            continue
        stands, other = plain(disk.get("zone")), plain(box.get("zone"))
        if late(stands) or late(other):
            yield Undecided(CODE.code, disk.name, "the zone of the disk or of the machine is not known yet")
        elif (
            isinstance(stands, str)
            and isinstance(other, str)
            and last_part(stands) != last_part(other)
            and disk.urn not in said
        ):
            said.add(disk.urn)
            yield CODE.at(
                f"{disk.name}.zone",
                f"the disk stands in {last_part(stands)}, and machine '{box.name}' in {last_part(other)}",
                resource=disk.name,
            )


def _attached(gcp: GcpGraph) -> Iterator[tuple[Resource, Resource]]:
    for box in gcp.of_type(INSTANCE):
        sources = [d.get("source") for d in entries(box.get("attachedDisks"))]
        for disk in gcp.link(box, "attachedDisks", sources, DISK).resources:
            yield disk, box
        for disk in gcp.link(box, "bootDisk", box.get("bootDisk", "source"), DISK).resources:
            yield disk, box
    for joint in gcp.of_type(ATTACHED_DISK):
        for disk in gcp.linked(joint, "disk", DISK).resources:
            for box in gcp.linked(joint, "instance", INSTANCE).resources:
                yield disk, box


def _from(gcp: GcpGraph, one: Resource, other: Resource) -> bool:
    return any(r.urn == other.urn for r in gcp.linked(one, "zone").resources)


_T = """\
- {{type: gcp.compute.Disk, name: data, inputs: {{zone: {0}, type: pd-ssd, size: 500}}}}
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: e2-standard-4, zone: us-central1-a, attachedDisks: [{{source: !ref data.id }}]}}
"""
_JOINT = """\
- {{type: gcp.compute.Disk, name: data, inputs: {{zone: {0}, type: pd-ssd, size: 500}}}}
- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: e2-standard-4, zone: us-central1-a}}}}
- {{type: gcp.compute.AttachedDisk, name: link, inputs: {{disk: !ref data.id , instance: !ref box.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("us-central1-a"), _JOINT.format("us-central1-a"), _JOINT.format("!ref box.zone ")),
        (_T.format("us-central1-b"), _JOINT.format("us-central1-f")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
