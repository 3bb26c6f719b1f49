"""What container references say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra import catalog
from gpuinfra.catalog import ContainerImage, Miss
from gpuinfra.diagnostics import Diagnostic
from gpuinfra.plan.containers import container_plan, cuda_range, full_reference, is_moving, plan_of
from gpuinfra.plan.models import ContainerPlan
from gpuinfra.plan.oci_reference import BadReference, Reference, parse_reference

DIGEST = "sha256:" + "0123456789abcdef" * 4


def miss(reference: str) -> Miss:
    return Miss("container image", reference)


def read(reference: str, images: tuple[ContainerImage, ...] = ()) -> ContainerPlan:
    """The plan of a reference without the catalog: what the name alone says."""
    plan = container_plan(reference, lookup=miss, images=images)
    assert isinstance(plan, ContainerPlan), plan
    return plan


def month(tag: str, cuda: str) -> ContainerImage:
    row = catalog.container_images()[0]
    return row._replace(image=f"nvcr.io/nvidia/pytorch:{tag}-py3", cuda_version=cuda)


@pytest.mark.parametrize(
    ("text", "registry", "path", "tag", "digest"),
    [
        ("ubuntu", "docker.io", "library/ubuntu", "", ""),
        ("pytorch/pytorch:2.9.1", "docker.io", "pytorch/pytorch", "2.9.1", ""),
        ("docker.io/pytorch/pytorch", "docker.io", "pytorch/pytorch", "", ""),
        ("index.docker.io/ubuntu:24.04", "docker.io", "library/ubuntu", "24.04", ""),
        ("localhost:5000/train", "localhost:5000", "train", "", ""),
        ("reg.example.com:443/a/b/c:1.0", "reg.example.com:443", "a/b/c", "1.0", ""),
        (f"nvcr.io/nvidia/pytorch:25.08-py3@{DIGEST}", "nvcr.io", "nvidia/pytorch", "25.08-py3", DIGEST),
        (f"me/train@{DIGEST}", "docker.io", "me/train", "", DIGEST),
        ("a/b__c.d-e:T_ag.1-x", "docker.io", "a/b__c.d-e", "T_ag.1-x", ""),
    ],
)
def test_reference_parts(text: str, registry: str, path: str, tag: str, digest: str) -> None:
    assert parse_reference(text) == Reference(registry, path, tag, digest)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("", ""),
        (" pytorch/pytorch:2.9.1", "pytorch/pytorch:2.9.1"),
        ("docker pull pytorch", ""),
        ("docker://pytorch/pytorch:2.9.1", "pytorch/pytorch:2.9.1"),
        ("nvcr.io#nvidia/pytorch:25.08-py3", "nvcr.io/nvidia/pytorch:25.08-py3"),
        ("PyTorch/pytorch:2.9.1", "pytorch/pytorch:2.9.1"),
        ("pytorch/pytorch:", ""),
        ("pytorch/pytorch:a b", ""),
        ("pytorch/pytorch:$(reboot)", ""),
        ("pytorch//pytorch:1", ""),
        ("/pytorch:1", ""),
        ("me/train@sha256:abc", ""),
        ("me/train@md5", ""),
        ("me/train@sha256:" + "0" * 63, ""),
        ("a" * 300, ""),
        ("x/" * 600, ""),
        ("me/train:" + "t" * 129, ""),
        ("-bad-.io/x:1", ""),
    ],
)
def test_an_invalid_reference_is_a_finding_with_the_nearest_valid_one(text: str, nearest: str) -> None:
    found = container_plan(text, lookup=miss, images=())
    assert isinstance(found, Diagnostic)
    assert found.code == "GI2100"
    assert found.path == "image.container"
    assert found.is_error
    if nearest:
        assert nearest in found.hint
        assert isinstance(parse_reference(nearest), Reference)


@given(st.text(max_size=80))
def test_any_text_is_a_reference_or_a_reason(text: str) -> None:
    parsed = parse_reference(text)
    if isinstance(parsed, BadReference):
        assert parsed.reason
    else:
        again = (
            parsed.repository
            + (f":{parsed.tag}" if parsed.tag else "")
            + (f"@{parsed.digest}" if parsed.digest else "")
        )
        assert parse_reference(again) == parsed


@pytest.mark.parametrize(
    ("reference", "framework", "cuda", "vendor"),
    [
        ("pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", "pytorch", "12.8", "nvidia"),
        ("pytorch/pytorch:latest", "pytorch", "", "nvidia"),
        ("nvcr.io/nvidia/cuda:12.6.0-base-ubuntu22.04", "cuda", "12.6.0", "nvidia"),
        ("nvidia/cuda:13.0.0-devel-ubuntu24.04", "cuda", "13.0.0", "nvidia"),
        ("nvcr.io/nvidia/nemo:25.04", "nemo", "", "nvidia"),
        ("nvcr.io/nvidia/clara/clara-parabricks:4.5.0", "", "", "nvidia"),
        ("tensorflow/tensorflow:2.16.1-gpu", "tensorflow", "", "nvidia"),
        ("tensorflow/tensorflow:2.16.1", "tensorflow", "", "cpu"),
        ("tensorflow/tensorflow", "tensorflow", "", "cpu"),
        ("vllm/vllm-openai:v0.99.0", "vllm", "", "nvidia"),
        ("vllm/vllm-openai:v0.99.0-cu130", "vllm", "13.0", "nvidia"),
        ("vllm/vllm-openai-rocm:v0.99.0", "vllm", "", "amd"),
        ("rocm/vllm:rocm7.0_v0.11", "vllm", "", "amd"),
        ("rocm/pytorch:rocm6.4_ubuntu24.04_py3.12_pytorch_2.6.0", "pytorch", "", "amd"),
        ("lmsysorg/sglang:v0.5-rocm640-mi30x", "", "", "amd"),
        (
            "763104351884.dkr.ecr.us-east-2.amazonaws.com/pytorch-training:2.6.0-gpu-py312-cu126-ubuntu22.04-ec2",
            "pytorch",
            "12.6",
            "nvidia",
        ),
        (
            "public.ecr.aws/deep-learning-containers/vllm:0.19.0-gpu-py312-cu129-ubuntu22.04-ec2",
            "vllm",
            "12.9",
            "nvidia",
        ),
        (
            "763104351884.dkr.ecr.eu-west-1.amazonaws.com/pytorch-inference:2.6.0-cpu-py312-ubuntu22.04-ec2",
            "pytorch",
            "",
            "cpu",
        ),
        ("123456789012.dkr.ecr.us-east-1.amazonaws.com/train:torch2.4-cu124", "", "12.4", "nvidia"),
        ("ghcr.io/huggingface/text-generation-inference:3.3.5", "", "", ""),
        ("me/train:1.0", "", "", ""),
        ("me/train:xcu128", "", "", ""),
        ("me/train:acu1234", "", "", ""),
    ],
)
def test_tags_are_read_by_their_publishers_rules(reference: str, framework: str, cuda: str, vendor: str) -> None:
    plan = read(reference)
    assert (plan.framework, plan.cuda, plan.vendor) == (framework, cuda, vendor)
    assert plan.known == ("tag" if vendor else "unknown")
    assert plan.reference == reference


def test_a_month_that_the_table_has_gives_its_cuda_to_every_monthly_image() -> None:
    months = (month("25.06", "12.9.0.043"), month("25.08", "13.0.1.012"))
    assert read("nvcr.io/nvidia/tritonserver:25.06-py3", months).cuda == "12.9.0.043"
    assert read("nvcr.io/nvidia/tensorflow:25.08-tf2-py3", months).cuda == "13.0.1.012"


@pytest.mark.parametrize(
    ("tag", "low", "high"),
    [("25.07-py3", "12.9.0.043", "13.0.1.012"), ("24.01-py3", "", "12.9.0.043"), ("25.10-py3", "13.0.1.012", "")],
)
def test_an_unknown_month_is_bounded_and_not_guessed(tag: str, low: str, high: str) -> None:
    months = (month("25.08", "13.0.1.012"), month("25.06", "12.9.0.043"))
    plan = read(f"nvcr.io/nvidia/pytorch:{tag}", months)
    assert plan.cuda == ""
    assert cuda_range(plan) == (low, high)


@pytest.mark.parametrize("tag", ["99.99-py3", "25.13-py3", "26.08-py3", "16.12-py3", "25.00-py3"])
def test_a_month_that_cannot_be_is_unknown(tag: str) -> None:
    months = (month("25.08", "13.0.1.012"), month("25.06", "12.9.0.043"))
    assert cuda_range(read(f"nvcr.io/nvidia/pytorch:{tag}", months)) == ("", "")


def test_images_that_do_not_follow_the_months_are_not_bounded() -> None:
    assert cuda_range(read("nvcr.io/nvidia/nemo:25.07", (month("25.06", "12.9.0"),))) == ("", "")


@pytest.mark.parametrize(
    ("tag", "moving"),
    [
        ("", True),
        ("latest", True),
        ("LATEST", True),
        ("main", True),
        ("nightly", True),
        ("nightly-2026", True),
        ("cuda12-latest", True),
        ("latest-gpu", True),
        ("2", True),
        ("v1", True),
        ("stable", True),
        ("nightly-" + "a1" * 20, False),
        ("2.9.1-cuda12.8-cudnn9-runtime", False),
        ("v0.11.0", False),
        ("25.08-py3", False),
        ("domain", False),
        ("13.0.2-devel-ubuntu24.04", False),
    ],
)
def test_moving_tags(tag: str, moving: bool) -> None:
    assert is_moving(tag) is moving


def test_a_digest_pins_any_tag_and_is_kept() -> None:
    plan = read(f"pytorch/pytorch:latest@{DIGEST}")
    assert plan.pinned
    assert plan.digest == DIGEST
    assert not read("pytorch/pytorch:latest").pinned
    assert read(f"me/train@{DIGEST}").known == "unknown"


def test_the_catalog_is_asked_first() -> None:
    plan = container_plan("nvcr.io/nvidia/pytorch:25.08-py3")
    assert isinstance(plan, ContainerPlan)
    assert plan.known == "catalog"
    assert plan.image is not None
    assert plan.cuda.startswith("13.0")
    assert "arm64" in plan.arches
    assert plan.image.source in plan.basis


def test_a_row_without_cuda_keeps_what_the_name_says() -> None:
    name = "nvcr.io/nvidia/pytorch:24.01-py3"
    rows = {r.image: r for r in catalog.container_images()}
    row = rows.pop(name)
    plan = container_plan(name, lookup=lambda _: row._replace(cuda_version=""), images=tuple(rows.values()))
    assert isinstance(plan, ContainerPlan)
    assert plan.known == "catalog"
    assert plan.cuda == ""
    assert plan.cuda_at_most.startswith("12.3")


def test_the_arm64_repositories_of_aws() -> None:
    x86 = "763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-training:9.9-gpu-py312-cu129-ubuntu22.04-ec2"
    arm = x86.replace("pytorch-training", "pytorch-training-arm64")
    assert read(x86).arches == ("x86_64",)
    assert read(arm).arches == ("arm64",)
    assert read(x86.replace("763104351884", "123456789012")).arches == ()


def test_every_catalog_image_can_be_pulled_and_means_itself() -> None:
    for row in catalog.container_images():
        plan = plan_of(row)
        assert isinstance(parse_reference(plan.reference), Reference), row.image
        assert plan.vendor in {"nvidia", "amd"}, row.image
        found = catalog.container_image(full_reference(row))
        assert isinstance(found, ContainerImage), row.image
        assert found.image == row.image
        assert not (plan.vendor == "amd" and plan.cuda)
