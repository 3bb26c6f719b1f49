"""The hints of findings about node images, applied: none leads into a finding of the same weight."""

from __future__ import annotations

import re

import pytest

from gpuinfra import catalog
from gpuinfra.catalog import Miss
from gpuinfra.diagnostics import SEVERITY_ORDER, Diagnostic, Severity
from gpuinfra.plan.node_image_names import example_of_id
from gpuinfra.plan.node_images import NodeChoice, choose_node_image
from gpuinfra.plan.toolkits import catalog_facts
from gpuinfra.vocabulary import Provider

AWS, GCP, AZURE = Provider.AWS, Provider.GCP, Provider.AZURE
DLAMI = "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id"
PROPRIETARY = "/aws/service/deeplearning/ami/x86_64/base-proprietary-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id"
STOCK = "/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id"

WISHES = {
    AWS: ("auto", DLAMI, DLAMI.replace("24.04", "24.40"), PROPRIETARY, STOCK, "ubuntu", "ami-0123456789abcdef0"),
    GCP: (
        "auto",
        "family/ubuntu-2404-lts-amd64",
        "family/ubuntu-accelerator-2404-amd64-with-nvidia-580",
        "family/ubuntu-accelerator-2404-amd64-with-nvidia-58",
        "family/common-cu129-ubuntu-2404-nvidia-580",
        "family/common-cu999",
        "windows-server-2022-dc-v20260101",
        "a b",
    ),
    AZURE: (
        "auto",
        "microsoft-dsvm:ubuntu-hpc:2404:latest",
        "microsoft-dsvm:ubuntu-hpc:2204:22.04.2025081901",
        "microsoft-dsvm:ubuntu-hpcc:2404:latest",
        "almalinux:almalinux-hpc:9-hpc-gen2:latest",
        "Canonical:0001-com-ubuntu-server-jammy:22_04-lts:latest",
        "MicrosoftWindowsServer:WindowsServer:2022-datacenter:latest",
        "ubuntu-hpc",
    ),
}
MACHINES = {
    AWS: (
        "p5.48xlarge",
        "p3dn.24xlarge",
        "g4ad.xlarge",
        "g6f.large",
        "g5g.xlarge",
        "g7e.8xlarge",
        "p6e-gb200.36xlarge",
    ),
    GCP: ("a3-highgpu-8g", "a3-highgpu-1g", "g2-standard-4", "g4-standard-6", "a4x-highgpu-4g", "a2-highgpu-1g"),
    AZURE: (
        "Standard_ND96isr_H100_v5",
        "Standard_ND40rs_v2",
        "Standard_NCC40ads_H100_v5",
        "Standard_NV36ads_A10_v5",
        "Standard_NG8ads_V620_v1",
        "Standard_ND96isr_MI300X_v5",
        "Standard_ND128isr_NDR_GB200_v6",
    ),
}
CASES = [(p, n, w) for p in MACHINES for n in MACHINES[p] for w in WISHES[p]]
PRINTED = re.compile(r"\b(?:aws ssm|gcloud|az vm)\b.*?prints it(?:, to write as \S+)?|run once: [^;]+")
NAMED = re.compile(r"/aws/\S+|ami-[0-9a-f]+|projects/\S+|family/\S+|/subscriptions/\S+|[\w.-]+:[\w.-]+:[\w.-]+:[\w.-]+")


def choose(provider: Provider, name: str, wish: str) -> NodeChoice:
    instance = catalog.instance_type(provider, name)
    assert not isinstance(instance, Miss)
    accelerator = catalog.accelerator(instance.gpu_model)
    assert not isinstance(accelerator, Miss)
    return choose_node_image(provider, instance, accelerator, wish, catalog_facts(provider))


def offers(found: Diagnostic) -> list[str]:
    """What a hint tells to write into image.node."""
    hint = PRINTED.sub("", found.hint)
    auto = ["auto"] if "write auto" in hint else []
    # What stands behind `auto, which takes` is what auto means, and is applied by writing auto.
    hint = re.sub(r"which takes \S+", "", hint)
    return auto + [n.rstrip(".,;?)") for n in NAMED.findall(hint)]


@pytest.mark.parametrize(("provider", "name", "wish"), CASES)
def test_no_hint_leads_into_a_finding_of_the_same_weight(provider: Provider, name: str, wish: str) -> None:
    first = choose(provider, name, wish).diagnostics
    told = {d.code: d.severity for d in first}
    for found in first:
        for offer in offers(found):
            again = choose(provider, name, offer).diagnostics
            for next_one in again:
                lighter = SEVERITY_ORDER[next_one.severity] > SEVERITY_ORDER[found.severity]
                assert lighter or (next_one.code != found.code and told.get(next_one.code) == next_one.severity), (
                    found.code,
                    offer,
                    next_one,
                )


