"""Codes of findings about images, drivers and MIG (GI2100 to GI2149), and how a verdict becomes findings."""

from __future__ import annotations

from collections.abc import Iterable

from ..diagnostics import Code, Diagnostic, Severity
from .verdict import Change, Holds, Rule, Step, Verdict

_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO
_CUDA = "NVIDIA CUDA Toolkit release notes"
_COMPATIBILITY = "NVIDIA CUDA Compatibility"
_MIG = "NVIDIA Multi-Instance GPU User Guide"

BAD_REFERENCE = Code(
    "GI2100",
    "invalid-container-reference",
    _E,
    "The container is not a reference that a registry can read.",
    "A container runtime refuses it on every node, after the nodes are billed.",
    "write registry/repository:tag, as nvcr.io/nvidia/pytorch:25.08-py3, or add @sha256: and the digest",
)
UNPINNED_CONTAINER = Code(
    "GI2101",
    "unpinned-container",
    _W,
    "The container's tag is moved to other contents from time to time.",
    "Nodes that start on different days run different code, and a CUDA that was checked today is not the one of tomorrow.",
    "name a version, or a digest",
)
UNKNOWN_CONTAINER = Code(
    "GI2102",
    "unknown-container",
    _W,
    "What the container holds is unknown, so whether it runs on these GPUs is not checked.",
    "An image without code for the GPU fails at the first kernel, on nodes that are paid for.",
    "name an image of the catalog (gpuinfra images), or put its CUDA into the tag, as ghcr.io/team/image:1.0-cu128",
)
WRONG_DEVICE = Code(
    "GI2103",
    "container-for-other-gpus",
    _E,
    "The container is built for another maker's GPUs.",
    "A CUDA build finds no driver on AMD GPUs, a ROCm build none on NVIDIA GPUs.",
    facts=("AZ IMG-02",),
)
CPU_CONTAINER = Code(
    "GI2104",
    "cpu-container-on-gpus",
    _W,
    "The container is a build for CPUs and the pool has GPUs.",
    "The job runs, slowly, while the GPUs stand idle and bill.",
    "take the GPU build of the image",
)
WRONG_CONTAINER_ARCH = Code(
    "GI2105",
    "container-for-other-cpu",
    _E,
    "The container has no build for the CPU of the node.",
    "It ends at start with an exec format error.",
    "take a build for the node's CPU architecture",
)
UNKNOWN_CONTAINER_ARCH = Code(
    "GI2106",
    "unknown-container-cpu",
    _W,
    "Whether the container has a build for the CPU of the node is unknown.",
    "Many images are published for x86_64 only; on an arm64 node such an image ends at start.",
    "check the image's manifest for linux/arm64, or take an image that the catalog lists for it",
)
NO_CODE = Code(
    "GI2107",
    "cuda-without-code-for-gpu",
    _E,
    "The CUDA toolkit of the container has no code for the GPU.",
    "Every kernel launch fails with 'no kernel image is available for execution on the device'.",
    references=(_CUDA,),
    facts=("AWS CMP-11",),
)
NOT_NATIVE = Code(
    "GI2108",
    "cuda-older-than-gpu",
    _W,
    "The container's CUDA has code for an older GPU of the same family only.",
    "Finished binaries run; what compiles for the GPU at run time fails, since its compiler does not know the GPU.",
    "take an image with a newer CUDA: gpuinfra images lists them",
    references=(_CUDA,),
)
NO_BUILD = Code(
    "GI2109",
    "framework-build-without-gpu",
    _E,
    "The framework's build leaves the GPU out, though its CUDA toolkit has code for it.",
    "Every kernel launch of the framework fails.",
    references=("pytorch/pytorch:RELEASE.md",),
)
OLD_DRIVER = Code(
    "GI2110",
    "driver-too-old-for-cuda",
    _E,
    "The node's driver is too old for the container's CUDA.",
    "CUDA does not initialise: the driver version is insufficient for the runtime.",
    references=(_COMPATIBILITY, _CUDA),
)
LIMITED_DRIVER = Code(
    "GI2111",
    "driver-by-compatibility",
    _I,
    "The driver runs the container's CUDA with limits.",
    "Minor-version compatibility gives no PTX compilation and no newer features; forward compatibility depends on the image.",
    "take a node image with a newer driver if the limits matter",
    references=(_COMPATIBILITY,),
)
UNCERTAIN_DRIVER = Code(
    "GI2112",
    "driver-not-certain-for-cuda",
    _W,
    "Whether the driver is new enough for the container's CUDA cannot be told.",
    "A driver that is too old shows at the first call, on nodes that are paid for.",
    "name a node image whose driver is known",
)
NO_FABRIC_PLUGIN = Code(
    "GI2113",
    "fabric-plugin-not-known",
    _I,
    "Whether the container carries the fabric's plugin is unknown.",
    "Without it NCCL falls back to TCP without a word, at a fraction of the speed.",
    "take an image that carries it, or mount the host's /opt/amazon/efa; NCCL_DEBUG=INFO shows which is used",
)
BAD_NODE_IMAGE = Code(
    "GI2120",
    "invalid-node-image",
    _E,
    "The node image is not named in a form that this cloud takes.",
    "The cloud refuses to create the machines.",
    facts=("AWS CMP-24",),
)
UNKNOWN_NODE_IMAGE = Code(
    "GI2121",
    "unknown-node-image",
    _W,
    "The node image is not in the catalog: its driver, CPU architecture and kernel module are unknown.",
    "Whether it drives these GPUs is not checked.",
    "check its driver against the GPU and the container",
)
UNKNOWN_DRIVER = Code(
    "GI2122",
    "unknown-node-driver",
    _W,
    "The node image is known and its driver version is not.",
    "Whether the driver is new enough for the GPU and the container is not checked.",
    "read the image's release notes, and name the image by its id or version",
)
UNPINNED_NODE_IMAGE = Code(
    "GI2123",
    "unpinned-node-image",
    _W,
    "The node image is chosen by a selector that moves.",
    "Nodes added later boot another image than the first, and `up` may replace machines when it moves.",
    facts=("AWS CMP-10", "GCP-IMG-03", "AZ IMG-06"),
)
NO_NODE_IMAGE = Code(
    "GI2124",
    "no-node-image",
    _E,
    "The catalog has no node image for the machine.",
    "Without an image nothing can be created.",
    "name an image in image.node",
)
WRONG_NODE_ARCH = Code(
    "GI2125",
    "node-image-for-other-cpu",
    _E,
    "The node image is built for another CPU architecture.",
    "The machine does not boot.",
    facts=("AWS CMP-02", "GCP-IMG-01", "AZ IMG-01"),
)
WRONG_MODULE = Code(
    "GI2126",
    "kernel-module-not-for-gpu",
    _E,
    "The NVIDIA kernel module of the node image does not drive the GPU.",
    "V100 and older need the proprietary module, Blackwell and Grace the open one; with the other the GPUs are missing.",
    facts=("AWS CMP-11", "AZ IMG-03"),
)
WRONG_DRIVER_KIND = Code(
    "GI2127",
    "driver-not-for-machine",
    _E,
    "The node image carries another kind of GPU driver than the machine needs.",
    "Shared and visualisation GPUs need GRID, AMD GPUs ROCm; with another driver, or none, no GPU is found.",
    facts=("AZ IMG-02", "AZ IMG-05"),
)
OLD_BRANCH = Code(
    "GI2128",
    "driver-too-old-for-gpu",
    _E,
    "The node image's driver is older than the GPU.",
    "It does not know the GPU and finds none.",
    facts=("AWS CMP-11",),
)
MACHINE_NOT_SERVED = Code(
    "GI2129",
    "node-image-not-for-machine",
    _E,
    "The node image is not made for the machine.",
    "Its publisher lists the machines that it boots, and this is none of them.",
    facts=("GCP-IMG-02",),
)
OLD_GENERATION = Code(
    "GI2130",
    "generation-1-image",
    _E,
    "The node image is a generation 1 image and the size boots generation 2 only.",
    "The machine is refused at create.",
    "take the generation 2 variant of the image",
    facts=("AZ IMG-08",),
)
WINDOWS = Code(
    "GI2131",
    "windows-node-image",
    _E,
    "The node image is Windows; nodes are set up by cloud-init, which is for Linux.",
    "The machine boots and nothing of the spec happens on it.",
    "take a Linux image",
    facts=("GCP-IMG-05",),
)
UNNAMED_NODE_IMAGE = Code(
    "GI2132",
    "unnamed-node-image",
    _W,
    "The image that the machine boots is known, and the name that the cloud sells it under is not.",
    "The plan is judged with that image; `up` needs its name.",
    "look the name up in the cloud's image list, and give it with its version in image.node before `up`",
)
MARKETPLACE_TERMS = Code(
    "GI2133",
    "image-with-terms",
    _W,
    "The node image is sold in the marketplace, with a plan whose terms must be accepted.",
    "Until somebody of the subscription accepts the terms the machines are refused (MarketplacePurchaseEligibilityFailed).",
    facts=("AZ IMG-07",),
)
MIG_UNSUPPORTED = Code(
    "GI2140",
    "mig-not-supported",
    _E,
    "The GPU, or the machine it is in, has no MIG.",
    "Enabling MIG fails on the node.",
    "remove mig from this pool",
    references=(_MIG,),
)
MIG_PROFILE = Code(
    "GI2141",
    "unknown-mig-profile",
    _E,
    "The GPU has no MIG profile of that name.",
    "Profiles are named after their memory, which differs from GPU to GPU.",
    references=(_MIG,),
)
MIG_LAYOUT = Code(
    "GI2142",
    "mig-layout-does-not-fit",
    _E,
    "The MIG instances cannot stand on one GPU together.",
    "Each profile may start at certain memory slices only, and instances may not overlap.",
    references=(_MIG,),
)
MIG_UNVERIFIED = Code(
    "GI2143",
    "mig-not-verified",
    _E,
    "Whether the GPU has MIG is unknown.",
    "No source read says so, and a layout cannot be checked against profiles that are not known.",
    references=(_MIG,),
)
MIG_DRIVER = Code(
    "GI2144",
    "driver-too-old-for-mig",
    _E,
    "The node image's driver is older than MIG on this GPU.",
    "The GPU is found, and enabling MIG fails.",
    "name a node image with a newer driver",
    references=(_MIG,),
)
MIG_ACROSS = Code(
    "GI2145",
    "job-across-mig-instances",
    _E,
    "The job spans several MIG instances, and NCCL does not support that.",
    "A process sees one MIG instance, instances reach each other neither by NVLink nor by CUDA P2P, and NCCL takes "
    "several ranks of one GPU for a mistake and ends.",
    "remove mig from this pool, or run one process for each instance that needs no other: launcher: none",
    references=("NVIDIA/nccl#1716", "NVIDIA/nccl#431", "pytorch/pytorch#130181", _MIG),
)

