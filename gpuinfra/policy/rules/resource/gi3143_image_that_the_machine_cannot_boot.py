"""An image that the machine type cannot boot.

What: The image is of another processor architecture than the machine, a Deep Learning VM image on G2, or Windows on a type that has none.
Why: A4X is arm64 and every other GPU type x86_64; G2 does not boot Deep Learning VM images; A3, A4, A4X and the largest G4 have no Windows.
Fix: Take an image of the machine's architecture from ubuntu-os-accelerator-images.
References: Google Cloud docs, GPU machine types; Google Cloud docs, AI Hypercomputer operating system images
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_disks import boot_image, boot_image_path, boot_image_value
from ...gcp_machines import Machines
from ...gcp_types import last_part
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described(
    "GI3143",
    "image-that-the-machine-cannot-boot",
    Severity.ERROR,
    __doc__,
    ("GCP-IMG-01", "GCP-IMG-02", "GCP-IMG-05"),
)
_ARM = re.compile(r"(?i)(?:^|[-_])(?:arm64|aarch64)(?:$|[-_])")
_X86 = re.compile(r"(?i)(?:^|[-_])(?:amd64|x86[-_]64)(?:$|[-_])")
_DEEP_LEARNING = ("deeplearning-platform-release", "ml-images")
_NO_WINDOWS = re.compile(r"a3-|a4-|a4x-|g4-standard-384")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine whose image shows what it is."""
    for m in ctx.gcp.vms:
        if m.facts is None:
            continue
        image = boot_image(m)
        if not image:
            if m.brings_gpus and late(boot_image_value(m)):
                yield Undecided(CODE.code, m.name, "the image is not known yet")
            continue
        fault = _fault(m, m.facts, image)
        if fault:
            yield CODE.at(m.path(boot_image_path(m)), fault, resource=m.name)


def _fault(m: Machines, facts: catalog.InstanceType, image: str) -> str:
    name = last_part(image)
    shown = "arm64" if _ARM.search(name) else "x86_64" if _X86.search(name) else ""
    if shown and facts.arch and shown != facts.arch:
        return f"image '{name}' is {shown}, and {m.machine_type} is {facts.arch}"
    if facts.family == "g2" and any(p in image for p in _DEEP_LEARNING):
        return f"{m.machine_type} does not boot Deep Learning VM images ('{name}')"
    if "windows" in image.lower() and _NO_WINDOWS.match(m.machine_type):
        return f"{m.machine_type} does not boot Windows ('{name}')"
    return ""


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: {0}, bootDisk: {{initializeParams: {{image: {1}}}}}}}
"""
_UBUNTU = "projects/ubuntu-os-accelerator-images/global/images/family/ubuntu-accelerator-2404-{0}-with-nvidia-580"


RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples(
        (
            _T.format("a4x-highgpu-4g", _UBUNTU.format("arm64")),
            _T.format("g2-standard-4", "projects/cos-cloud/global/images/family/cos-stable"),
        ),
        (
            _T.format("a4x-highgpu-4g", _UBUNTU.format("amd64")),
            _T.format("a4-highgpu-8g", _UBUNTU.format("arm64")),
            _T.format("g2-standard-4", "projects/deeplearning-platform-release/global/images/family/common-cu124"),
            _T.format("a3-highgpu-8g", "windows-cloud/windows-2022"),
        ),
        (_T.format("a4-highgpu-8g", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
