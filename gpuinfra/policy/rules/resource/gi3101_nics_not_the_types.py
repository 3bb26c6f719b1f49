"""A number of network interfaces that is not the machine type's.

What: An instance or template lists more or fewer interfaces than its GPU machine type has.
Why: The larger GPU machines have a fixed set: two or nine ordinary interfaces, or two and one for each RDMA card. With another number the machine does not start, or runs at a part of its bandwidth.
Fix: Write one interface for each slot of the type, in its order.
References: dstackai/dstack#3142; NVIDIA/aicr#1662; Google Cloud docs, GPU machine types
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_interfaces import spelled_slots
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3101", "nics-not-the-types", Severity.ERROR, __doc__, ("GCP-NET-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine. One ordinary interface alone is a choice where no RDMA slot is left out."""
    for m in ctx.gcp.vms:
        if m.type_unknown:
            yield Undecided(CODE.code, m.name, "the machine type is not known yet")
        layout, listed = m.layout, m.interfaces
        if layout is None or len(layout.slots) < 2:
            continue
        if listed is None:
            yield Undecided(CODE.code, m.name, "the network interfaces are not known yet")
            continue
        alone = len(listed) == 1 and not layout.rdma_subnets and not layout.network_profile_suffix
        if listed and len(listed) != len(layout.slots) and not alone:
            yield CODE.at(
                m.path("networkInterfaces"),
                f"{len(listed)} interfaces, and {m.machine_type} takes {len(layout.slots)}: {spelled_slots(layout)}",
                resource=m.name,
            )


_GVNIC, _MRDMA = "{nicType: GVNIC}", "{nicType: MRDMA}"
_T = """\
- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: a4x-highgpu-4g, networkInterfaces: {0}}}}}
"""


RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (
            _T.format(f"[{_GVNIC}, {_GVNIC}, {_MRDMA}, {_MRDMA}, {_MRDMA}, {_MRDMA}]"),
            _T.format("[]"),
        ),
        (
            _T.format(f"[{_GVNIC}, {_GVNIC}, {_MRDMA}]"),
            _T.format(f"[{_GVNIC}]"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
