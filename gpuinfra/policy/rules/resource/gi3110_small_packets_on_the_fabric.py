"""Networks of GPU machines with a small or mixed MTU.

What: A network of a machine type with a fabric has a smaller MTU than the type's, or the networks between the GPUs have different ones.
Why: With the default of 1460 bytes each transfer is cut into six times as many packets; two sizes in one job drop packets.
Fix: Set the network's mtu to the type's: 8896, on A3 High and Mega 8244.
References: GoogleCloudPlatform/cluster-toolkit#3175; Google Cloud docs, GPU machine types
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import Attachment, is_roce
from ...gcp_machines import Machines
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3110", "small-packets-on-the-fabric", Severity.WARNING, __doc__, ("GCP-NET-10",))
_DEFAULT = 1460


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each network that is too small, and one for each machine whose networks differ."""
    said: set[str] = set()
    shared = _shared(ctx)
    for m in ctx.gcp.machines:
        layout, attachments = m.layout, ctx.gcp.attachments(m)
        if layout is None or attachments is None or len(attachments) != len(layout.slots) or len(attachments) < 2:
            continue
        if any(a.late for a in attachments):
            yield from _unplaced(ctx, m, layout, said, shared)
            continue
        between: dict[float, str] = {}
        for a, slot in zip(attachments, layout.slots, strict=True):
            host = _host(m, a, slot)
            wanted = _wanted(layout, host=host)
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
            if size < min(wanted, shared.get(a.network.urn, wanted)) and a.network.urn not in said:
                said.add(a.network.urn)
                yield CODE.at(
                    f"{a.network.name}.mtu",
                    f"{size:g} bytes{'' if mtu is not None else ', the default'}; {m.machine_type} takes {wanted}",
                    resource=a.network.name,
                )
        if len(between) > 1 and min(between) >= (layout.mtu_gpu or 0):
            listed = " and ".join(f"{size:g} ('{name}')" for size, name in sorted(between.items()))
            yield CODE.at(m.interface(), f"the networks between the GPUs have MTUs of {listed}", resource=m.name)


def _unplaced(
    ctx: GraphContext, m: Machines, layout: catalog.NicLayout, said: set[str], shared: Mapping[str, int]
) -> Iterator[Diagnostic | Undecided]:
    """Networks of which preview does not know the interface: too small for every interface is too small."""
    least = min(layout.mtu_host, layout.mtu_gpu or layout.mtu_host)
    homes = ctx.gcp.homes(m) or ()
    # One of them may be the host's own; only preview cannot say which.
    if len({number(n.get("mtu")) or _DEFAULT for n in homes if not late(n.get("mtu"))}) > 1:
        yield Undecided(CODE.code, m.name, "which interface stands in which network is not known yet")
    for network in homes:
        mtu, wanted = network.get("mtu"), min(least, shared.get(network.urn, least))
        if late(mtu):
            yield Undecided(CODE.code, network.name, "the MTU is not known yet")
        elif not (mtu is None and is_roce(network)) and (number(mtu) or _DEFAULT) < wanted and network.urn not in said:
            said.add(network.urn)
            yield CODE.at(
                f"{network.name}.mtu",
                f"{number(mtu) or _DEFAULT:g} bytes{'' if mtu is not None else ', the default'}; {m.machine_type} takes "
                f"{least}",
                resource=network.name,
            )


def _wanted(layout: catalog.NicLayout, *, host: bool) -> int:
    return layout.mtu_host if host or layout.mtu_gpu is None else layout.mtu_gpu


def _host(m: Machines, a: Attachment, slot: catalog.NicSlot) -> bool:
    """Whether an interface is the host's own. The networks of a pool are in any order: there its kind says it."""
    if m.is_pool and m.layout is not None and m.layout.rdma_subnets:
        return a.network is None or not is_roce(a.network)
    return slot.network.startswith("host")


def _shared(ctx: GraphContext) -> dict[str, int]:
    """By network: the smallest of the sizes that its machines want. Machines that share a network and want different sizes
    can only have the smaller; a spec that asks for that is told so by GI2057."""
    least: dict[str, int] = {}

    def wants(urn: str, size: int) -> None:
        least[urn] = min(least.get(urn, size), size)

    for m in ctx.gcp.machines:
        layout, attachments = m.layout, ctx.gcp.attachments(m)
        if layout is None or attachments is None or len(attachments) != len(layout.slots) or len(attachments) < 2:
            continue
        if any(a.late for a in attachments):
            for network in ctx.gcp.homes(m) or ():
                wants(network.urn, min(layout.mtu_host, layout.mtu_gpu or layout.mtu_host))
            continue
        for a, slot in zip(attachments, layout.slots, strict=True):
            if a.network is not None:
                wants(a.network.urn, _wanted(layout, host=_host(m, a, slot)))
    return least


_T = """\
- {{type: gcp.compute.Network, name: n0, inputs: {{mtu: 8244}}}}
- {{type: gcp.compute.Network, name: n1, inputs: {{mtu: 8244}}}}
- {{type: gcp.compute.Network, name: n2, inputs: {{mtu: 8244}}}}
- {{type: gcp.compute.Network, name: n3, inputs: {{mtu: 8244}}}}
- {{type: gcp.compute.Network, name: n4, inputs: {{mtu: {0}}}}}
- type: gcp.compute.Instance
  name: box
  inputs:
    machineType: a3-highgpu-8g
    networkInterfaces:
      [{{network: !ref n0.id }}, {{network: !ref n1.id }}, {{network: !ref n2.id }}, {{network: !ref n3.id }},
       {{network: !ref n4.id }}]
"""

RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format("8244"),),
        (
            _T.format("null"),
            _T.format("8896"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
