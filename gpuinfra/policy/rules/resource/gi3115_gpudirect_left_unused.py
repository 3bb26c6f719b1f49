"""Several nodes of a type with a fabric, on one interface.

What: A group or pool of more than one node of a type with GPUDirect has one network interface only.
Why: Collectives between the nodes share the one ordinary interface: A3 High was measured at 15 % of its bandwidth, at the full price, and nothing says so.
Fix: Give the nodes the type's interfaces, or on GKE additionalNodeNetworkConfigs or acceleratorNetworkProfile: auto.
References: skypilot-org/skypilot#3592; Google Cloud docs, GPUDirect-TCPX
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import FabricKind, Provider
from ...gcp_machines import Machines
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3115", "gpudirect-left-unused", Severity.WARNING, __doc__, ("GCP-NET-16",))


_MORE = ("additionalNodeNetworkConfigs", "acceleratorNetworkProfile")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or pool; what our own component made is judged by the plan rules."""
    for m in ctx.gcp.machines:
        if m.facts is None or m.facts.fabric is FabricKind.NONE or ctx.gcp.several(m) is False:
            continue
        if ctx.gcp.ours(m.source):
            continue
        if m.is_pool:
            config = m.source.get("networkConfig")
            if late(config):
                yield Undecided(CODE.code, m.name, "the networks are not known yet")
            elif all(m.source.get("networkConfig", k) in (None, []) for k in _MORE):
                yield _finding(ctx, m, m.at("networkConfig"))
        elif m.interfaces is None:
            yield Undecided(CODE.code, m.name, "the network interfaces are not known yet")
        elif len(m.interfaces) == 1 and not (m.layout and m.layout.rdma_subnets):
            yield _finding(ctx, m, m.path("networkInterfaces"))


def _finding(ctx: GraphContext, m: Machines, path: str) -> Diagnostic | Undecided:
    if not ctx.gcp.several(m):
        return Undecided(CODE.code, m.name, "how many machines there are is not known yet")
    return CODE.at(
        path,
        f"up to {ctx.gcp.most_machines(m):g} nodes of {m.machine_type} with one interface, though the type has "
        f"{m.facts.fabric_interfaces if m.facts else ''} for {m.facts.fabric if m.facts else 'its fabric'}",
        resource=m.name,
    )


_T = """\
- {{type: gcp.compute.InstanceTemplate, name: nodes, inputs: {{machineType: a3-highgpu-8g, networkInterfaces: {0}}}}}
- type: gcp.compute.InstanceGroupManager
  name: group
  inputs: {{targetSize: {1}, versions: [{{instanceTemplate: !ref nodes.selfLink }}]}}
"""


RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (
            _T.format("[{network: a}]", 1),
            _T.format("[{network: a}, {network: b}, {network: c}, {network: d}, {network: e}]", 2),
        ),
        (_T.format("[{network: a}]", 2),),
        (_T.format("!unknown ", 2),),
    ),
    providers=(Provider.GCP,),
)
