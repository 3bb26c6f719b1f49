"""Questions to the solver, from the packaged tables."""

from __future__ import annotations

import dataclasses

from gpuinfra import catalog
from gpuinfra.catalog import Accelerator, InstanceType, Miss
from gpuinfra.plan.compatibility import NodeFacts, Question, Verdict, solve
from gpuinfra.plan.containers import container_plan
from gpuinfra.plan.models import ContainerPlan
from gpuinfra.vocabulary import KernelModule, Provider

PROVIDERS = {
    "c": Provider.AWS,
    "p": Provider.AWS,
    "g": Provider.AWS,
    "a": Provider.GCP,
    "n": Provider.GCP,
    "S": Provider.AZURE,
}
MACHINES = {
    "V100-16GB": "p3.2xlarge",
    "V100-32GB": "Standard_ND40rs_v2",
    "T4": "g4dn.xlarge",
    "A10G": "g5.xlarge",
    "L4": "g6.xlarge",
    "L40S": "g6e.xlarge",
    "A100-40GB": "p4d.24xlarge",
    "H100-SXM": "p5.48xlarge",
    "B200": "p6-b200.48xlarge",
    "B300": "p6-b300.48xlarge",
    "GB200": "p6e-gb200.36xlarge",
    "RTX-PRO-6000": "g7e.8xlarge",
    "RTX-PRO-4500": "g7.8xlarge",
    "MI300X": "Standard_ND96isr_MI300X_v5",
    "P100": "n1-standard-8",
}


def machine(name: str) -> InstanceType:
    found = catalog.instance_type(PROVIDERS[name[0]], name)
    assert not isinstance(found, Miss), found
    return found


def gpu(model: str) -> Accelerator:
    found = catalog.accelerator(model)
    assert not isinstance(found, Miss)
    return found


def image(reference: str) -> ContainerPlan:
    plan = container_plan(reference)
    assert isinstance(plan, ContainerPlan), plan
    return plan


def cuda(version: str, **changed: object) -> ContainerPlan:
    """A container of someone's own that holds a CUDA and runs on both architectures."""
    plan = ContainerPlan(
        f"me/train:1-cuda{version}",
        "docker.io/me/train",
        "1",
        "",
        "pytorch",
        version,
        ("x86_64", "arm64"),
        "nvidia",
        "tag",
        True,
    )
    return dataclasses.replace(plan, **changed)  # type: ignore[arg-type]


def node(model: str, driver: str = "595.64", **changed: object) -> NodeFacts:
    accelerator = gpu(model)
    module = KernelModule.PROPRIETARY if accelerator.kernel_module is KernelModule.PROPRIETARY else KernelModule.OPEN
    kind = "rocm" if accelerator.vendor == "AMD" else "cuda"
    facts = NodeFacts("the-image", machine(MACHINES[model]).arch, driver, module, kind, "a page, 2026-01-01")
    return dataclasses.replace(facts, **changed)  # type: ignore[arg-type]


def ask(model: str, container: ContainerPlan | None, node_facts: NodeFacts | None = None, **more: object) -> Verdict:
    accelerator = gpu(model)
    kind = "rocm" if accelerator.vendor == "AMD" else "cuda"
    question = Question(machine(MACHINES[model]), accelerator, node_facts or node(model), container, kind)
    return solve(dataclasses.replace(question, **more))  # type: ignore[arg-type]
