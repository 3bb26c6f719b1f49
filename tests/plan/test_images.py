"""What a pool boots and runs, through the seam that `resolve` calls; with the cases from public reports."""

from __future__ import annotations

import pytest

from gpuinfra import catalog
from gpuinfra.catalog import Miss
from gpuinfra.diagnostics import Severity
from gpuinfra.plan.compatibility import Outcome
from gpuinfra.plan.image_findings import CODES
from gpuinfra.plan.images import ImageDecision, resolve_images
from gpuinfra.spec.models import Image
from gpuinfra.vocabulary import FabricKind, Launcher, Provider, Workload

AWS, GCP, AZURE = Provider.AWS, Provider.GCP, Provider.AZURE
GALLERY = "public.ecr.aws/deep-learning-containers"


def decide(
    provider: Provider,
    name: str,
    container: str | None = None,
    node: str = "auto",
    *,
    fabric: FabricKind = FabricKind.NONE,
    mig: str | tuple[str, ...] | None = None,
    workload: Workload = Workload.TRAINING,
    path: str = "node_pools[0]",
    nodes: int = 1,
    launcher: Launcher = Launcher.NONE,
) -> ImageDecision:
    instance = catalog.instance_type(provider, name)
    assert not isinstance(instance, Miss)
    accelerator = catalog.accelerator(instance.gpu_model) if instance.has_gpu else None
    assert not isinstance(accelerator, Miss)
    return resolve_images(
        path,
        provider=provider,
        instance=instance,
        accelerator=accelerator,
        gpus=instance.gpu_count,
        fabric=fabric,
        mig=mig,
        image=Image(container=container, node=node),
        workload=workload,
        nodes=nodes,
        launcher=launcher,
    )


RIGHT = [
    (AWS, "p6-b200.48xlarge", "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", "auto", FabricKind.EFA),
    (AZURE, "Standard_ND96isr_MI300X_v5", "vllm/vllm-openai-rocm:v0.19.1", "auto", FabricKind.INFINIBAND),
    (AZURE, "Standard_ND40rs_v2", "nvidia/cuda:12.4.1-base-ubuntu22.04", "auto", FabricKind.INFINIBAND),
    (GCP, "a4-highgpu-8g", "nvcr.io/nvidia/pytorch:25.08-py3", "auto", FabricKind.ROCE),
    (GCP, "g2-standard-4", "nvidia/cuda:12.4.1-base-ubuntu22.04", "auto", FabricKind.NONE),
    (AWS, "g4dn.xlarge", "nvidia/cuda:12.4.1-base-ubuntu22.04", "auto", FabricKind.NONE),
]
WRONG = [
    (AWS, "p6-b200.48xlarge", "pytorch/pytorch:2.4.1-cuda12.4-cudnn9-runtime", "auto", ["image", "12.4", "12.8"]),
    (AZURE, "Standard_ND96isr_MI300X_v5", "vllm/vllm-openai:v0.11.0", "auto", ["image", "rocm"]),
    (
        AZURE,
        "Standard_ND40rs_v2",
        "nvidia/cuda:12.4.1-base-ubuntu22.04",
        "microsoft-dsvm:ubuntu-hpc:2404:latest",
        ["image", "v100"],
    ),
    (AZURE, "Standard_ND40rs_v2", "nvidia/cuda:13.0.0-base-ubuntu22.04", "auto", ["image", "13.0", "12.9"]),
    (
        AWS,
        "g5g.xlarge",
        "public.ecr.aws/deep-learning-containers/vllm:0.19.0-gpu-py312-cu129-ubuntu22.04-ec2",
        "auto",
        ["arm64"],
    ),
    (AWS, "p6-b300.48xlarge", "vllm/vllm-openai:v0.11.0", "auto", ["image", "12.8", "12.9"]),
]


@pytest.mark.parametrize(("provider", "name", "container", "node", "fabric"), RIGHT)
def test_right_clusters_are_clean(provider: Provider, name: str, container: str, node: str, fabric: FabricKind) -> None:
    decision = decide(provider, name, container, node, fabric=fabric)
    assert not [d for d in decision.diagnostics if d.is_error]
    assert decision.node_image is not None
    assert decision.container is not None
    assert decision.container.reference == container
    assert decision.verdict is not None
    assert decision.verdict.outcome is not Outcome.UNFIT


