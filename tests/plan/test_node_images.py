"""The node image of a pool: by `auto`, and as people name one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra import catalog
from gpuinfra.catalog import Miss
from gpuinfra.plan.node_image_names import FORMS, read_image_name
from gpuinfra.plan.node_images import NodeChoice, choose_node_image, serves
from gpuinfra.plan.toolkits import Facts, catalog_facts
from gpuinfra.vocabulary import KernelModule, Provider

AWS, GCP, AZURE = Provider.AWS, Provider.GCP, Provider.AZURE
DLAMI = "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id"


def choose(provider: Provider, name: str, wish: str = "auto", model: str = "") -> NodeChoice:
    instance = catalog.instance_type(provider, name)
    assert not isinstance(instance, Miss), instance
    model = model or instance.gpu_model
    accelerator = catalog.accelerator(model) if model else None
    assert not isinstance(accelerator, Miss)
    return choose_node_image(provider, instance, accelerator, wish, catalog_facts(provider))


def codes(choice: NodeChoice) -> list[str]:
    return [d.code for d in choice.diagnostics]


@pytest.mark.parametrize(
    ("provider", "name", "model", "words"),
    [
        (AWS, "p5.48xlarge", "", ["base-oss-nvidia-driver-gpu", "x86_64"]),
        (AWS, "g4dn.xlarge", "", ["base-oss-nvidia-driver-gpu", "x86_64"]),
        (AWS, "g7e.8xlarge", "", ["base-oss-nvidia-driver-gpu", "x86_64"]),
        (AWS, "p6e-gb200.36xlarge", "", ["base-oss-nvidia-driver-gpu", "arm64"]),
        (AWS, "g5g.xlarge", "", ["base-oss-nvidia-driver-gpu", "arm64"]),
        (AWS, "c5.xlarge", "", ["canonical/ubuntu", "amd64"]),
        (AWS, "c7g.xlarge", "", ["canonical/ubuntu", "arm64"]),
        (GCP, "a3-highgpu-8g", "", ["ubuntu-os-accelerator-images", "2404-amd64-with-nvidia-580"]),
        (GCP, "a3-megagpu-8g", "", ["ubuntu-os-accelerator-images", "2404-amd64-with-nvidia-580"]),
        (GCP, "a4-highgpu-8g", "", ["ubuntu-os-accelerator-images", "2404-amd64-with-nvidia-580"]),
        (GCP, "a4x-highgpu-4g", "", ["ubuntu-os-accelerator-images", "2404-arm64-with-nvidia-580"]),
        (GCP, "a3-highgpu-1g", "", ["deeplearning-platform-release"]),
        (GCP, "a2-highgpu-1g", "", ["deeplearning-platform-release"]),
        (GCP, "g2-standard-4", "", ["ubuntu-os-cloud", "ubuntu-2404-lts-amd64"]),
        (GCP, "g4-standard-48", "", ["ubuntu-os-cloud", "ubuntu-2404-lts-amd64"]),
        (GCP, "n1-standard-8", "T4", ["deeplearning-platform-release"]),
        (GCP, "n1-standard-8", "", ["ubuntu-2404-lts-amd64"]),
        (AZURE, "Standard_ND96isr_H100_v5", "", ["microsoft-dsvm:ubuntu-hpc:2404:latest"]),
        (AZURE, "Standard_NC24ads_A100_v4", "", ["microsoft-dsvm:ubuntu-hpc:2404:latest"]),
        (AZURE, "Standard_NC4as_T4_v3", "", ["microsoft-dsvm:ubuntu-hpc:2404:latest"]),
        (AZURE, "Standard_ND40rs_v2", "", ["microsoft-dsvm:ubuntu-hpc:2204-v100:latest"]),
        (AZURE, "Standard_ND96isr_MI300X_v5", "", ["microsoft-dsvm:ubuntu-hpc:2404-rocm:latest"]),
        (AZURE, "Standard_NV36ads_A10_v5", "", ["Canonical:"]),
        (AZURE, "Standard_NC144ds_xl_RTXPRO6000BSE_v6", "", ["Canonical:"]),
    ],
)
def test_auto_takes_the_machines_own_image(provider: Provider, name: str, model: str, words: list[str]) -> None:
    choice = choose(provider, name, model=model)
    assert choice.plan is not None
    assert all(w in choice.plan.selector for w in words), choice.plan.selector
    assert not any(d.is_error for d in choice.diagnostics)
    assert choice.plan.image is not None
    assert "GI2123" in codes(choice)


def test_auto_finds_an_image_for_every_gpu_machine_that_is_sold_or_says_what_it_needs() -> None:
    without: set[str] = set()
    for provider in Provider:
        for instance in catalog.instance_types(provider):
            choice = choose(provider, instance.name)
            if choice.plan is None:
                assert codes(choice) == ["GI2124"]
                without.add(instance.gpu_model if instance.gpu_fraction == 1 else "a share of a GPU")
            else:
                assert not any(d.is_error for d in choice.diagnostics), (instance.name, choice.diagnostics)
    assert without <= {
        "RADEON-PRO-V520",
        "RADEON-PRO-V620",
        "RADEON-PRO-V710",
        "RADEON-INSTINCT-MI25",
        "M60",
        "V100-16GB",
        "V100-32GB",
        "H100-NVL",
        "a share of a GPU",
    }


def test_a_driver_that_is_not_known_is_a_warning_that_names_the_image() -> None:
    choice = choose(GCP, "g2-standard-4", "family/cos-stable")
    (unknown,) = [d for d in choice.diagnostics if d.code == "GI2122"]
    assert "cos" in unknown.message
    assert "g2-standard-4" in unknown.message
    assert not unknown.is_error


def test_auto_never_takes_a_system_on_which_the_boot_bundle_does_not_work() -> None:
    taken = dict.fromkeys(Provider, 0)
    for provider in Provider:
        for instance in catalog.instance_types(provider):
            plan = choose(provider, instance.name).plan
            if plan is not None and plan.image is not None:
                taken[provider] += 1
                assert not plan.image.os.startswith(("cos", "bottlerocket", "flatcar")), instance.name
    assert all(taken.values())


@pytest.mark.parametrize("wish", ["family/ubuntu-2404-lts-amd64", "family/ubuntu-2204-lts"])
def test_stock_ubuntu_of_google_counts_with_the_driver_that_the_bundle_lays_on_it(wish: str) -> None:
    choice = choose(GCP, "g4-standard-48", wish)
    assert choice.plan is not None
    assert (choice.plan.driver, choice.plan.kernel_module) == ("580", KernelModule.OPEN)
    assert choice.plan.selector.endswith(wish)
    assert codes(choice) == ["GI2123"]


def test_stock_ubuntu_is_refused_on_machines_for_which_no_driver_is_laid_on() -> None:
    for name in ("a2-highgpu-1g", "a3-highgpu-8g"):
        assert "GI2127" in codes(choose(GCP, name, "family/ubuntu-2404-lts-amd64"))


@pytest.mark.parametrize(
    ("publisher", "terms"), [("almalinux:almalinux-hpc:9-hpc-gen2", True), ("microsoft-dsvm:ubuntu-hpc:2404", False)]
)
def test_images_with_terms_say_how_they_are_accepted(publisher: str, terms: bool) -> None:
    found = [d for d in choose(AZURE, "Standard_NC24ads_A100_v4", publisher).diagnostics if d.code == "GI2133"]
    assert len(found) == terms
    assert all(f"az vm image terms accept --urn {publisher}:latest" in d.hint and not d.is_error for d in found)


@pytest.mark.parametrize(
    ("provider", "name", "wish", "other"),
    [
        (AZURE, "Standard_ND96isr_H100_v5", "Canonical:ubuntu-24_04-lts:server-arm6:latest", "arm64"),
        (GCP, "a3-megagpu-8g", "family/ubuntu-accelerator-2404-arm64-with-nvidia-58", "arm64"),
        (AWS, "g5g.xlarge", DLAMI.replace("24.04", "24.40"), "x86_64"),
    ],
)
def test_no_guess_is_an_image_for_the_other_cpu(provider: Provider, name: str, wish: str, other: str) -> None:
    (unknown,) = [d for d in choose(provider, name, wish).diagnostics if d.code == "GI2121"]
    assert other not in unknown.hint


@pytest.mark.parametrize("name", ["g4dn.xlarge", "p5.48xlarge", "g6.xlarge"])
def test_auto_prefers_an_image_whose_driver_is_known(name: str) -> None:
    plan = choose(AWS, name).plan
    assert plan is not None
    assert plan.driver
    assert "GI2122" not in codes(choose(AWS, name))


def test_auto_prefers_an_image_made_for_the_machine_over_a_newer_one_that_names_none() -> None:
    instance, accelerator = catalog.instance_type(AWS, "p5.48xlarge"), catalog.accelerator("H100-SXM")
    assert not isinstance(instance, Miss)
    assert not isinstance(accelerator, Miss)
    own = next(i for i in catalog.node_images(AWS) if "P5" in i.machine_types.split(";") and i.driver and i.selector)
    newer = own._replace(machine_types="", driver="999.10.01", selector="/aws/service/newer/ami-id")
    choice = choose_node_image(AWS, instance, accelerator, "auto", Facts((), (), (newer, own)))
    assert choice.plan is not None
    assert choice.plan.selector == own.selector


def test_an_image_whose_sold_name_is_not_known_is_said_and_not_guessed() -> None:
    choice = choose(AZURE, "Standard_ND128isr_NDR_GB200_v6")
    assert choice.plan is not None
    assert choice.plan.selector == ""
    assert codes(choice) == ["GI2132"]
    assert choice.plan.driver


def test_stock_image_with_a_driver_laid_on_it_carries_the_facts_of_both() -> None:
    choice = choose(AZURE, "Standard_NV36ads_A10_v5")
    assert choice.plan is not None
    assert choice.plan.image is not None
    assert choice.plan.image.driver_kind == "grid"
    assert choice.plan.driver == "570.211.01"
    named = choose(AZURE, "Standard_NV36ads_A10_v5", choice.plan.selector)
    assert not any(d.is_error for d in named.diagnostics)
    assert named.plan is not None
    assert named.plan.image == choice.plan.image


@pytest.mark.parametrize(
    ("provider", "wish", "kind", "pinned", "selector"),
    [
        (AWS, "ami-0123456789abcdef0", "id", True, ""),
        (AWS, DLAMI, "parameter", False, ""),
        (AWS, f"resolve:ssm:{DLAMI}", "parameter", False, DLAMI),
        (AWS, "/team/gpu-image:3", "parameter", True, ""),
        (AWS, "/team/gpu-image", "parameter", False, ""),
        (GCP, "family/common-cu129-ubuntu-2404-nvidia-580", "family", False, ""),
        (GCP, "common-cu129-ubuntu-2404-nvidia-580", "family", False, ""),
        (GCP, "projects/acme-lab/global/images/family/gpu", "family", False, ""),
        (GCP, "projects/acme-lab/global/images/gpu-v20260101", "id", True, ""),
        (GCP, "projects/acme.com:lab/global/images/gpu", "id", True, ""),
        (GCP, "acme-lab/gpu-v20260101", "id", True, ""),
        (GCP, "gpu-v20260101", "id", True, ""),
        (AZURE, "microsoft-dsvm:ubuntu-hpc:2404:latest", "urn", False, ""),
        (AZURE, "microsoft-dsvm:ubuntu-hpc:2404", "urn", False, "microsoft-dsvm:ubuntu-hpc:2404:latest"),
        (AZURE, "microsoft-dsvm:ubuntu-hpc:2404:24.04.2026072801", "urn", True, ""),
        (
            AZURE,
            "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/galleries/g/images/i/versions/1.0.0",
            "id",
            True,
            "",
        ),
        (
            AZURE,
            "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/galleries/g/images/i/versions/latest",
            "id",
            False,
            "",
        ),
        (AZURE, "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/galleries/g/images/i", "id", False, ""),
        (AZURE, "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/images/i", "id", True, ""),
        (AZURE, "/communityGalleries/g/images/i/versions/1.0.0", "id", True, ""),
    ],
)
def test_forms(provider: Provider, wish: str, kind: str, pinned: bool, selector: str) -> None:
    name = read_image_name(provider, wish)
    assert name is not None
    assert (name.kind, name.pinned, name.selector) == (kind, pinned, selector or wish)


@pytest.mark.parametrize(
    ("provider", "wish", "word"),
    [
        (AWS, "microsoft-dsvm:ubuntu-hpc:2404:latest", "azure"),
        (AWS, "ubuntu-22.04", "ami-"),
        (AWS, "ami-xyz", "ami-"),
        (AWS, "ami-0123", "ami-"),
        (AWS, "projects/acme-lab/global/images/family/gpu", "gcp"),
        (GCP, "ami-0123456789abcdef0", "aws"),
        (GCP, "microsoft-dsvm:ubuntu-hpc:2404:latest", "azure"),
        (GCP, DLAMI, "aws"),
        (GCP, "My Image", "family"),
        (AZURE, "ami-0123456789abcdef0", "aws"),
        (AZURE, "ubuntu-hpc", "microsoft-dsvm:ubuntu-hpc:"),
        (AZURE, "a:b", "microsoft-dsvm:ubuntu-hpc:"),
        (AZURE, "$(reboot)", "microsoft-dsvm:ubuntu-hpc:"),
    ],
)
def test_a_malformed_or_foreign_name_is_an_error_that_says_what_is_taken(
    provider: Provider, wish: str, word: str
) -> None:
    name = {AWS: "p5.48xlarge", GCP: "a3-megagpu-8g", AZURE: "Standard_ND96isr_H100_v5"}[provider]
    choice = choose(provider, name, wish)
    assert choice.plan is None
    (found,) = choice.diagnostics
    assert found.code == "GI2120"
    assert found.is_error
    assert wish in found.message
    assert word in found.message + found.hint


@given(st.sampled_from(list(Provider)), st.text(max_size=60))
def test_any_text_is_an_image_or_a_finding(provider: Provider, wish: str) -> None:
    name = {AWS: "p5.48xlarge", GCP: "a3-megagpu-8g", AZURE: "Standard_ND96isr_H100_v5"}[provider]
    choice = choose(provider, name, wish)
    assert choice.plan is not None or any(d.is_error for d in choice.diagnostics)


@pytest.mark.parametrize(
    ("provider", "name", "wish", "code", "words"),
    [
        (AZURE, "Standard_ND40rs_v2", "microsoft-dsvm:ubuntu-hpc:2404:latest", "GI2126", ["V100", "2204-v100"]),
        (AZURE, "Standard_ND40rs_v2", "microsoft-dsvm:ubuntu-hpc:2204", "GI2126", ["V100", "2204-v100"]),
        (AWS, "p3.2xlarge", DLAMI, "GI2126", ["V100", "proprietary"]),
        (AZURE, "Standard_ND96isr_MI300X_v5", "microsoft-dsvm:ubuntu-hpc:2404:latest", "GI2127", ["ROCm", "2404-rocm"]),
        (
            AZURE,
            "Standard_ND96isr_H100_v5",
            "microsoft-dsvm:ubuntu-hpc:2204-rocm:latest",
            "GI2127",
            ["ROCm", "2404:latest"],
        ),
        (AZURE, "Standard_NV36ads_A10_v5", "microsoft-dsvm:ubuntu-hpc:2204:latest", "GI2127", ["GRID", "Canonical"]),
        (
            AZURE,
            "Standard_ND128isr_NDR_GB200_v6",
            "microsoft-dsvm:ubuntu-hpc:2404:latest",
            "GI2125",
            ["arm64", "x86_64"],
        ),
        (AWS, "g5g.xlarge", DLAMI, "GI2125", ["arm64", "x86_64"]),
        (GCP, "a3-megagpu-8g", "family/ubuntu-accelerator-2404-arm64-with-nvidia-580", "GI2125", ["arm64"]),
        (
            GCP,
            "g2-standard-4",
            "family/common-cu129-ubuntu-2404-nvidia-580",
            "GI2129",
            ["g2-standard-4", "ubuntu-2404"],
        ),
        (GCP, "a3-megagpu-8g", "family/ubuntu-2404-lts-amd64", "GI2127", ["no GPU driver"]),
        (GCP, "a3-megagpu-8g", "projects/windows-cloud/global/images/family/windows-2025", "GI2131", ["Windows"]),
        (
            AZURE,
            "Standard_NC40ads_H100_v5",
            "Canonical:0001-com-ubuntu-server-jammy:22_04-lts:latest",
            "GI2130",
            ["generation 1"],
        ),
    ],
)
def test_named_images_that_do_not_go_with_the_machine(
    provider: Provider, name: str, wish: str, code: str, words: list[str]
) -> None:
    choice = choose(provider, name, wish)
    (found,) = [d for d in choice.diagnostics if d.is_error]
    assert found.code == code
    assert found.path == "image.node"
    assert all(w in found.message + found.hint for w in words), found


@pytest.mark.parametrize(
    ("provider", "name", "wish"),
    [
        (AZURE, "Standard_ND40rs_v2", "microsoft-dsvm:ubuntu-hpc:2204-v100:latest"),
        (AZURE, "Standard_ND40rs_v2", "almalinux:almalinux-hpc:8_10-hpc-v100-gen2:latest"),
        (AZURE, "Standard_ND96isr_H100_v5", "almalinux:almalinux-hpc:9-hpc-gen2:latest"),
        (AZURE, "Standard_ND96isr_H100_v5", "microsoft-dsvm:ubuntu-hpc:2404:24.04.2026072801"),
        (AWS, "p5.48xlarge", DLAMI),
        (AWS, "p5.48xlarge", "ami-0123456789abcdef0"),
        (GCP, "a4-highgpu-8g", "family/rocky-linux-9-optimized-gcp-nvidia-580"),
        (GCP, "a4-highgpu-8g", "projects/acme-lab/global/images/family/our-gpu-image"),
    ],
)
def test_named_images_that_go_with_the_machine(provider: Provider, name: str, wish: str) -> None:
    choice = choose(provider, name, wish)
    assert choice.plan is not None
    assert not any(d.is_error for d in choice.diagnostics)


def test_the_selector_of_a_public_family_names_its_project() -> None:
    choice = choose(GCP, "a4-highgpu-8g", "ubuntu-accelerator-2404-amd64-with-nvidia-580")
    assert choice.plan is not None
    assert choice.plan.selector.startswith("projects/ubuntu-os-accelerator-images/global/images/family/")


def test_an_image_outside_the_catalog_is_unknown() -> None:
    choice = choose(AWS, "p5.48xlarge", "ami-0123456789abcdef0")
    assert choice.plan is not None
    assert choice.plan.pinned
    assert choice.plan.image is None
    assert choice.plan.driver == ""
    assert choice.plan.kernel_module is KernelModule.UNKNOWN
    assert codes(choice) == ["GI2121"]


def test_a_pinned_release_is_not_told_to_pin() -> None:
    assert "GI2123" not in codes(
        choose(AZURE, "Standard_ND96isr_H100_v5", "microsoft-dsvm:ubuntu-hpc:2404:24.04.2026072801")
    )
    moving = choose(AZURE, "Standard_ND96isr_H100_v5", "microsoft-dsvm:ubuntu-hpc:2404")
    (found,) = [d for d in moving.diagnostics if d.code == "GI2123"]
    assert not found.is_error
    assert "latest" in found.message


def test_login_user_root_device_and_size() -> None:
    aws = choose(AWS, "p5.48xlarge", DLAMI).plan
    assert aws is not None
    assert (aws.user, aws.root_device) == ("ubuntu", "/dev/sda1")
    assert aws.root_gib >= 200
    al2023 = choose(AWS, "p5.48xlarge", DLAMI.replace("ubuntu-24.04", "amazon-linux-2023")).plan
    assert al2023 is not None
    assert (al2023.user, al2023.root_device) == ("ec2-user", "/dev/xvda")
    azure = choose(AZURE, "Standard_ND96isr_H100_v5").plan
    assert azure is not None
    assert azure.user == "azureuser"


@pytest.mark.parametrize(
    ("token", "provider", "name", "answer"),
    [
        ("A4", GCP, "a4-highgpu-8g", True),
        ("A4", GCP, "a4x-highgpu-4g", False),
        ("A4X", GCP, "a4x-highgpu-4g", True),
        ("A4X Max", GCP, "a4x-highgpu-4g", False),
        ("A3 High (8 GPUs)", GCP, "a3-highgpu-8g", True),
        ("A3 High (8 GPUs)", GCP, "a3-highgpu-1g", False),
        ("A3 Ultra;A3 Mega", GCP, "a3-megagpu-8g", True),
        ("P6-B200", AWS, "p6-b200.48xlarge", True),
        ("P6-B200", AWS, "p6-b300.48xlarge", False),
        ("G6", AWS, "g6e.xlarge", False),
        ("G6e", AWS, "g6.xlarge", False),
        ("P5", AWS, "p5.48xlarge", True),
        ("ND A100 v4", AZURE, "Standard_ND96asr_v4", True),
        ("NC A100 v4", AZURE, "Standard_ND96asr_v4", False),
        ("NDv2", AZURE, "Standard_ND40rs_v2", True),
        ("NVads A10 v5", AZURE, "Standard_NV36ads_A10_v5", True),
        ("MI300X", AZURE, "Standard_ND96isr_MI300X_v5", True),
        ("NC*_xl_RTXPRO6000BSE_v6", AZURE, "Standard_NC144ds_xl_RTXPRO6000BSE_v6", True),
        ("", AWS, "p5.48xlarge", None),
    ],
)
def test_machines_as_publishers_spell_them(token: str, provider: Provider, name: str, answer: bool | None) -> None:
    instance = catalog.instance_type(provider, name)
    assert not isinstance(instance, Miss)
    image = catalog.node_images(provider)[0]._replace(machine_types=token)
    assert serves(image, instance) is answer


def test_every_cloud_has_its_forms() -> None:
    assert set(FORMS) == set(Provider)
    for provider in Provider:
        for image in catalog.node_images(provider):
            if image.selector and "<" not in image.selector:
                assert read_image_name(provider, image.selector) is not None, image.selector
