"""A port of administration that the whole internet may reach.

What: A firewall rule lets 0.0.0.0/0 or ::/0, or ranges that together come to it, in to SSH (22), RDP (3389), Jupyter (8888) or the Kubernetes API (6443), or to another port of GPU machines of its network, those of its tags where it names some. A rule that names no source means every source.
Severity: warning for another port
Why: GPU nodes are found by scanners within minutes, and are worth stealing.
Fix: Name the addresses that need to come in, or let people in through IAP alone: 35.235.240.0/20 on port 22.
References: CIS Google Cloud Foundations Benchmark 3.6 and 3.7; Google Cloud docs, Identity-Aware Proxy for TCP
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_firewall import admin_ports, for_machine, from_where, openings_unknown, opens_ports
from ...gcp_types import FIREWALL, NETWORK, last_part
from ...internet_ranges import open_to
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
        world = open_to(sources or ())
        if not ports and openings_unknown(r) and (sources is None or world):
            yield Undecided(CODE.code, r.name, "which ports it opens is not known yet")
            continue
        gpus = True if ports else opens_ports(r) and _holds_gpus(ctx, r)
        if gpus is False:
            continue
        if gpus is None and (sources is None or world):
            yield Undecided(CODE.code, r.name, "which machines it is for is not known yet")
            continue
        if sources is None:
            yield Undecided(CODE.code, r.name, "who may come in is not known yet")
        elif world:
            what = f"port {', '.join(map(str, ports))} is" if ports else "ports of GPU machines are"
            yield CODE.at(
                f"{r.name}.sourceRanges",
                f"{what} open to {world}",
                resource=r.name,
                severity=None if ports else Severity.WARNING,
            )


def _holds_gpus(ctx: GraphContext, rule: Resource) -> bool | None:
    """Whether a rule is for a machine with GPUs in its network, as far as can be seen. None where it is for the machines
    of a tag or an account, and not known which."""
    links = ctx.gcp.linked(rule, "network", NETWORK)
    names = {last_part(n) for n in links.foreign}
    there = [
        m
        for m in ctx.gcp.vms
        if m.has_gpus
        and (
            any(ctx.gcp.reaches(m, n) for n in links.resources)
            or any(a.key in names for a in ctx.gcp.attachments(m) or ())
        )
    ]
    found = [for_machine(rule, m) for m in there]
    return True if True in found else None if None in found else False


_T = """\
- type: gcp.compute.Firewall
  name: ssh
  inputs: {{network: default, sourceRanges: {0}, allows: [{{protocol: tcp, ports: ["{1}"]}}]}}
"""
_GPU = """\
- {type: gcp.compute.Instance, name: box, inputs: {machineType: g2-standard-8, networkInterfaces: [{network: default}]}}
"""
_WEB = """\
- type: gcp.compute.Firewall
  name: web
  inputs: {{network: default, sourceRanges: [0.0.0.0/0], allows: [{{protocol: tcp, ports: ["443"]}}], targetTags: {0}}}
"""
_TAGGED = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: g2-standard-8, networkInterfaces: [{{network: default}}], tags: {0}}}
"""


RULE = ResourceRule(
    CODE,
    ("network", "security"),
    check,
    Examples(
        (
            _T.format("[35.235.240.0/20]", 22),
            _T.format("[0.0.0.0/0]", 443),
            _WEB.format("[web]") + _TAGGED.format("[dev]"),
            _WEB.format("[web]") + _GPU,
        ),
        (
            _T.format("[0.0.0.0/0]", 22),
            _T.format("[0.0.0.0/1, 128.0.0.0/1]", 22),
            _T.format("null", 8888),
            _T.format('["::/0"]', "20-30"),
            _T.format("[0.0.0.0/0]", 988) + _GPU,
            _WEB.format("[web, box]") + _TAGGED.format("[box]"),
            _WEB.format("null") + _TAGGED.format("[box]"),
        ),
        (
            _T.format("!unknown ", 22),
            _WEB.format("!unknown ") + _TAGGED.format("[dev]"),
            _WEB.format("[web]") + _TAGGED.format('[!unknown "", dev]'),
            _WEB.format("null, targetServiceAccounts: [web@p.iam.gserviceaccount.com]") + _TAGGED.format("[dev]"),
        ),
    ),
    providers=(Provider.GCP,),
)