CODES: tuple[Code, ...] = (
    BAD_REFERENCE,
    UNPINNED_CONTAINER,
    UNKNOWN_CONTAINER,
    WRONG_DEVICE,
    CPU_CONTAINER,
    WRONG_CONTAINER_ARCH,
    UNKNOWN_CONTAINER_ARCH,
    NO_CODE,
    NOT_NATIVE,
    NO_BUILD,
    OLD_DRIVER,
    LIMITED_DRIVER,
    UNCERTAIN_DRIVER,
    NO_FABRIC_PLUGIN,
    BAD_NODE_IMAGE,
    UNKNOWN_NODE_IMAGE,
    UNKNOWN_DRIVER,
    UNPINNED_NODE_IMAGE,
    NO_NODE_IMAGE,
    WRONG_NODE_ARCH,
    WRONG_MODULE,
    WRONG_DRIVER_KIND,
    OLD_BRANCH,
    MACHINE_NOT_SERVED,
    OLD_GENERATION,
    WINDOWS,
    UNNAMED_NODE_IMAGE,
    MARKETPLACE_TERMS,
    MIG_UNSUPPORTED,
    MIG_PROFILE,
    MIG_LAYOUT,
    MIG_UNVERIFIED,
    MIG_DRIVER,
    MIG_ACROSS,
)

