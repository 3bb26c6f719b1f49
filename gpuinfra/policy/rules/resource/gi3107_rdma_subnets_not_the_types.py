"""RDMA subnets that do not fit the machine type.

What: The RDMA network has another number of subnets than the machine type has RDMA cards, two cards share a subnet, or a bare metal network has subnets or interfaces of the wrong kind.
Why: Each card stands in a subnet of its own: eight for A3 Ultra and A4, four for A4X. The network of a bare metal type makes its own subnet, and its cards speak IPv6 only.
Fix: Declare one subnet for each card; for bare metal none, and interfaces of stackType IPV6_ONLY on default-subnet-1-<network>.
References: GoogleCloudPlatform/cluster-toolkit:modules/network/gpu-rdma-vpc; dstackai/dstack#3142
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import Attachment, is_roce
from ...gcp_interfaces import RDMA_KINDS, is_metal
from ...gcp_machines import Machines, has_rdma
from ...gcp_types import NETWORK
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3107", "rdma-subnets-not-the-types", Severity.ERROR, __doc__, ("GCP-NET-07",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each RDMA network and each machine."""
    for network in ctx.gcp.of_type(NETWORK):
        if not is_roce(network):
            continue
        subnets = ctx.gcp.subnets_of(network)
        if is_metal(network):
            if subnets:
                yield CODE.at(
                    subnets[0].name,
                    f"bare metal network '{network.name}' makes its own subnet and takes no other",
                    resource=subnets[0].name,
                )
            continue
        for m in ctx.gcp.machines:
            attachments = ctx.gcp.attachments(m)
            # How many networks a pool names is another rule's.
            if m.is_pool and (attachments is None or m.layout is None or len(attachments) != len(m.layout.slots)):
                continue
            if attachments is None:
                yield Undecided(CODE.code, m.name, "the network interfaces are not known yet")
                continue
            wanted = m.layout.rdma_subnets if m.layout is not None else len(subnets)
            if len(subnets) != wanted and ctx.gcp.reaches(m, network):
                yield CODE.at(
                    network.name,
                    f"{len(subnets)} subnets, and {m.machine_type} ('{m.name}') needs {wanted}, one for each RDMA card",
                    resource=network.name,
                )
                break
    for m in ctx.gcp.machines:
        cards = [a for a in ctx.gcp.attachments(m) or () if a.kind in RDMA_KINDS]
        yield from _cards(m, cards)
        # Preview shows of an interface neither subnet nor network: where there are enough for all, each has its own.
        if has_rdma(m) and any(a.kind_unknown for a in ctx.gcp.attachments(m) or ()):
            yield Undecided(CODE.code, m.name, "the kind of an interface is not known yet")
        elif any(a.late for a in cards) and len(ctx.gcp.subnets_reached(m)) < len(cards):
            yield Undecided(CODE.code, m.name, "which RDMA interface stands in which subnet is not known yet")


def _cards(m: Machines, cards: list[Attachment]) -> Iterator[Diagnostic | Undecided]:
    # GKE gives the cards their stack by itself.
    metal = not m.is_pool and m.layout is not None and m.layout.network_profile_suffix.endswith("-metal")
    seen: dict[str, int] = {}
    for a in cards:
        stack = plain(a.raw.get("stackType"))
        if metal and late(stack):
            yield Undecided(CODE.code, m.name, "the stack of an RDMA card is not known yet")
        elif metal and stack != "IPV6_ONLY":
            yield CODE.at(
                f"{m.interface(a.index)}.stackType",
                f"{stack or 'absent'}; the RDMA cards of {m.machine_type} speak IPV6_ONLY",
                resource=m.name,
            )
            return
        if a.subnet is not None and not metal:
            if a.subnet.urn in seen:
                yield CODE.at(
                    f"{m.interface(a.index)}.subnetwork",
                    f"RDMA interfaces {seen[a.subnet.urn]} and {a.index} share subnet '{a.subnet.name}'",
                    resource=m.name,
                )
                return
            seen[a.subnet.urn] = a.index


_T = """\
- type: gcp.compute.Network
  name: rdma
  inputs: {{networkProfile: projects/acme-lab/global/networkProfiles/us-central1-b-vpc-{1}}}
- {{type: gcp.compute.Subnetwork, name: r0, inputs: {{network: !ref rdma.id }}}}
- {{type: gcp.compute.Subnetwork, name: r1, inputs: {{network: !ref rdma.id }}}}
- {{type: gcp.compute.Subnetwork, name: r2, inputs: {{network: !ref rdma.id }}}}
- {{type: gcp.compute.Subnetwork, name: r3, inputs: {{network: !ref rdma.id }}}}
- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: a4x-highgpu-4g, networkInterfaces: {0}}}}}
"""
_CARD = "{{nicType: MRDMA, subnetwork: !ref r{0}.id }}"
_ALL = ", ".join(_CARD.format(i) for i in range(4))
_METAL = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: a4x-maxgpu-4g-metal, networkInterfaces: [{{nicType: MRDMA, stackType: {0}}}]}}
"""


RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (
            _T.format(f"[{_ALL}]", "roce"),
            _METAL.format("IPV6_ONLY"),
        ),
        (
            _T.format(f"[{_ALL}, {_CARD.format(3)}]", "roce"),
            _T.format("[]", "roce-metal"),
            _METAL.format("IPV4_ONLY"),
        ),
        (_T.format("!unknown ", "roce"),),
    ),
    providers=(Provider.GCP,),
)
