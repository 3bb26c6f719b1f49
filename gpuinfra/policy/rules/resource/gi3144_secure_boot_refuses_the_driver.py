"""Secure Boot beside a driver that is installed at boot.

What: A GPU machine has Secure Boot on, and its metadata have the NVIDIA driver installed when it starts.
Why: Secure Boot loads signed modules only. A driver that is built at boot is not signed: the machine starts without a GPU.
Fix: Set shieldedInstanceConfig: {enableSecureBoot: false}, or take an image whose driver is signed.
References: NVIDIA/gpu-operator#1726; GoogleCloudDataproc/initialization-actions#933
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3144", "secure-boot-refuses-the-driver", Severity.WARNING, __doc__, ("GCP-IMG-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine. GKE installs signed modules itself."""
    for m in ctx.gcp.vms:
        secure = m.get("shieldedInstanceConfig", "enableSecureBoot")
        asked = m.get("metadata", "install-nvidia-driver")
        if m.has_gpus and truth(secure) and (late(m.get("metadata")) or late(asked)):
            yield Undecided(CODE.code, m.name, "whether metadata asks for the driver is not known yet")
        if not m.has_gpus or not truth(str(asked).lower()):
            continue
        if late(secure):
            yield Undecided(CODE.code, m.name, "whether Secure Boot is on is not known yet")
        elif truth(secure):
            yield CODE.at(
                m.path("shieldedInstanceConfig.enableSecureBoot"),
                "on, and metadata install-nvidia-driver builds a driver that is not signed",
                resource=m.name,
            )


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs:
    machineType: g2-standard-4
    metadata: {{install-nvidia-driver: "True"}}
    shieldedInstanceConfig: {{enableSecureBoot: {0}}}
"""


RULE = ResourceRule(
    CODE,
    ("image", "boot"),
    check,
    Examples(
        (
            _T.format("false"),
            _T.format("null"),
        ),
        (_T.format("true"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