_FAILED = {
    Rule.NODE_ARCH: WRONG_NODE_ARCH,
    Rule.DRIVER_KIND: WRONG_DRIVER_KIND,
    Rule.KERNEL_MODULE: WRONG_MODULE,
    Rule.DRIVER_BRANCH: OLD_BRANCH,
    Rule.MIG: MIG_DRIVER,
    Rule.DEVICE: WRONG_DEVICE,
    Rule.CONTAINER_ARCH: WRONG_CONTAINER_ARCH,
    Rule.TOOLKIT: NO_CODE,
    Rule.FRAMEWORK: NO_BUILD,
    Rule.DRIVER: OLD_DRIVER,
}
_UNCERTAIN = {
    Rule.KERNEL_MODULE: UNKNOWN_DRIVER,
    Rule.DRIVER_KIND: UNKNOWN_DRIVER,
    Rule.DRIVER_BRANCH: UNKNOWN_DRIVER,
    Rule.DEVICE: UNKNOWN_CONTAINER,
    Rule.CONTAINER_ARCH: UNKNOWN_CONTAINER_ARCH,
    Rule.TOOLKIT: UNKNOWN_CONTAINER,
    Rule.DRIVER: UNCERTAIN_DRIVER,
    Rule.FABRIC: NO_FABRIC_PLUGIN,
}
_LIMITED = {Rule.TOOLKIT: NOT_NATIVE, Rule.DRIVER: LIMITED_DRIVER}


def findings_of(verdict: Verdict, rules: Iterable[Rule], path: str) -> tuple[Diagnostic, ...]:
    """The findings of a verdict's steps for some rules, at `path`: what fails, what is unknown, what holds with limits."""
    wanted = frozenset(rules)
    found = [_finding(s, verdict.changes_for(s.rule), path) for s in verdict.proof if s.rule in wanted]
    return tuple(d for d in found if d)


def _finding(step: Step, changes: tuple[Change, ...], path: str) -> Diagnostic | None:
    if step.holds is Holds.YES:
        code = _LIMITED.get(step.rule) if step.caveat else None
        return code.at(path, step.caveat) if code else None
    if step.holds is Holds.UNKNOWN:
        code = _UNCERTAIN.get(step.rule)
        return code.at(path, step.finding) if code else None
    code = CPU_CONTAINER if step.rule is Rule.DEVICE and step.ends[1].value == "cpu" else _FAILED[step.rule]
    return code.at(path, step.finding, hint_of(changes))


def hint_of(changes: tuple[Change, ...]) -> str:
    """The changes as the next action, the smallest first; empty where there are none."""
    if not changes:
        return ""
    named = [c for c in changes if c.value]
    if not named:
        return changes[0].reason
    first, rest = named[0], named[1:]
    text = f"take {first.field}: {first.value} ({first.reason})"
    return text + "".join(
        f", or {c.value if c.field == first.field else f'{c.field}: {c.value}'} ({c.reason})" for c in rest
    )