@pytest.mark.parametrize(("provider", "name", "container", "node", "words"), WRONG)
def test_wrong_twins_are_caught(provider: Provider, name: str, container: str, node: str, words: list[str]) -> None:
    decision = decide(provider, name, container, node)
    texts = [f"{d.path} {d.message} {d.hint}".lower() for d in decision.diagnostics if d.severity is not Severity.INFO]
    assert any(all(w in text for w in words) for text in texts), texts


def test_volta_by_auto_takes_the_variant_with_the_proprietary_module() -> None:
    decision = decide(AZURE, "Standard_ND40rs_v2")
    assert decision.node_image is not None
    assert "-v100" in decision.node_image.selector


def test_the_same_trouble_reads_the_same_in_every_pool() -> None:
    bad = "pytorch/pytorch:2.4.1-cuda12.4-cudnn9-runtime"
    first = decide(AWS, "p6-b200.48xlarge", bad, path="node_pools[0]")
    second = decide(AWS, "p6-b200.48xlarge", bad, path="node_pools[7]")
    assert first.diagnostics == second.diagnostics


def test_mig_findings_stand_at_the_pool() -> None:
    decision = decide(AWS, "p4d.24xlarge", mig=("3g.20gb", "3g.20gb", "1g.5gb"), path="node_pools[3]")
    assert [d.path for d in decision.diagnostics if d.is_error] == ["node_pools[3].mig"]
    assert decision.mig is None
    good = decide(AWS, "p4d.24xlarge", mig="1g.5gb", path="node_pools[3]")
    assert good.mig is not None
    assert good.mig.instances_per_node == 56
    assert any(d.path == "node_pools[3].mig" for d in good.decisions)


@pytest.mark.parametrize(
    ("provider", "name", "workload", "fabric", "framework"),
    [
        (AWS, "p5.48xlarge", Workload.TRAINING, FabricKind.EFA, "pytorch"),
        (AWS, "p6e-gb200.36xlarge", Workload.TRAINING, FabricKind.EFA, "pytorch"),
        (AWS, "g6.xlarge", Workload.INFERENCE, FabricKind.NONE, "vllm"),
        (AWS, "g4dn.xlarge", Workload.INTERACTIVE, FabricKind.NONE, "cuda"),
        (AZURE, "Standard_ND40rs_v2", Workload.TRAINING, FabricKind.INFINIBAND, "pytorch"),
        (AZURE, "Standard_ND96isr_MI300X_v5", Workload.INFERENCE, FabricKind.INFINIBAND, "vllm"),
        (GCP, "a4-highgpu-8g", Workload.SIMULATION, FabricKind.ROCE, "cuda"),
    ],
)
def test_a_container_that_is_not_named_is_chosen_pinned_and_fits(
    provider: Provider, name: str, workload: Workload, fabric: FabricKind, framework: str
) -> None:
    decision = decide(provider, name, workload=workload, fabric=fabric)
    container = decision.container
    assert container is not None
    assert container.framework == framework
    assert container.pinned
    assert decision.verdict is not None
    assert decision.verdict.outcome is not Outcome.UNFIT
    assert not [d for d in decision.diagnostics if d.path == "image.container" and d.is_error]
    (reason,) = [d for d in decision.decisions if d.path == "image.container"]
    assert reason.value == container.reference
    assert framework in reason.reason


def test_what_is_not_known_of_a_chosen_container_is_said_too() -> None:
    decision = decide(GCP, "a4x-highgpu-4g", workload=Workload.SIMULATION, fabric=FabricKind.ROCE)
    (found,) = [d for d in decision.diagnostics if d.path == "image.container" and d.severity is Severity.WARNING]
    assert found.code == "GI2106"
    assert "arm64" in found.message


def test_with_efa_the_chosen_container_carries_its_plugin() -> None:
    container = decide(AWS, "p5.48xlarge", fabric=FabricKind.EFA).container
    assert container is not None
    assert container.image is not None
    assert container.image.efa_version or "OFI NCCL" in container.image.notes


