"""GPU nodes on which nothing lays the driver.

What: Nodes with NVIDIA or AMD GPUs boot a plain image, and neither an extension nor the boot script speaks of a driver; or EKS nodes take an image without one.
Severity: warning where the boot script may yet do it in words that are not known here
Why: The nodes start, join and bill, and no process sees a GPU: nvidia-smi is not there, and pods that ask for a GPU wait for ever.
Fix: Take the cloud's image with the driver (EKS: AL2023_x86_64_NVIDIA; Google: ubuntu-accelerator images; Azure: microsoft-dsvm:ubuntu-hpc), or lay it at boot.
References: Amazon EKS docs, run GPU-accelerated containers; Google Cloud docs, install GPU drivers; Azure docs, install NVIDIA GPU drivers on N-series
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ...aws_graph import INSTANCE
from ...aws_kubernetes import charts, charts_unknown, in_kubernetes, node_groups
from ...aws_user_data import is_late, script
from ...azure_boot import boot_text
from ...azure_images import PLACE, booted, lays_gpu_driver
from ...gcp_disks import boot_image, boot_image_path, boot_image_value
from ...gcp_machines import Machines
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import given, late, truth

CODE = described("GI3292", "nothing-lays-the-driver", Severity.ERROR, __doc__, ("AWS EKS-04",))
_LAYS = re.compile(r"(?i)nvidia|cuda|driver|rocm|amdgpu|cos-extensions")
"""Words of a script that lays a driver."""
_STOCK = (
    "debian-cloud",
    "ubuntu-os-cloud",
    "rocky-linux-cloud",
    "centos-cloud",
    "rhel-cloud",
    "fedora-cloud",
    "suse-cloud",
)
"""Google's projects of images without any driver."""
_PLAIN_EKS = re.compile(r"(?:AL2023_(?:x86_64|ARM_64)_STANDARD|BOTTLEROCKET_(?:x86_64|ARM_64)(?:_FIPS)?)")
_EKS_PATH = re.compile(
    r"/eks/optimized-ami/[^/]+/amazon-linux-2023/[^/]+/standard/"
    r"|/bottlerocket/aws-k8s-[\d.]+(?:-fips)?/"
)
_STOCK_PATH = re.compile(r"/ami-amazon-linux-latest/|/canonical/ubuntu/")
"""Public parameters of images without any driver: EKS's own, and the distributions'."""
_NVIDIA, _NVIDIA_ARM, _OPERATOR = "AL2023_x86_64_NVIDIA", "AL2023_ARM_64_NVIDIA", "gpu-operator"
_WHICH_CHARTS = "which charts are installed is not known yet"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each node group, machine and set."""
    yield from _of_aws(ctx)
    yield from _of_paths(ctx)
    for m in ctx.gcp.vms:
        yield from _of_google(m)
    yield from _of_azure(ctx)


def _of_aws(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """An image of one's own, an operator that lays the driver, an image that is gone, and one of the other architecture are
    not judged here."""
    groups = () if charts(ctx.aws, _OPERATOR) else node_groups(ctx.aws)
    for group in groups:
        found = next((f for f in group.facts if f.has_gpu), None)
        own = group.nodes is not None and group.nodes.template.get("imageId") is not None
        kind, name = group.resource.get("amiType"), group.resource.name
        if found is None or own:
            continue
        if late(kind):
            yield Undecided(CODE.code, name, "the image type is not known yet")
        elif isinstance(kind, str) and _PLAIN_EKS.fullmatch(kind):
            if charts_unknown(ctx.aws):
                yield Undecided(CODE.code, name, _WHICH_CHARTS)
                continue
            arm = "ARM" in kind
            if arm is not (found.arch == "arm64"):
                continue
            take = _NVIDIA_ARM if arm else _NVIDIA
            if kind.startswith("BOTTLEROCKET"):
                take = f"{kind.removesuffix('_FIPS')}_NVIDIA"
            yield CODE.at(
                f"{name}.amiType",
                f"{kind} carries no GPU driver, and the nodes are {found.name}",
                f"take {take}",
                resource=name,
            )


def _of_paths(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """Nodes that boot from a parameter whose path shows a plain image. Its id alone shows nothing."""
    operated = bool(charts(ctx.aws, _OPERATOR))
    for nodes, facts in ctx.aws.gpu_nodes:
        key = "ami" if nodes.template.type == INSTANCE else "imageId"
        image, data = nodes.template.get(key), nodes.template.get("userData")
        of_eks = isinstance(image, str) and _EKS_PATH.search(image) is not None
        if not isinstance(image, str) or operated or not (of_eks or _STOCK_PATH.search(image)):
            continue
        if is_late(data):
            yield Undecided(CODE.code, nodes.name, "the boot script is not known yet")
        elif in_kubernetes(nodes) and charts_unknown(ctx.aws):
            yield Undecided(CODE.code, nodes.name, _WHICH_CHARTS)
        elif not _LAYS.search(script(data) if isinstance(data, str) else ""):
            yield CODE.at(
                f"{nodes.name}.{key}",
                f"the image carries no GPU driver, nothing lays one, and the nodes are {facts.name}",
                "take the parameter of an image with the driver (EKS: .../nvidia/recommended/image_id)",
                resource=nodes.name,
                severity=None if of_eks else Severity.WARNING,
            )


def _of_google(m: Machines) -> Iterator[Diagnostic | Undecided]:
    image = boot_image(m)
    if m.has_gpus and late(boot_image_value(m)) and not _LAYS.search(given(m.boot_script, "nvidia")):
        yield Undecided(CODE.code, m.name, "the image is not known yet")
    if not m.has_gpus or not any(f"{project}/" in image for project in _STOCK):
        return
    asked = m.get("metadata", "install-nvidia-driver")
    script = m.boot_script
    if script is None or late(asked):
        yield Undecided(CODE.code, m.name, "the boot script is not known yet")
    elif not truth(str(asked).lower()) and not _LAYS.search(script):
        yield CODE.at(
            m.path(boot_image_path(m)),
            f"'{image}' carries no GPU driver, and no startup script speaks of one",
            "take an image of ubuntu-os-accelerator-images, or lay the driver in the startup script",
            resource=m.name,
            severity=Severity.WARNING,
        )


def _of_azure(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    for nodes in ctx.azure.nodes:
        image = booted(nodes)
        if image is not None and image.unknown and nodes.has_gpu and nodes.linux:
            text = boot_text(ctx.azure, nodes)
            if not lays_gpu_driver(ctx.azure.extensions(nodes)) and not _LAYS.search(given(text, "nvidia")):
                yield Undecided(CODE.code, nodes.name, "the image is not known yet")
        grid = nodes.board is not None and nodes.board.driver_kind == "grid"
        if (
            image is None
            or image.unknown
            or image.driver_kind != "none"
            or not nodes.has_gpu
            or grid
            or not nodes.linux
        ):
            continue
        laid = lays_gpu_driver(ctx.azure.extensions(nodes))
        if laid:
            continue
        text = boot_text(ctx.azure, nodes)
        if text is None or (laid is None and not _LAYS.search(text)):
            yield Undecided(CODE.code, nodes.name, "the boot script, or what an extension lays, is not known yet")
        elif not _LAYS.search(text):
            yield CODE.at(
                nodes.at(PLACE),
                f"{image.urn} carries no GPU driver, and nothing lays one on {nodes.size}",
                "boot microsoft-dsvm:ubuntu-hpc, or add the extension NvidiaGpuDriverLinux",
                resource=nodes.name,
                severity=Severity.WARNING,
            )


_EKS = """\
- {{type: aws.ec2.LaunchTemplate, name: template, inputs: {{instanceType: g5.xlarge}}}}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{amiType: {0}, launchTemplate: {{id: !ref template.id }}}}
"""
_GROUP = "- {{type: aws.eks.NodeGroup, name: pool, inputs: {{instanceTypes: [g6.2xlarge], amiType: {0}}}}}\n"
_PATH = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: g5.xlarge, imageId: "resolve:ssm:/aws/service/{0}"}}
"""
_VM = """\
- type: gcp.compute.Instance
  name: box
  inputs:
    machineType: g2-standard-8
    bootDisk: {{initializeParams: {{image: {0}}}}}
    metadata: {1}
"""
_SET = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: Standard_ND96isr_H100_v5}}
    virtualMachineProfile: {{storageProfile: {{imageReference: {{publisher: {0}, version: 24.04.1}}}}}}
