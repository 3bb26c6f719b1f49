"""Networks of GPU machines with a small or mixed MTU.

What: A network of a machine type with a fabric has a smaller MTU than the type's, or the networks between the GPUs have different ones.
Why: With the default of 1460 bytes each transfer is cut into six times as many packets; two sizes in one job drop packets.
Fix: Set the network's mtu to the type's: 8896, on A3 High and Mega 8244.
References: GoogleCloudPlatform/cluster-toolkit#3175; Google Cloud docs, GPU machine types
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import NicLayout, NicSlot
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import is_roce
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3110", "small-packets-on-the-fabric", Severity.WARNING, __doc__, ("GCP GCP-NET-10",))
_DEFAULT = 1460


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each network that is too small, and one for each machine whose networks differ."""
    said: set[str] = set()
    least = _least_wanted(ctx)
    for m in ctx.gcp.vms:
        layout, attachments = m.layout, ctx.gcp.attachments(m)
        if layout is None or attachments is None or len(attachments) != len(layout.slots) or len(attachments) < 2:
            continue
        between: dict[float, str] = {}
        for a, slot in zip(attachments, layout.slots, strict=True):
            host = slot.network.startswith("host")
            wanted = _wanted(layout, slot)
            # An RDMA network that names no MTU takes its profile's.
            if a.network is None or (is_roce(a.network) and a.network.get("mtu") is None):
                continue
            mtu = a.network.get("mtu")
            if late(mtu):
                yield Undecided(CODE.code, a.network.name, "the MTU is not known yet")
                continue
            size = number(mtu) or _DEFAULT
            if not host:
                between.setdefault(size, a.network.name)
            # Machines that share a network and want different sizes can only have the smaller.
            if size < least.get(a.network.urn, wanted) and a.network.urn not in said:
                said.add(a.network.urn)
                yield CODE.at(
                    f"{a.network.name}.mtu",
                    f"{size:g} bytes{'' if mtu is not None else ', the default'}; {m.machine_type} takes {wanted}",
                    resource=a.network.name,
                )
        if len(between) > 1 and min(between) >= (layout.mtu_gpu or 0):
            listed = " and ".join(f"{size:g} ('{name}')" for size, name in sorted(between.items()))
            yield CODE.at(
                m.path("networkInterfaces"), f"the networks between the GPUs have MTUs of {listed}", resource=m.name
            )


def _wanted(layout: NicLayout, slot: NicSlot) -> int:
    return layout.mtu_host if slot.network.startswith("host") or layout.mtu_gpu is None else layout.mtu_gpu


def _least_wanted(ctx: GraphContext) -> dict[str, int]:
    """By network: the smallest of the sizes that its machines want."""
    least: dict[str, int] = {}
    for m in ctx.gcp.vms:
        layout, attachments = m.layout, ctx.gcp.attachments(m)
        if layout is None or attachments is None or len(attachments) != len(layout.slots) or len(attachments) < 2:
            continue
        for a, slot in zip(attachments, layout.slots, strict=True):
            if a.network is not None:
                wanted = _wanted(layout, slot)
                least[a.network.urn] = min(least.get(a.network.urn, wanted), wanted)
    return least


_NETS = "".join(
    f"- {{type: gcp.compute.Network, name: n{i}, inputs: {{mtu: {{0}}}}}}\n".replace("{0}", "8244") for i in range(4)
)
_T = (
    _NETS
    + """\
- {{type: gcp.compute.Network, name: n4, inputs: {{mtu: {0}}}}}
- type: gcp.compute.Instance
  name: box
  inputs:
    machineType: a3-highgpu-8g
    networkInterfaces:
      [{{network: !ref n0.id }}, {{network: !ref n1.id }}, {{network: !ref n2.id }}, {{network: !ref n3.id }},
       {{network: !ref n4.id }}]
""".replace("{{", "{").replace("}}", "}")
)


RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.replace("{0}", "8244"),),
        (
            _T.replace("{0}", "null"),
            _T.replace("{0}", "8896"),
        ),
        (_T.replace("{0}", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