@pytest.mark.parametrize(
    ("provider", "name", "workload"),
    [
        (AWS, "c5.xlarge", Workload.TRAINING),
        (AZURE, "Standard_ND96isr_MI300X_v5", Workload.TRAINING),
    ],
)
def test_no_container_is_chosen_where_none_fits(provider: Provider, name: str, workload: Workload) -> None:
    decision = decide(provider, name, workload=workload)
    assert decision.container is None
    assert decision.node_image is not None
    assert not [d for d in decision.diagnostics if d.is_error]


@pytest.mark.parametrize(
    ("container", "code", "hint"),
    [
        ("pytorch/pytorch:latest", "GI2101", "pytorch/pytorch:2.13.0"),
        ("me/train", "GI2101", "version"),
        ("me/train:1.0", "GI2102", "gpuinfra images"),
        ("vllm/vllm-openai:v0.19.1", "GI2102", "gpuinfra images"),
        ("tensorflow/tensorflow:2.16.1", "GI2104", "gpu"),
        ("pytorch-training:2.9.0-gpu-py312-cu130-ubuntu22.04-ec2", "GI2102", f"{GALLERY}/pytorch-training:2.9.0-gpu"),
        (
            "library/pytorch-training:2.9.0-gpu-py312-cu130-ubuntu22.04-ec2",
            "GI2102",
            f"{GALLERY}/pytorch-training:2.9.0",
        ),
        ("vllm:0.27.1-gpu-py312-cu130-ubuntu22.04-ec2", "GI2102", f"{GALLERY}/vllm:0.27.1-gpu"),
        ("pytorch-training", "GI2101", f"{GALLERY}/pytorch-training:"),
        ("train:1.0-cu128", "GI2102", "ghcr.io/team/image:1.0-cu128"),
        ("nvidia/pytroch:25.08-py3", "GI2102", "nvcr.io/nvidia/pytorch:25.08-py3"),
        ("nvcr.io/nvidia/pytroch:25.08-py3", "GI2102", "nvcr.io/nvidia/pytorch:25.08-py3"),
        ("nvidia/pytorch:25.08-py3", "GI2102", "nvcr.io/nvidia/pytorch:25.08-py3"),
        ("nvcr.io/nvidia/pytorch:99.99-py3", "GI2102", "nvcr.io/nvidia/pytorch:"),
        ("pytroch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", "GI2102", "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime"),
    ],
)
def test_warnings_about_the_container(container: str, code: str, hint: str) -> None:
    decision = decide(AWS, "p5.48xlarge", container)
    (found,) = [d for d in decision.diagnostics if d.code == code]
    assert found.severity is Severity.WARNING
    assert found.path == "image.container"
    assert hint in found.hint


@pytest.mark.parametrize(
    "container",
    [
        f"{GALLERY}/pytorch-training:2.9.0-gpu-py312-cu130-ubuntu22.04-ec2",
        "763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-training:2.9.0-gpu-py312-cu130-ubuntu22.04-ec2",
        "registry.example/mirror/pytorch:2.9.1-cuda12.8-cudnn9-runtime",
        "ghcr.io/team/image:1.0-cu128",
        "acme/trainer:1.0-cu128",
    ],
)
def test_a_full_reference_is_taken_at_its_word(container: str) -> None:
    assert "GI2102" not in [d.code for d in decide(AWS, "p5.48xlarge", container).diagnostics]


def test_one_finding_says_that_a_moving_tag_is_unknown() -> None:
    found = [d.code for d in decide(AWS, "p5.48xlarge", "pytorch/pytorch:latest").diagnostics]
    assert [c for c in found if c in ("GI2101", "GI2102")] == ["GI2101"]


def test_an_impossible_month_is_unknown_and_no_limit_is_made_of_it() -> None:
    found = [
        d for d in decide(AWS, "p5.48xlarge", "nvcr.io/nvidia/pytorch:99.99-py3").diagnostics if d.path[:7] == "image.c"
    ]
    assert [d.code for d in found] == ["GI2102"]
    assert "13.4" not in found[0].message
    open_end = decide(AWS, "p5.48xlarge", "nvcr.io/nvidia/pytorch:26.10-py3").diagnostics
    assert [d.code for d in open_end if d.path == "image.container"] == ["GI2102"]