"""
_FETCHED = (
    _VM.format("ubuntu-os-cloud/ubuntu-2404-lts-amd64", "{startup-script-url: gs://acme/boot.sh}"),
    _VM.format("ubuntu-os-cloud/ubuntu-2404-lts-amd64", "{startup-script: !unknown }"),
    _SET.format("Canonical, offer: ubuntu-24_04-lts, sku: server")
    + """\
- type: azure-native.compute.VirtualMachineScaleSetExtension
  name: boot
  inputs: {vmScaleSetName: !ref nodes.name , type: CustomScript, settings: {fileUris: [https://x.example/boot.sh], commandToExecute: bash boot.sh}}
""",
)
_DEBIAN = "projects/debian-cloud/global/images/debian-12-bookworm-v20261010"

RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples(
        (
            _EKS.format("AL2023_x86_64_NVIDIA"),
            _PATH.format("eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/1.34-20261015/image_id"),
            _VM.format(_DEBIAN, "{startup-script: apt-get install -y cuda-drivers}"),
            _SET.format("microsoft-dsvm, offer: ubuntu-hpc, sku: '2404'"),
        ),
        (
            _EKS.format("AL2023_x86_64_STANDARD"),
            _GROUP.format("BOTTLEROCKET_x86_64"),
            _PATH.format("eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id"),
            _PATH.format("canonical/ubuntu/server/24.04/stable/20261015/amd64/hvm/ebs-gp3/ami-id"),
            _VM.format(_DEBIAN, "{}"),
            _SET.format("Canonical, offer: ubuntu-24_04-lts, sku: server"),
        ),
        (_EKS.format("!unknown "), _VM.format(_DEBIAN, "!unknown "), *_FETCHED),
    ),
)
