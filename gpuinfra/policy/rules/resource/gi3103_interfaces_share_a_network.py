"""Two ordinary interfaces in one network.

What: Two interfaces of a machine that are no RDMA cards stand in the same VPC network.
Why: Google refuses the machine: networks must be distinct for the interfaces of one machine. An RDMA network is the one exception.
Fix: Make one network with one subnet for each ordinary interface.
References: hashicorp/terraform-provider-google#8269; F5Networks/f5-google-gdm-templates#2
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import Attachment, is_roce, profile_unknown
from ...gcp_interfaces import RDMA_KINDS, cards_astray
from ...gcp_machines import Machines
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3103", "interfaces-share-a-network", Severity.ERROR, __doc__, ("GCP-NET-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine, at the first interface that repeats a network."""
    for m in ctx.gcp.machines:
        if cards_astray(ctx.gcp, m):
            continue
        seen: dict[str, int] = {}
        unknown = False
        for a in ctx.gcp.attachments(m) or ():
            if _is_card(m, a) or a.kind_unknown or (a.network is not None and is_roce(a.network)):
                continue
            if not a.key:
                unknown = unknown or any(late(plain(a.raw.get(k))) for k in ("network", "subnetwork"))
            elif a.key in seen:
                name = a.network.name if a.network is not None else a.key
                yield CODE.at(
                    m.interface(a.index),
                    f"interfaces {seen[a.key]} and {a.index} both stand in network '{name}'; each needs its own",
                    resource=m.name,
                )
                break
            seen.setdefault(a.key, a.index)
        else:
            if unknown and len(ctx.gcp.attachments(m) or ()) > 1:
                yield from _by_number(ctx, m)


def _is_card(m: Machines, a: Attachment) -> bool:
    """Whether an interface is an RDMA card, or stands where the type has one: its wrong kind is another rule's."""
    slots = m.layout.slots if m.layout is not None and not m.is_pool else ()
    return a.kind in RDMA_KINDS or (
        len(slots) == len(m.interfaces or ()) and a.index < len(slots) and slots[a.index].nic_type in RDMA_KINDS
    )


def _by_number(ctx: GraphContext, m: Machines) -> Iterator[Diagnostic | Undecided]:
    """Where preview does not know which interface stands where: each network that is traced has one at least, so that as
    many networks as ordinary interfaces are one for each, and fewer are shared."""
    homes = ctx.gcp.homes(m)
    ordinary = [a for a in ctx.gcp.attachments(m) or () if not _is_card(m, a)]
    plain_ones = [n for n in homes or () if not is_roce(n)]
    if homes is None or any(a.kind_unknown for a in ordinary) or any(map(profile_unknown, homes)):
        yield Undecided(CODE.code, m.name, "the network of an interface is not known yet")
    elif len(plain_ones) < len(ordinary):
        yield CODE.at(
            m.interface(),
            f"{len(ordinary)} interfaces stand in {len(plain_ones)} networks; each needs its own",
            resource=m.name,
        )


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: n1-standard-8, networkInterfaces: [{{network: default}}, {{network: {0}}}]}}
"""


RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format("other"),),
        (
            _T.format("default"),
            _T.format("projects/acme-lab/global/networks/default"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