def test_an_image_of_unknown_cpus_is_answered_with_one_that_has_them() -> None:
    decision = decide(AWS, "p6e-gb200.36xlarge", "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime")
    (found,) = [d for d in decision.diagnostics if d.code == "GI2106"]
    assert "nvcr.io/nvidia/pytorch:" in found.hint


@pytest.mark.parametrize(
    ("provider", "name", "nodes", "launcher", "fabric", "severity"),
    [
        (AWS, "p5.48xlarge", 4, Launcher.TORCHRUN, FabricKind.EFA, Severity.ERROR),
        (AWS, "p5.48xlarge", 1, Launcher.TORCHRUN, FabricKind.NONE, Severity.ERROR),
        (GCP, "a3-highgpu-1g", 2, Launcher.TORCHRUN, FabricKind.NONE, Severity.ERROR),
        (GCP, "a3-highgpu-1g", 1, Launcher.TORCHRUN, FabricKind.NONE, Severity.ERROR),
        (AWS, "p5.48xlarge", 4, Launcher.MPI, FabricKind.EFA, Severity.WARNING),
        (AWS, "p5.48xlarge", 4, Launcher.SRUN, FabricKind.NONE, Severity.WARNING),
        (AWS, "p5.48xlarge", 4, Launcher.NONE, FabricKind.EFA, Severity.WARNING),
        (AWS, "p5.48xlarge", 4, Launcher.NONE, FabricKind.NONE, None),
        (AWS, "p5.48xlarge", 1, Launcher.NONE, FabricKind.NONE, None),
    ],
)
def test_a_job_across_mig_instances(
    provider: Provider, name: str, nodes: int, launcher: Launcher, fabric: FabricKind, severity: Severity | None
) -> None:
    decision = decide(provider, name, mig="1g.10gb", fabric=fabric, nodes=nodes, launcher=launcher)
    found = [d for d in decision.diagnostics if d.code == "GI2145"]
    assert [d.severity for d in found] == ([severity] if severity else [])
    assert all("NCCL" in d.message and d.path == "node_pools[0].mig" and "mig" in d.hint for d in found)
    whole = decide(provider, name, fabric=fabric, nodes=nodes, launcher=launcher)
    assert "GI2145" not in [d.code for d in whole.diagnostics]


@pytest.mark.parametrize(("nodes", "severity"), [(1, []), (2, [Severity.WARNING])])
def test_one_mig_instance_a_node_may_run(nodes: int, severity: list[Severity]) -> None:
    decision = decide(GCP, "a3-highgpu-1g", mig=("7g.80gb",), nodes=nodes, launcher=Launcher.TORCHRUN)
    assert [d.severity for d in decision.diagnostics if d.code == "GI2145"] == severity


def test_a_digest_is_kept_and_not_told_to_pin() -> None:
    reference = "nvcr.io/nvidia/pytorch:25.08-py3@sha256:" + "0" * 64
    decision = decide(AWS, "p5.48xlarge", reference)
    assert decision.container is not None
    assert decision.container.reference == reference
    assert decision.container.known == "catalog"
    assert "GI2101" not in [d.code for d in decision.diagnostics]


def test_a_bad_reference_leaves_the_rest_judged() -> None:
    decision = decide(AWS, "p5.48xlarge", "nvcr.io#nvidia/pytorch:25.08-py3", mig="1g.5gb")
    assert sorted(d.code for d in decision.diagnostics if d.is_error) == ["GI2100", "GI2141"]
    assert decision.node_image is not None


def test_compatibility_with_limits_is_said_as_information() -> None:
    decision = decide(AZURE, "Standard_ND96isr_H100_v5", "nvidia/cuda:13.2.1-base-ubuntu24.04")
    (found,) = [d for d in decision.diagnostics if d.code == "GI2111"]
    assert found.severity is Severity.INFO
    assert "minor-version" in found.message


def test_codes_are_in_their_range_once_and_say_why() -> None:
    numbers = [c.code for c in CODES]
    assert len(set(numbers)) == len(numbers)
    assert numbers == sorted(numbers)
    assert all("GI2100" <= n <= "GI2149" for n in numbers)
    assert len({c.slug for c in CODES}) == len(CODES)
    assert all(c.summary and c.why for c in CODES)