def test_the_hints_are_applied_at_all() -> None:
    seen = {offer for p, n, w in CASES for d in choose(p, n, w).diagnostics for offer in offers(d)}
    assert "auto" in seen
    assert "ami-0123456789abcdef0" in seen
    assert any(o.startswith("/subscriptions/") for o in seen)
    assert any(o.startswith("projects/") for o in seen)


@pytest.mark.parametrize(
    ("provider", "name", "wish", "pinned", "driver"),
    [
        (AWS, "p5.48xlarge", DLAMI, "ami-0123456789abcdef0", ""),
        (AZURE, "Standard_ND96isr_H100_v5", "microsoft-dsvm:ubuntu-hpc:2204", "22.04.2025081901", "580.126.16"),
        (
            GCP,
            "a3-highgpu-1g",
            "family/common-cu129-ubuntu-2404-nvidia-580",
            "common-cu129-ubuntu-2404-nvidia-580",
            "580",
        ),
        (GCP, "g2-standard-4", "family/ubuntu-2404-lts-amd64", "ubuntu-2404-noble-amd64", "580"),
    ],
)
def test_pinning_as_the_hint_says_costs_a_word_at_most(
    provider: Provider, name: str, wish: str, pinned: str, driver: str
) -> None:
    (moving,) = [d for d in choose(provider, name, wish).diagnostics if d.code == "GI2123"]
    assert "prints it" in moving.hint
    write = {AWS: pinned, AZURE: f"{wish}:{pinned}", GCP: f"projects/any-project/global/images/{pinned}-v20260801"}
    choice = choose(provider, name, write[provider])
    assert choice.plan is not None
    assert choice.plan.pinned
    assert choice.plan.driver == driver
    assert all(d.severity is Severity.INFO for d in choice.diagnostics), choice.diagnostics


def test_a_dated_release_keeps_the_facts_of_its_family_and_says_so() -> None:
    choice = choose(AZURE, "Standard_ND96isr_H100_v5", "microsoft-dsvm:ubuntu-hpc:2204:22.04.2025081901")
    (found,) = choice.diagnostics
    assert (found.code, found.severity) == ("GI2122", Severity.INFO)
    assert "580.126.16" in found.message
    assert "not verified" in found.message
    assert not choice.node.verified


def test_auto_moves_by_intent() -> None:
    (found,) = choose(AWS, "p5.48xlarge", "auto").diagnostics
    assert (found.code, found.severity) == ("GI2123", Severity.INFO)
    named = choose(AWS, "p5.48xlarge", DLAMI).diagnostics
    assert ("GI2123", Severity.WARNING) in [(d.code, d.severity) for d in named]


WITHOUT = [
    (AWS, "g4ad.xlarge", "AMD's driver"),
    (AWS, "g4ad.16xlarge", "AMD's driver"),
    (AWS, "g6f.large", "GRID"),
    (AWS, "gr6f.4xlarge", "GRID"),
    (AWS, "p3dn.24xlarge", "proprietary kernel module"),
    (AZURE, "Standard_NCC40ads_H100_v5", "confidential-VM image"),
    (AZURE, "Standard_NG8ads_V620_v1", "AMD's driver"),
    (AZURE, "Standard_NV24ads_V710_v5", "AMD's driver"),
    (GCP, "g4-standard-6", "GRID"),
    (GCP, "g4-standard-12", "GRID"),
    (GCP, "g4-standard-24", "GRID"),
]


@pytest.mark.parametrize(("provider", "name", "need"), WITHOUT)
def test_a_machine_without_an_image_says_which_it_needs_and_takes_one_that_is_named(
    provider: Provider, name: str, need: str
) -> None:
    (found,) = choose(provider, name, "auto").diagnostics
    assert found.code == "GI2124"
    assert need in found.message
    example = example_of_id(provider)
    assert example in found.hint
    choice = choose(provider, name, example)
    assert choice.plan is not None
    assert choice.plan.selector == example
    assert not any(d.is_error for d in choice.diagnostics)
    assert need in choice.diagnostics[0].hint


def test_no_image_is_suggested_that_the_next_check_refuses() -> None:
    (unknown,) = [d for d in choose(AWS, "p3dn.24xlarge", PROPRIETARY).diagnostics if d.code == "GI2121"]
    assert "base-oss" not in unknown.hint + unknown.message
    assert "auto" not in unknown.hint
