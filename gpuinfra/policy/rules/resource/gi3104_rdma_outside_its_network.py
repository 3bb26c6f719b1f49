"""An RDMA interface outside an RDMA network.

What: An MRDMA interface stands in a network without a `vpc-roce` profile, the RDMA interfaces of a machine are spread over networks, or an ordinary interface stands in an RDMA network.
Why: RDMA cards attach only to a network that was made with the profile of their zone, all of one machine to the same one, and nothing else may attach to it.
Fix: Make one network with networkProfile projects/<project>/global/networkProfiles/<zone>-vpc-roce (bare metal: -vpc-roce-metal), one subnet for each RDMA card, and attach the RDMA interfaces to it, the others elsewhere.
References: GoogleCloudPlatform/cluster-toolkit:modules/network/gpu-rdma-vpc; Google Cloud docs, RDMA network profiles
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import Attachment, is_roce, profile, profile_unknown
from ...gcp_interfaces import RDMA_KINDS
from ...gcp_machines import Machines, has_rdma
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3104", "rdma-outside-its-network", Severity.ERROR, __doc__, ("GCP-NET-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine, with every fault of its interfaces."""
    for m in ctx.gcp.machines:
        attachments = ctx.gcp.attachments(m)
        if attachments is None:
            if has_rdma(m):
                yield Undecided(CODE.code, m.name, "the network interfaces are not known yet")
            continue
        rdma = [a for a in attachments if a.kind in RDMA_KINDS]
        homes = ctx.gcp.homes(m)
        lost = any(not a.key and a.late for a in rdma)
        if lost and homes is not None and not any(profile_unknown(n) or profile(n) for n in homes):
            yield CODE.at(
                m.interface(),
                f"{len(rdma)} RDMA interfaces, and no network of theirs has an RDMA profile: "
                f"{', '.join(n.name for n in homes)}",
                resource=m.name,
            )
        elif lost or any(a.network is not None and profile_unknown(a.network) for a in rdma):
            yield Undecided(CODE.code, m.name, "the network of an RDMA interface is not known yet")
        faults = list(dict.fromkeys((*_faults(m, attachments), *_none_is(m, attachments, homes))))
        if faults:
            yield CODE.at(m.interface(), "; ".join(faults), resource=m.name)
        elif any(a.network is not None and _unsure(a, a.network) for a in attachments):
            yield Undecided(CODE.code, m.name, "the kind of an interface, or its network's profile, is not known yet")


def _unsure(a: Attachment, network: Resource) -> bool:
    """Whether it cannot be told yet that an interface and its network are for RDMA, both or neither."""
    return (a.kind_unknown and has_profile(network)) or (profile_unknown(network) and a.kind not in RDMA_KINDS)


def has_profile(network: Resource) -> bool:
    """Whether a network has a profile, known or not."""
    return profile(network) is not None or profile_unknown(network)


def _faults(m: Machines, attachments: tuple[Attachment, ...]) -> Iterator[str]:
    homes = dict.fromkeys(a.key for a in attachments if a.kind in RDMA_KINDS and a.key)
    if len(homes) > 1:
        yield f"the RDMA interfaces stand in {len(homes)} networks, and must share one"
    if m.is_pool:
        yield from _too_few(m, attachments)
    slots = m.layout.slots if m.layout is not None and len(m.layout.slots) == len(attachments) else ()
    for a in attachments:
        if a.network is None or profile_unknown(a.network):
            continue
        # An interface of the wrong kind in the right place is another rule's.
        if slots and a.kind != slots[a.index].nic_type and slots[a.index].nic_type in RDMA_KINDS:
            continue
        found = profile(a.network)
        if a.kind in RDMA_KINDS and found is None:
            yield f"'{a.network.name}' has RDMA interfaces and no RDMA profile"
        elif a.kind in RDMA_KINDS and found is not None and m.layout is not None:
            want = m.layout.network_profile_suffix
            if want and found[1] != want:
                yield f"'{a.network.name}' has the profile of {found[1]}, and {m.machine_type} needs {want}"
        elif a.kind and a.kind not in RDMA_KINDS and found is not None and is_roce(a.network):
            yield f"{a.kind} interface {a.index} stands in RDMA network '{a.network.name}', which takes RDMA cards only"


def _none_is(m: Machines, attachments: tuple[Attachment, ...], homes: tuple[Resource, ...] | None) -> Iterator[str]:
    """Where preview does not know which network of a pool is which: none of them is one for its RDMA cards."""
    if not m.is_pool or not has_rdma(m) or m.layout is None or len(attachments) != len(m.layout.slots):
        return
    if homes and any(a.late for a in attachments) and not any(is_roce(n) or profile_unknown(n) for n in homes):
        yield (
            f"none of the networks has the profile {m.layout.network_profile_suffix} that the RDMA cards of "
            f"{m.machine_type} need: {', '.join(n.name for n in homes)}"
        )


def _too_few(m: Machines, attachments: tuple[Attachment, ...]) -> Iterator[str]:
    """What is wrong with a pool whose networks are as many as its type has cards, and too few of them for RDMA."""
    if m.layout is None or len(attachments) != len(m.layout.slots) or any(a.kind_unknown for a in attachments):
        return
    want = sum(s.nic_type in RDMA_KINDS for s in m.layout.slots)
    found = sum(a.kind in RDMA_KINDS for a in attachments)
    if found < want:
        yield (
            f"{found} of the networks are of one with the profile {m.layout.network_profile_suffix}, and "
            f"{m.machine_type} has {want} RDMA cards"
        )
    elif found > want:
        yield f"{found} of the networks are of an RDMA network, and {m.machine_type} has {want} RDMA cards"


_T = """\
- {{type: gcp.compute.Network, name: rdma, inputs: {{networkProfile: {0}}}}}
- {{type: gcp.compute.Subnetwork, name: r0, inputs: {{network: !ref rdma.id }}}}
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: a4-highgpu-8g, networkInterfaces: [{{subnetwork: !ref r0.id , nicType: {1}}}]}}
"""
_PROFILE = "projects/acme-lab/global/networkProfiles/us-central1-b-vpc-{0}"


RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (
            _T.format(_PROFILE.format("roce"), "MRDMA"),
            _T.format("null", "GVNIC"),
        ),
        (
            _T.format("null", "MRDMA"),
            _T.format(_PROFILE.format("roce"), "GVNIC"),
            _T.format(_PROFILE.format("roce-metal"), "MRDMA"),
        ),
        (_T.format("!unknown ", "MRDMA"),),
    ),
    providers=(Provider.GCP,),
)
