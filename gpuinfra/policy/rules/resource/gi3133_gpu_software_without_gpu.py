"""A machine prepared for a GPU that it does not have.

What: A machine asks for the NVIDIA driver, by metadata, by an image that carries it or by its boot script, and neither its type nor `guestAccelerators` has a GPU.
Why: N1 machines have no GPU unless one is attached: the machine starts, bills and computes on the CPU, and nothing says so.
Fix: Attach one, as guestAccelerators: [{type: nvidia-tesla-t4, count: 1}], or take a type with GPUs.
References: hashicorp/terraform-provider-google#8765
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_disks import boot_image
from ...gcp_machines import Machines
from ...gcp_types import last_part
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3133", "gpu-software-without-gpu", Severity.ERROR, __doc__, ("GCP-ACC-02",))

_FOR_GPUS = re.compile(r"with-nvidia-\d|(?:^|-)cu\d{3}(?:-|$)")
"""Names of images with the driver (accelerator images), or with CUDA (Deep Learning VM images)."""

_LAYS_DRIVER = re.compile(r"cos-extensions +install +gpu|install_gpu_driver\.py|cuda_installer\.pyz")
"""What Google's guides run at boot to lay the driver."""
_LOOKS_FIRST = "lspci"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine of a known type."""
    for m in ctx.gcp.vms:
        wants = _wants(m)
        asked = late(m.get("metadata", "install-nvidia-driver"))
        if asked and not wants and m.facts is not None and not m.has_gpus:
            yield Undecided(CODE.code, m.name, "whether the driver is asked for is not known yet")
        if not wants or not m.machine_type:
            continue
        if m.has_gpus is None:
            yield Undecided(CODE.code, m.name, "the accelerators are not known yet")
        # A type that no table has is another rule's finding, and may well have GPUs.
        elif not m.has_gpus and m.facts is not None:
            yield CODE.at(
                m.path("guestAccelerators"), f"{wants}, and {m.machine_type} has no GPU attached", resource=m.name
            )


def _wants(m: Machines) -> str:
    if truth(str(m.get("metadata", "install-nvidia-driver")).lower()):
        return "metadata install-nvidia-driver is set"
    name = last_part(boot_image(m))
    row = catalog.node_image(Provider.GCP, f"family/{name}") if "nvidia" in name else None
    if isinstance(row, catalog.NodeImage) and row.driver:
        return f"image '{name}' carries the driver"
    if _FOR_GPUS.search(name):
        return f"image '{name}' is made for GPUs"
    script = m.boot_script or ""
    found = _LAYS_DRIVER.search(script) if _LOOKS_FIRST not in script else None
    return f"the boot script runs '{found[0]}'" if found is not None else ""


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: {0}, guestAccelerators: {1}, metadata: {{install-nvidia-driver: "True"}}}}
"""
_SCRIPT = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: n1-standard-8, guestAccelerators: {0}, metadata: {{user-data: "{1}"}}}}
"""
_COS = "runcmd: [cos-extensions install gpu]"


RULE = ResourceRule(
    CODE,
    ("accelerator",),
    check,
    Examples(
        (
            _T.format("n1-standard-8", "[{type: nvidia-tesla-t4, count: 1}]"),
            _T.format("a3-mega", "null"),
            _T.format("g2-custom-8-32768", "null"),
            _SCRIPT.format("[{type: nvidia-tesla-t4, count: 1}]", _COS),
            _SCRIPT.format("null", "lspci | grep NVIDIA && cos-extensions install gpu"),
        ),
        (_T.format("n1-standard-8", "[]"), _SCRIPT.format("null", _COS)),
        (_T.format("n1-standard-8", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
