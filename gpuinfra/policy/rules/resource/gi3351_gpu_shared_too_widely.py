"""A GPU that more containers may share than GKE lets.

What: `maxSharedClientsPerGpu` of a GKE pool is above 48, or 1 and less.
Why: GKE takes 2 to 48 clients for a GPU that is shared by time or through MPS: the pool is refused.
Fix: Write a number from 2 to 48, or leave the sharing out.
References: Google Cloud docs, share GPUs with time-sharing; Google Cloud docs, share GPUs with NVIDIA MPS
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import block
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, number, plain

CODE = described("GI3351", "gpu-shared-too-widely", Severity.ERROR, __doc__)
_LEAST, _MOST = 2, 48
_KEY = "gpuSharingConfig"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each accelerator of a pool."""
    for m in ctx.gcp.pools:
        for n, one in enumerate(entries(m.get("guestAccelerators"))):
            sharing: Any = plain(one.get(_KEY))
            if sharing is None:
                continue
            clients = sharing if late(sharing) else plain(block(sharing).get("maxSharedClientsPerGpu"))
            count = number(clients)
            if late(clients):
                yield Undecided(CODE.code, m.name, "how many clients share a GPU is not known yet")
            elif count is not None and not _LEAST <= count <= _MOST:
                yield CODE.at(
                    m.path(f"guestAccelerators[{n}].{_KEY}.maxSharedClientsPerGpu"),
                    f"{count:g} clients for one GPU, and GKE takes {_LEAST} to {_MOST}",
                    resource=m.name,
                )


_T = """\
- type: gcp.container.NodePool
  name: pool
  inputs:
    nodeConfig:
      machineType: g2-standard-8
      guestAccelerators: [{{type: nvidia-l4, count: 1, gpuSharingConfig: {{gpuSharingStrategy: {0}, maxSharedClientsPerGpu: {1}}}}}]
"""

RULE = ResourceRule(
    CODE,
    ("accelerator", "kubernetes"),
    check,
    Examples(
        (_T.format("TIME_SHARING", 8), _T.format("MPS", 48)),
        (_T.format("MPS", 64), _T.format("TIME_SHARING", 49)),
        (_T.format("MPS", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
