"""Sizes, images, drivers, disks, login and names of Azure: the inputs that must be refused, and their right twins."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from pydantic import ValidationError

from gpuinfra.diagnostics import Severity
from gpuinfra.plan import resolve
from gpuinfra.policy import check_graph, check_plan
from gpuinfra.policy.examples import NOW, graph_of, spec_of

from .azure_programs import A10, A100, H100, HPC, T4, autoscale, changed, found, judge, resource, scale_set, spec
from .judging import codes, said

MI300X, V100, GB200, ND_A100 = (
    "Standard_ND96isr_MI300X_v5",
    "Standard_ND40rs_v2",
    "Standard_ND128isr_NDR_GB200_v6",
    "Standard_ND96asr_v4",
)
PLAIN = {"publisher": "Canonical", "offer": "ubuntu-24_04-lts", "sku": "server", "version": "24.04.202609010"}
P = "virtualMachineProfile"
IMAGE = f"{P}.storageProfile.imageReference"
GPU_DRIVER = {"extensions": [{"name": "gpu", "publisher": "Microsoft.HpcCompute", "type": "NvidiaGpuDriverLinux"}]}


def on(size: str, image: dict[str, Any], **profile: Any) -> dict[str, Any]:
    """A scale set of a size on an image."""
    return changed(scale_set(size, 1, profile=profile), IMAGE, image)


def hpc(sku: str) -> dict[str, Any]:
    return {**HPC, "sku": sku}


IMG = {f"IMG-{n:02}" for n in range(1, 9)}


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        (on(H100, HPC), set()),
        (on(MI300X, hpc("2404-rocm")), set()),
        (on(V100, hpc("2204-v100")), set()),
        (on(A10, PLAIN, extensionProfile=GPU_DRIVER), set()),
        (on(GB200, {**PLAIN, "sku": "server-arm64"}), set()),
        (on(T4, {**PLAIN, "offer": "0001-com-ubuntu-server-jammy", "sku": "22_04-lts"}), set()),
        (on(GB200, HPC), {"IMG-01"}),
        (on(H100, {**PLAIN, "sku": "server-arm64"}), {"IMG-01"}),
        (on(MI300X, HPC), {"IMG-02"}),
        (on(H100, hpc("2404-rocm")), {"IMG-02"}),
        (on(V100, HPC), {"IMG-03"}),
        (on(H100, HPC, extensionProfile=GPU_DRIVER), {"IMG-04"}),
        (on(A10, HPC), {"IMG-05"}),
        (on(A10, PLAIN), {"IMG-05"}),
        (on(H100, {**HPC, "version": "latest"}), {"IMG-06"}),
        (on(H100, {k: v for k, v in HPC.items() if k != "version"}), {"IMG-06"}),
        (on(H100, {"publisher": "almalinux", "offer": "almalinux-hpc", "sku": "9-hpc-gen2", "version": "9.8.1"}), {"IMG-07"}),
        (on(H100, {**PLAIN, "offer": "0001-com-ubuntu-server-jammy", "sku": "22_04-lts"}), {"IMG-08"}),
    ],
)  # fmt: skip
def test_images(nodes: dict[str, Any], expected: set[str]):
    assert found(nodes, autoscale()) & IMG == expected


@pytest.mark.parametrize(
    ("line", "wrong"), [("ubuntu-drivers install", True), ("bash NVIDIA-Linux-x86_64-grid-azure.run --silent", False)]
)
def test_a_boot_script_lays_grid_or_it_does_not(line: str, wrong: bool):
    data = base64.b64encode(f"#!/bin/bash\n{line}\n".encode()).decode()
    assert ("IMG-05" in found(on(A10, PLAIN, userData=data), autoscale())) is wrong


def test_a_size_that_is_long_gone_still_has_gpus():
    old = scale_set("Standard_NC6", 1)
    assert {"SKU-01", "BUD-05"} <= found(old)
    assert "BUD-05" not in found(scale_set("Standard_NP10s", 1))


def test_an_image_by_its_id_is_not_guessed_at():
    own = {"id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/a/images/b/versions/1.0.0"}
    assert found(on(GB200, own), autoscale()) & IMG == set()


def test_an_image_with_a_plan_is_right():
    alma = {"publisher": "almalinux", "offer": "almalinux-hpc", "sku": "9-hpc-gen2", "version": "9.8.1"}
    sold = {"name": "9-hpc-gen2", "publisher": "almalinux", "product": "almalinux-hpc"}
    assert "IMG-07" not in found(changed(on(H100, alma), "plan", sold), autoscale())


@pytest.mark.parametrize(
    ("pool", "region", "image", "code"),
    [
        (A10, "eastus", "node: microsoft-dsvm:ubuntu-hpc:2204:22.04.2026082601", "GI2127"),
        (MI300X, "francecentral", "node: microsoft-dsvm:ubuntu-hpc:2204:22.04.2026082601", "GI2127"),
        (MI300X, "francecentral", "container: vllm/vllm-openai:v0.11.0", "GI2103"),
    ],
)
def test_images_of_a_spec_with_the_wrong_driver(pool: str, region: str, image: str, code: str):
    listed = spec(
        f"{{name: gpu, instance_type: {pool}, count: 1}}",
        region=region,
        zone="",
        extra=f"image: {{{image.replace(': ', ': !!str ', 1)}}}",
    )
    assert said(listed, code).is_error


@pytest.mark.parametrize(
    ("size", "region", "code", "severity"),
    [
        (H100, "eastus", "", None),
        (MI300X, "southafricanorth", "GI2018", Severity.WARNING),
        ("Standard_NC24rs_v3", "eastus", "GI2002", Severity.ERROR),
        ("Standard_ND128isr_GB200_v6", "eastus2", "GI2001", Severity.ERROR),
    ],
)
def test_sizes_of_a_spec(size: str, region: str, code: str, severity: Severity | None):
    listed = [
        d
        for d in spec(f"{{name: gpu, instance_type: {size}, count: 1}}", region=region)
        if d.code in ("GI2001", "GI2002", "GI2018")
    ]
    assert [(d.code, d.severity) for d in listed] == ([(code, severity)] if code else [])


def test_a_size_without_a_price_in_the_region_names_regions_that_have_one():
    listed = spec(f"{{name: gpu, instance_type: {MI300X}, count: 1}}", region="southafricanorth", zone="")
    one = said(listed, "GI2018")
    assert one.severity is Severity.WARNING
    assert "move location.region to one of: " in one.hint
    assert "canadacentral" in one.hint


@pytest.mark.parametrize(
    ("size", "severity", "hint"),
    [
        ("Standard_NC24rs_v3", Severity.ERROR, "Standard_ND96asr_v4"),
        ("standard_nc24rs_v3", Severity.ERROR, "Standard_ND96asr_v4"),
        ("Standard_NV12s_v3", Severity.ERROR, "Standard_NV36ads_A10_v5"),
        ("Standard_ND128isr_GB200_v6", Severity.ERROR, "NDR_GB200"),
        ("Standard_ND960isr_H100_v5", Severity.ERROR, "Standard_ND96is"),
        ("Standard_ND96isr_H100v5", Severity.ERROR, "Standard_ND96isr_H100_v5"),
        ("Standard_ND96irs_H100_v5", Severity.ERROR, "Standard_ND96isr_H100_v5"),
        ("Standard_NC5as_T4_v3", Severity.ERROR, "_T4_v3"),
        ("Standard_ND96isrf_H200_v5", Severity.WARNING, ""),
        ("Standard_ND96isr_B300_v6", Severity.WARNING, ""),
        ("Standard_ND96isr_H100_v6", Severity.WARNING, ""),
    ],
)
def test_sizes_that_azure_does_not_deploy(size: str, severity: Severity, hint: str):
    one = said(judge(scale_set(size, 1)), "GI3204")
    assert (one.severity, hint in one.hint) == (severity, True)


def test_a_size_in_any_case_is_known():
    assert "GI3204" not in codes(judge(scale_set("standard_nd96isr_h100_v5", 1)))
    assert "IB-07" in found(scale_set("STANDARD_ND96ISR_H100_V5", 2, overprovision=True))


@pytest.mark.parametrize(("count", "wrong"), [(18, False), (36, False), (17, True), (20, True)])
def test_racks(count: int, wrong: bool):
    assert ("GB-01" in found(scale_set(GB200, count))) is wrong


TRUSTED = {"securityType": "TrustedLaunch", "uefiSettings": {"vTpmEnabled": True, "secureBootEnabled": False}}


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        (on(A100, HPC, securityProfile=TRUSTED), set()),
        (on(ND_A100, HPC, securityProfile=None), set()),
        (on(ND_A100, HPC, securityProfile=TRUSTED), {"SEC-01"}),
        (on(A10, PLAIN, extensionProfile=GPU_DRIVER, securityProfile={"uefiSettings": {"secureBootEnabled": True},
                                                                     "securityType": "TrustedLaunch"}), {"SEC-02"}),
        (on(A100, PLAIN, extensionProfile=GPU_DRIVER, securityProfile={"uefiSettings": {"secureBootEnabled": True},
                                                                      "securityType": "TrustedLaunch"}), {"SEC-02"}),
        (on(A100, HPC, securityProfile=None), {"SEC-03"}),
        (scale_set(A100, 1, orchestrationMode="Flexible", identity={"type": "SystemAssigned"}), {"SEC-06"}),
        (scale_set(A100, 1, orchestrationMode="Flexible", identity={"type": "UserAssigned"}), set()),
    ],
)  # fmt: skip
def test_security(nodes: dict[str, Any], expected: set[str]):
    assert {r for r in found(nodes, autoscale()) if r.startswith("SEC-")} == expected


LOGIN = f"{P}.osProfile.linuxConfiguration"


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        (f"{LOGIN}.disablePasswordAuthentication", False, "passwords are not turned off"),
        (f"{LOGIN}.disablePasswordAuthentication", None, "passwords are not turned off"),
        (f"{LOGIN}.ssh", None, "no SSH key"),
        (f"{LOGIN}.ssh", {"publicKeys": []}, "no SSH key"),
        (LOGIN, None, "no SSH key"),
    ],
)
def test_a_linux_set_without_a_key_or_with_passwords(path: str, value: Any, text: str):
    one = said(judge(changed(scale_set(A100, 1), path, value)), "GI3245")
    assert one.is_error
    assert text in one.message


def test_a_password_is_an_error_and_windows_has_no_key():
    with_password = changed(scale_set(A100, 1), f"{P}.osProfile", {"adminUsername": "me", "adminPassword": "x"})
    assert "a password is set" in said(judge(with_password), "GI3245").message
    windows = changed(with_password, f"{P}.osProfile.windowsConfiguration", {})
    assert "GI3245" not in codes(judge(windows))


def test_a_spec_without_a_key_is_warned_of():
    bare = "location: {provider: azure, region: eastus, zone: '1'}\nnode_pools: [{instance_type: Standard_NC4as_T4_v3}]\nstorage: []"
    plan = resolve(spec_of(bare), NOW).plan
    assert plan is not None
    assert said(list(check_plan(plan)), "GI2253").path == "network.ssh_keys"


@pytest.mark.parametrize(
    ("disk", "expected"),
    [
        ({"managedDisk": {"storageAccountType": "Premium_LRS"}}, set()),
        ({"managedDisk": {"storageAccountType": "StandardSSD_LRS"}}, set()),
        ({"managedDisk": {"storageAccountType": "Standard_LRS"}}, {"OS-05"}),
        ({"caching": "ReadOnly", "diffDiskSettings": {"option": "Local", "placement": "ResourceDisk"}}, set()),
        ({"diffDiskSettings": {"option": "Local"}}, {"OS-02"}),
    ],
)
def test_system_disks(disk: dict[str, Any], expected: set[str]):
    got = found(changed(scale_set(A100, 1), f"{P}.storageProfile.osDisk", disk), autoscale())
    assert {r for r in got if r.startswith("OS-")} == expected


@pytest.mark.parametrize(
    ("size", "controller", "wrong"),
    [(GB200, "NVMe", False), (GB200, "SCSI", True), (H100, "SCSI", False), (H100, "NVMe", True), (GB200, None, False)],
)
def test_disk_controllers(size: str, controller: str | None, wrong: bool):
    nodes = changed(scale_set(size, 18), f"{P}.storageProfile.diskControllerType", controller)
    assert ("OS-06" in found(nodes)) is wrong


@pytest.mark.parametrize(
    ("kind", "field", "name", "wrong"),
    [
        ("resources.ResourceGroup", "resourceGroupName", "a" * 90, False),
        ("resources.ResourceGroup", "resourceGroupName", "a" * 91, True),
        ("resources.ResourceGroup", "resourceGroupName", "acme.", True),
        ("resources.ResourceGroup", "resourceGroupName", "acme rg", True),
        ("compute.VirtualMachineScaleSet", "vmScaleSetName", "a" * 64, False),
        ("compute.VirtualMachineScaleSet", "vmScaleSetName", "a" * 65, True),
        ("storage.StorageAccount", "accountName", "acmefiles", False),
        ("storage.StorageAccount", "accountName", "ab", True),
        ("storage.StorageAccount", "accountName", "acme-files", True),
        ("storage.StorageAccount", "accountName", "AcmeFiles", True),
        ("storage.StorageAccount", "accountName", "microsoftfiles", True),
        ("storage.StorageAccount", "accountName", "loginfiles", True),
        ("storage.StorageAccount", "accountName", "azure", True),
        ("storage.StorageAccount", "accountName", "azurefiles", False),
        ("monitor.ActionGroup", "groupShortName", "acme-spend", False),
        ("monitor.ActionGroup", "groupShortName", "acme-spending", True),
        ("storagecache.AmlFilesystem", "amlFilesystemName", "_scratch", True),
        ("consumption.Budget", "budgetName", "acme money", True),
    ],
)
def test_names(kind: str, field: str, name: str, wrong: bool):
    assert ("GI3220" in codes(judge(resource(kind, "x", **{field: name})))) is wrong


@pytest.mark.parametrize(
    ("user", "wrong"), [("azureuser", False), ("ubuntu", False), ("root", True), ("Admin", True), ("", True)]
)
def test_login_names(user: str, wrong: bool):
    assert ("GI3220" in codes(judge(changed(scale_set(A100, 1), f"{P}.osProfile.adminUsername", user)))) is wrong


def test_a_resource_group_of_a_spec_is_not_too_long():
    assert "GI2071" in codes(spec(zone=f'zone: "1", resource_group: {"a" * 91}'))
    assert "GI2071" not in codes(spec(zone=f'zone: "1", resource_group: {"a" * 90}'))


@pytest.mark.parametrize("name", ["acme.", "acme rg", "acme/rg"])
def test_a_resource_group_of_a_spec_has_no_wrong_characters(name: str):
    with pytest.raises(ValidationError, match="resource_group"):
        spec(zone=f'zone: "1", resource_group: "{name}"')


@pytest.mark.parametrize(
    ("tags", "wrong"),
    [
        ({"team": "nlp"}, False),
        ({"kubernetes.io/name": "a"}, True),
        ({"a?b": "c"}, True),
        ({"a" * 512: "b"}, False),
        ({"a" * 513: "b"}, True),
        ({"a": "b" * 257}, True),
        ({f"k{n}": "v" for n in range(50)}, False),
        ({f"k{n}": "v" for n in range(51)}, True),
    ],
)
def test_tags(tags: dict[str, str], wrong: bool):
    assert ("GI3215" in codes(judge(resource("resources.ResourceGroup", "g", tags=tags)))) is wrong


def test_a_storage_account_takes_shorter_tag_names():
    assert "GI3215" in codes(judge(resource("storage.StorageAccount", "s", tags={"a" * 129: "b"})))


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        (
            {
                "vmSize": GB200,
                "osSKU": "Ubuntu2404",
                "gpuProfile": {"driver": "None"},
                "nodeTaints": ["sku=gpu:NoSchedule"],
            },
            0,
        ),
        ({"vmSize": GB200, "osSKU": "AzureLinux", "nodeTaints": ["sku=gpu:NoSchedule"]}, 2),
        ({"vmSize": H100}, 1),
        ({"vmSize": H100, "scaleSetPriority": "Spot"}, 0),
        ({"vmSize": "Standard_D8s_v5"}, 0),
    ],
)
def test_pools_of_a_managed_cluster(pool: dict[str, Any], expected: int):
    assert codes(judge(resource("containerservice.AgentPool", "pool", **pool))).count("GI3229") == expected


@pytest.mark.parametrize(
    "token",
    [
        "azure-native:compute:VirtualMachineScaleSet",
        "azure-native:compute/v20240301:VirtualMachineScaleSet",
        "azure-native_compute_v20240301:compute:VirtualMachineScaleSet",
    ],
)
def test_a_type_is_known_whatever_its_api_version(token: str):
    graph = graph_of(
        f"- {{type: '{token}', name: nodes, inputs: {{sku: {{name: {H100}, capacity: 2}}, singlePlacementGroup: false}}}}"
    )
    assert "GI3202" in codes(check_graph(graph, now=NOW))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (base64.b64encode(b"#!/bin/bash\n").decode(), ""),
        (base64.b64encode(b"x" * 65535).decode(), ""),
        (base64.b64encode(b"x" * 65536).decode(), "65536 bytes, and Azure takes 65535"),
        ("#!/bin/bash", "not base64"),
    ],
)
@pytest.mark.parametrize("field", ["osProfile.customData", "userData"])
def test_boot_scripts_that_azure_refuses(field: str, data: str, text: str):
    messages = [
        d.message for d in judge(changed(scale_set(A100, 1), f"{P}.{field}", data)).diagnostics if d.code == "GI3226"
    ]
    assert ([text in m for m in messages] == [True]) if text else not messages
