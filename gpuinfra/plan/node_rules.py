"""Rules between a machine and what it boots: CPU architecture, kind of driver, kernel module, driver branch."""

from __future__ import annotations

from ..catalog import Accelerator, InstanceType
from ..vocabulary import KernelModule
from .verdict import End, Holds, NodeFacts, Rule, Step, doubted, holds
from .versions import at_least

# Machines that need a newer driver than their GPU does elsewhere: family, driver, source.
_MACHINE_DRIVER: dict[str, tuple[str, str]] = {
    "g7": ("595", "awslabs/amazon-eks-ami#2768"),
    "a4x-maxgpu": ("580.95.05", "Google Cloud: AI Hypercomputer operating system images (2026-04-06)"),
}

KIND_NAMES = {"cuda": "the NVIDIA data-centre driver", "grid": "the NVIDIA GRID driver", "rocm": "the AMD ROCm driver"}


def node_steps(
    instance: InstanceType, accelerator: Accelerator | None, node: NodeFacts, driver_kind_needed: str
) -> tuple[Step, ...]:
    """The proof that a machine can boot an image and find its GPUs there."""
    steps = [_arch(instance, node)]
    if accelerator is not None:
        steps += [_driver_kind(instance, accelerator, node, driver_kind_needed)]
        # An image without the right driver has no module and no branch to judge.
        if steps[-1].holds is not Holds.NO and accelerator.vendor == "NVIDIA":
            steps += [_kernel_module(instance, accelerator, node), _driver_branch(instance, accelerator, node)]
    return tuple(steps)


def needed_driver(instance: InstanceType, accelerator: Accelerator) -> tuple[str, str]:
    """The oldest driver that the GPU needs in this machine, and the source; empty text where none is known."""
    machine = _MACHINE_DRIVER.get(instance.family.lower())
    if machine:
        return machine
    branch = accelerator.min_driver_branch
    return (str(branch), accelerator.source) if branch is not None else ("", accelerator.source)


def _machine(instance: InstanceType, accelerator: Accelerator) -> str:
    return f"{accelerator.model} ({instance.name})"


def _arch(instance: InstanceType, node: NodeFacts) -> Step:
    known = bool(instance.arch and node.arch)
    answer = instance.arch == node.arch if known else None
    return Step(
        Rule.NODE_ARCH,
        f"{node.name} is built for the CPU of {instance.name}",
        holds(answer),
        (End(instance.name, instance.arch, instance.source), End(node.name, node.arch, node.source)),
        ""
        if answer
        else f"{instance.name} is {instance.arch} and the node image {node.name} is {node.arch}: it does not boot"
        if known
        else f"whether {node.name} is built for the CPU of {instance.name} ({instance.arch or 'unknown'}) is unknown",
    )


def _driver_kind(instance: InstanceType, accelerator: Accelerator, node: NodeFacts, needed: str) -> Step:
    answer = needed == node.driver_kind if needed and node.driver_kind else None
    wanted = KIND_NAMES.get(needed, "a GPU driver")
    finding = ""
    if answer is False:
        carried = KIND_NAMES.get(node.driver_kind)
        finding = (
            f"{_machine(instance, accelerator)} needs {wanted} and the node image {node.name} carries "
            f"{carried or 'no GPU driver'}: no process finds a GPU"
        )
    elif answer is None:
        finding = f"whether {node.name} carries {wanted} for {_machine(instance, accelerator)} is unknown"
    return Step(
        Rule.DRIVER_KIND,
        f"{node.name} carries {wanted}",
        holds(answer),
        (
            End(_machine(instance, accelerator), needed, accelerator.source),
            End(node.name, node.driver_kind, node.source),
        ),
        finding,
    )


def _kernel_module(instance: InstanceType, accelerator: Accelerator, node: NodeFacts) -> Step:
    wanted, carried = accelerator.kernel_module, node.kernel_module
    either = KernelModule.EITHER in (wanted, carried)
    known = KernelModule.UNKNOWN not in (wanted, carried)
    answer = True if either or (wanted is carried and known) else False if known else None
    what = _machine(instance, accelerator)
    finding = ""
    if answer is False and wanted is KernelModule.PROPRIETARY:
        # The open module drives Turing and later only: it needs the GPU's own system processor.
        finding = (
            f"{what} is {accelerator.architecture}, which the open NVIDIA kernel module of {node.name} does not "
            f"support: the driver does not load and the GPUs are missing; V100 and older need the proprietary module"
        )
    elif answer is False:
        finding = (
            f"{what} is {accelerator.architecture}, which needs the open NVIDIA kernel module, and {node.name} carries "
            f"the proprietary one: the driver does not load"
        )
    elif answer is None:
        finding = f"{what} takes the {wanted} kernel module; which one {node.name} carries is unknown"
    return Step(
        Rule.KERNEL_MODULE,
        f"the kernel module of {node.name} drives {accelerator.model}",
        holds(answer),
        (End(what, str(wanted), accelerator.source), End(node.name, str(carried), node.source)),
        finding,
    )


def _driver_branch(instance: InstanceType, accelerator: Accelerator, node: NodeFacts) -> Step:
    needed, source = needed_driver(instance, accelerator)
    what = _machine(instance, accelerator)
    # Every driver that is still shipped knows the GPUs for which the table names no first branch.
    answer = doubted(at_least(node.driver, needed), node) if needed else True
    finding = ""
    if answer is False:
        finding = f"{what} needs driver {needed} or newer and {node.name} carries {node.driver}"
    elif answer is None:
        finding = f"{what} needs driver {needed} or newer; the driver of {node.name} is {node.driver or 'unknown'}"
    return Step(
        Rule.DRIVER_BRANCH,
        f"the driver of {node.name} knows {accelerator.model}",
        holds(answer),
        (End(what, needed and f">= {needed}", source), End(node.name, node.driver, node.source)),
        finding,
    )
