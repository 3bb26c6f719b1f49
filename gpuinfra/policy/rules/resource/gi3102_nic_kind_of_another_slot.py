"""An interface of another kind than its slot takes.

What: The interfaces of a GPU machine are right in number and one of them has another `nicType` than the machine type has in that place.
Why: The order is the machine's own: GVNIC (or IDPF) first, the RDMA cards after. A machine with another order is refused.
Fix: Write the kinds in the order of the machine type.
References: dstackai/dstack#3142; Google Cloud docs, GPU machine types
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_interfaces import spelled_slots
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3102", "nic-kind-of-another-slot", Severity.ERROR, __doc__, ("GCP-NET-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine. An ordinary slot may leave its kind out: the cloud takes GVNIC there."""
    for m in ctx.gcp.vms:
        layout, attachments = m.layout, ctx.gcp.attachments(m)
        if layout is None or attachments is None or len(layout.slots) != len(attachments) or len(attachments) < 2:
            continue
        if any(a.kind_unknown for a in attachments):
            yield Undecided(CODE.code, m.name, "the kind of an interface is not known yet")
            continue
        wrong = [
            (a, slot.nic_type)
            for a, slot in zip(attachments, layout.slots, strict=True)
            if a.kind != slot.nic_type and (a.kind or slot.nic_type != "GVNIC")
        ]
        if wrong:
            first, want = wrong[0]
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            yield CODE.at(
                m.path(f"networkInterfaces[{first.index}].nicType"),
                f"{first.kind or 'no kind'} where {m.machine_type} has {want}{more}; its order is {spelled_slots(layout)}",
                resource=m.name,
            )


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs:
    machineType: a4x-highgpu-4g
    networkInterfaces:
      [{{nicType: GVNIC}}, {{}}, {{nicType: MRDMA}}, {{nicType: MRDMA}}, {{nicType: MRDMA}}, {{nicType: {0}}}]
"""


RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format("MRDMA"),),
        (
            _T.format("GVNIC"),
            _T.format("null"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
