"""A GPU machine that boots an image family.

What: The boot image of a GPU instance or template is a family, and not one dated image.
Why: A family means another image each month: machines that are added later boot another driver than those at work, and an instance that is made anew may not come back as it was.
Fix: Name the image that the family means today: gcloud compute images describe-from-family.
References: Google Cloud docs, Image families best practices; GoogleCloudPlatform/cluster-toolkit#5289
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_disks import boot_image, boot_image_path, boot_image_value
from ...gcp_types import last_part
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3172", "image-that-moves", Severity.WARNING, __doc__, ("GCP-IMG-03",))
_FAMILY = "/family/"
_PUBLIC = re.compile(
    r"(?:^|/)(?:ubuntu-os-cloud|ubuntu-os-accelerator-images|debian-cloud|cos-cloud|rocky-linux-(?:cloud|accelerator-cloud)|"
    r"centos-cloud|rhel-cloud|deeplearning-platform-release|ml-images|cloud-hpc-image-public)/(?:global/images/)?([^/]+)$"
)
"""An image of Google's own projects. Each of theirs ends in its date, or of Container-Optimized OS in its build; what
does not is a family, which the provider looks up under the same short form."""
_DATED = re.compile(r"-v?\d{8}[\w-]*$|^cos(?:-\w+)?-\d+-\d+-\d+-\d+$")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine that says `family`; what our own component made is judged with the plan."""
    for m in ctx.gcp.vms:
        value = boot_image_value(m)
        if not m.has_gpus or ctx.gcp.ours(m.source):
            continue
        if late(value) and not isinstance(value, str):
            yield Undecided(CODE.code, m.name, "the image is not known yet")
        elif _moves(boot_image(m)):
            yield CODE.at(
                m.path(boot_image_path(m)), f"'{last_part(boot_image(m))}' is a family, which moves", resource=m.name
            )


def _moves(image: str) -> bool:
    if _FAMILY in image:
        return True
    public = _PUBLIC.search(image)
    return public is not None and "/global/images/" not in image and _DATED.search(public[1]) is None


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: g2-standard-4, bootDisk: {{initializeParams: {{image: {0}}}}}}}
"""
_IMAGES = "projects/cos-cloud/global/images/"


RULE = ResourceRule(
    CODE,
    ("image", "drift"),
    check,
    Examples(
        (
            _T.format(_IMAGES + "cos-121-18867-90-4"),
            _T.format("ubuntu-os-cloud/ubuntu-2404-noble-amd64-v20260901"),
            _T.format("acme-images/trainer"),
        ),
        (_T.format(_IMAGES + "family/cos-stable"), _T.format("debian-cloud/debian-12")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
