"""A port of administration that the whole internet may reach.

What: A firewall rule lets 0.0.0.0/0 or ::/0 in to SSH (22), RDP (3389), Jupyter (8888) or the Kubernetes API (6443), or to another port of GPU machines. A rule that names no source means every source.
Severity: warning for another port
Why: GPU nodes are found by scanners within minutes, and are worth stealing.
Fix: Name the addresses that need to come in, or let people in through IAP alone: 35.235.240.0/20 on port 22.
References: CIS Google Cloud Foundations Benchmark 3.6 and 3.7; Google Cloud docs, Identity-Aware Proxy for TCP
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_firewall import WORLD, admin_ports, from_where, openings_unknown, opens_ports
from ...gcp_types import FIREWALL, NETWORK, last_part
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import truth

CODE = described("GI3113", "world-reaches-an-admin-port", Severity.ERROR, __doc__, ("GCP-NET-13",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each rule."""
    for r in ctx.gcp.of_type(FIREWALL):
        ports = admin_ports(r)
        if r.get("direction") == "EGRESS" or truth(r.get("disabled")):
            continue
        sources = from_where(r)
        if not ports and openings_unknown(r) and (sources is None or any(s in WORLD for s in sources)):
            yield Undecided(CODE.code, r.name, "which ports it opens is not known yet")
            continue
        if not ports and not (opens_ports(r) and _holds_gpus(ctx, r)):
            continue
        if sources is None:
            yield Undecided(CODE.code, r.name, "who may come in is not known yet")
        elif world := [s for s in sources if s in WORLD]:
            what = f"port {', '.join(map(str, ports))} is" if ports else "ports of GPU machines are"
            yield CODE.at(
                f"{r.name}.sourceRanges",
                f"{what} open to {world[0]}, the whole internet",
                resource=r.name,
                severity=None if ports else Severity.WARNING,
            )


def _holds_gpus(ctx: GraphContext, rule: Resource) -> bool:
    """Whether a machine with GPUs stands in the network of a rule, as far as can be seen."""
    links = ctx.gcp.linked(rule, "network", NETWORK)
    names = {last_part(n) for n in links.foreign}
    return any(
        any(ctx.gcp.reaches(m, n) for n in links.resources) or any(a.key in names for a in ctx.gcp.attachments(m) or ())
        for m in ctx.gcp.vms
        if m.has_gpus
    )


_T = """\
- type: gcp.compute.Firewall
  name: ssh
  inputs: {{network: default, sourceRanges: {0}, allows: [{{protocol: tcp, ports: ["{1}"]}}]}}
"""
_GPU = """\
- {type: gcp.compute.Instance, name: box, inputs: {machineType: g2-standard-8, networkInterfaces: [{network: default}]}}
"""


RULE = ResourceRule(
    CODE,
    ("network", "security"),
    check,
    Examples(
        (
            _T.format("[35.235.240.0/20]", 22),
            _T.format("[0.0.0.0/0]", 443),
        ),
        (
            _T.format("[0.0.0.0/0]", 22),
            _T.format("null", 8888),
            _T.format('["::/0"]', "20-30"),
            _T.format("[0.0.0.0/0]", 988) + _GPU,
        ),
        (_T.format("!unknown ", 22),),
    ),
    providers=(Provider.GCP,),
)
