"""CUDA releases, container images and node images, by the names that people write."""

from __future__ import annotations

import pytest

from gpuinfra import catalog
from gpuinfra.catalog import ContainerImage, CudaRelease, Miss, NodeImage
from gpuinfra.vocabulary import KernelModule, Provider


@pytest.mark.parametrize(
    ("version", "found"),
    [("12.8.1", "12.8.1"), ("12.8", "12.8.0"), ("13.0", "13.0.0"), (" 12.4.1 ", "12.4.1"), ("12.5.0.23", "12.5.0")],
)
def test_a_cuda_release_is_found_by_its_version_or_by_the_shorter_one(version: str, found: str) -> None:
    release = catalog.cuda_release(version)
    assert isinstance(release, CudaRelease)
    assert release.version == found


@pytest.mark.parametrize(
    ("version", "nearest"),
    [("12.7", ("12.6.3", "12.8.0")), ("99.1", 1), ("12", 2), ("", ()), ("cuda", ()), ("1.0", 1), ("٣.١", ())],
)
def test_an_unknown_cuda_release_names_the_ones_below_and_above(version: str, nearest: tuple[str, ...] | int) -> None:
    found = catalog.cuda_release(version)
    assert isinstance(found, Miss)
    assert found.kind == "CUDA release"
    assert (len(found.nearest) if isinstance(nearest, int) else found.nearest) == nearest


@pytest.mark.parametrize(
    "reference",
    [
        "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime",
        "docker.io/pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime",
        "index.docker.io/pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime",
        "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime@sha256:" + "0" * 64,
    ],
)
def test_a_container_image_is_found_however_it_is_written(reference: str) -> None:
    found = catalog.container_image(reference)
    assert isinstance(found, ContainerImage)
    assert (found.image, found.cuda_version) == ("pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", "12.8")


@pytest.mark.parametrize(
    "prefix",
    [
        "763104351884.dkr.ecr.us-east-1.amazonaws.com/",
        "763104351884.dkr.ecr.cn-north-1.amazonaws.com.cn/",
        "public.ecr.aws/deep-learning-containers/",
        "871362719292.dkr.ecr.ap-east-1.amazonaws.com/",
    ],
)
def test_an_aws_container_is_found_by_its_private_and_its_public_name(prefix: str) -> None:
    name = "pytorch-training:2.6.0-gpu-py312-cu126-ubuntu22.04-sagemaker"
    found = catalog.container_image(prefix + name)
    assert isinstance(found, ContainerImage)
    assert found.image == f"public.ecr.aws/deep-learning-containers/{name}"
    assert found.registry == "aws-dlc-public"


@pytest.mark.parametrize(
    "reference",
    [
        "pytorch-training:2.6.0-gpu-py312-cu126-ubuntu22.04-sagemaker",
        "docker.io/library/pytorch-training:2.6.0-gpu-py312-cu126-ubuntu22.04-sagemaker",
        "123456789012.dkr.ecr.us-east-1.amazonaws.com/pytorch-training:2.6.0-gpu-py312-cu126-ubuntu22.04-sagemaker",
        "",
        "pytorch/pytorch",
        "pytorch/pytorch:latest",
        "acme/trainer:1.0",
        "@sha256:0",
    ],
)
def test_an_unknown_container_image_is_a_miss(reference: str) -> None:
    assert isinstance(catalog.container_image(reference), Miss)


def test_a_miss_names_tags_of_the_same_repository_first() -> None:
    found = catalog.container_image("pytorch/pytorch:2.9.1-cuda12.9-cudnn9-runtime")
    assert isinstance(found, Miss)
    assert found.nearest
    assert all(image.startswith("pytorch/pytorch:") for image in found.nearest)


def node_image(provider: Provider, selector: str) -> NodeImage:
    found = catalog.node_image(provider, selector)
    assert isinstance(found, NodeImage), found
    return found


@pytest.mark.parametrize(
    ("provider", "written", "selector"),
    [
        (
            Provider.AWS,
            "resolve:ssm:/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id",
            "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id",
        ),
        (
            Provider.AWS,
            "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
            "/aws/service/eks/optimized-ami/<k8s-version>/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
        ),
        (Provider.GCP, "ubuntu-2404-lts-amd64", "family/ubuntu-2404-lts-amd64"),
        (
            Provider.GCP,
            "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64",
            "family/ubuntu-2404-lts-amd64",
        ),
        (Provider.GCP, "family/cos-stable", "family/cos-stable"),
        (Provider.AZURE, "microsoft-dsvm:ubuntu-hpc:2404", "microsoft-dsvm:ubuntu-hpc:2404:latest"),
        (Provider.AZURE, "Canonical:ubuntu-24_04-lts:server:latest", "Canonical:ubuntu-24_04-lts:server:latest"),
    ],
)
def test_a_node_image_is_found_however_it_is_written(provider: Provider, written: str, selector: str) -> None:
    assert node_image(provider, written).selector == selector


