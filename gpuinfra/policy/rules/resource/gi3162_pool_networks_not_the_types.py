"""Networks of a GKE pool that do not fit its machine type.

What: A pool has additional networks and an accelerator network profile at once, or another number of additional networks than its machine type takes.
Why: The two ways exclude each other. A ninth network on A3 Mega takes the place of a GPU's card, and GPUDirect breaks.
Fix: Write exactly the networks that the type takes beside the pool's own, or acceleratorNetworkProfile: auto alone.
References: NVIDIA/aicr#1662; NVIDIA/aicr#2265; NVIDIA/aicr#2338
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_interfaces import spelled_slots
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late

CODE = described("GI3162", "pool-networks-not-the-types", Severity.ERROR, __doc__, ("GCP-GKE-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each pool."""
    for m in ctx.gcp.pools:
        more = m.source.get("networkConfig", "additionalNodeNetworkConfigs")
        profile = m.source.get("networkConfig", "acceleratorNetworkProfile")
        path = m.at("networkConfig.additionalNodeNetworkConfigs")
        if late(more) or (late(profile) and more is not None):
            yield Undecided(CODE.code, m.name, "the networks are not known yet")
        elif items(more) and profile is not None:
            yield CODE.at(path, f"they stand beside acceleratorNetworkProfile '{profile}'", resource=m.name)
        elif items(more) and m.layout is not None and len(m.layout.slots) > 1:
            want = len(m.layout.slots) - 1
            if len(items(more)) != want:
                yield CODE.at(
                    path,
                    f"{len(items(more))} additional networks, and {m.machine_type} takes {want}: "
                    f"{spelled_slots(m.layout)}, the first of which is the pool's own",
                    resource=m.name,
                )


_T = """\
- type: gcp.container.NodePool
  name: pool
  inputs:
    nodeConfig: {{machineType: a3-highgpu-8g}}
    networkConfig: {{additionalNodeNetworkConfigs: {0}, acceleratorNetworkProfile: {1}}}
"""
_FOUR = "[{network: a}, {network: b}, {network: c}, {network: d}]"


RULE = ResourceRule(
    CODE,
    ("kubernetes", "network", "fabric"),
    check,
    Examples(
        (
            _T.format(_FOUR, "null"),
            _T.format("null", "auto"),
        ),
        (
            _T.format(_FOUR, "auto"),
            _T.format("[{network: a}]", "null"),
        ),
        (_T.format("!unknown ", "null"),),
    ),
    providers=(Provider.GCP,),
)