def test_a_dated_image_keeps_the_facts_of_its_family_and_says_that_they_were_not_verified() -> None:
    newest = node_image(Provider.AZURE, "microsoft-dsvm:ubuntu-hpc:2204:latest")
    dated = node_image(Provider.AZURE, "microsoft-dsvm:ubuntu-hpc:2204:22.04.2025081901")
    assert newest.driver
    assert newest.cuda
    assert (dated.driver, dated.cuda, dated.release) == (newest.driver, newest.cuda, "22.04.2025081901")
    assert (newest.verified, dated.verified) == (True, False)
    assert (dated.kernel_module, dated.arch) == (newest.kernel_module, newest.arch)
    name = "projects/ubuntu-os-accelerator-images/global/images/ubuntu-accelerator-2404-amd64-with-nvidia-580-v20260115"
    family = node_image(Provider.GCP, name)
    assert (family.driver, family.release, family.selector) == ("580", "20260115", name)
    assert family.verified
    for name, selector in (
        ("ubuntu-2404-noble-amd64", "ubuntu-2404-lts-amd64"),
        ("ubuntu-2204-jammy", "ubuntu-2204-lts"),
    ):
        stock = node_image(Provider.GCP, f"projects/ubuntu-os-cloud/global/images/{name}-v20260801")
        assert stock.name == selector


@pytest.mark.parametrize(
    ("provider", "selector"),
    [
        (Provider.AWS, "ami-0123456789abcdef0"), (Provider.AWS, ""), (Provider.AWS, "/aws/service/x/y"),
        (Provider.GCP, "family/"), (Provider.GCP, "acme-image-v20260101"), (Provider.AZURE, "a:b:c:d"),
        (Provider.AZURE, "microsoft-dsvm:ubuntu-hpc:9999"), (Provider.AZURE, "a:b"),
    ],
)  # fmt: skip
def test_an_unknown_node_image_is_a_miss(provider: Provider, selector: str) -> None:
    assert isinstance(catalog.node_image(provider, selector), Miss)


def test_a_missing_node_image_names_the_nearest() -> None:
    found = catalog.node_image(Provider.AZURE, "microsoft-dsvm:ubuntu-hpc:2205")
    assert isinstance(found, Miss)
    assert "microsoft-dsvm:ubuntu-hpc:2204:latest" in found.nearest


@pytest.mark.parametrize("provider", Provider)
def test_each_cloud_has_a_plain_image_and_a_gpu_image(provider: Provider) -> None:
    images = [image for image in catalog.node_images(provider) if image.selector]
    kinds = {(image.driver_kind, image.arch) for image in images}
    assert {("none", "x86_64"), ("none", "arm64"), ("cuda", "x86_64")} <= kinds
    for image in images:
        if image.driver_kind == "none":
            assert image.driver == ""
            assert image.min_root_gib


def test_node_image_rows_are_sound() -> None:
    for provider in Provider:
        selectors = [image.selector for image in catalog.node_images(provider) if image.selector]
        assert len(set(selectors)) == len(selectors)
        for image in catalog.node_images(provider):
            assert image.driver_kind in ("cuda", "grid", "rocm", "none"), image.name
            assert not image.root_device or image.root_device.startswith("/dev/"), image.name
    for image in catalog.node_images(Provider.AWS):
        device = "/dev/sda1" if image.os.startswith("ubuntu") else "/dev/xvda"
        assert image.root_device == device, image.name
        if "Deep Learning" in image.name:
            assert image.min_root_gib
            assert image.min_root_gib >= 75


def test_the_v100_image_of_azure_carries_the_proprietary_module_and_the_others_the_open_one() -> None:
    assert node_image(Provider.AZURE, "microsoft-dsvm:ubuntu-hpc:2204-v100").kernel_module is KernelModule.PROPRIETARY
    assert node_image(Provider.AZURE, "microsoft-dsvm:ubuntu-hpc:2204").kernel_module is KernelModule.OPEN
    assert node_image(Provider.AZURE, "microsoft-dsvm:ubuntu-hpc:2404-rocm").driver_kind == "rocm"
    assert any(image.driver_kind == "grid" for image in catalog.node_images(Provider.AZURE))
