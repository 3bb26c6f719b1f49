"""An ephemeral system disk that its size has no place for.

What: The placement is not one of the size's (sizes with an NVMe controller have NvmeDisk alone, the others have no NvmeDisk), or the disk is larger than the drive, or than 2040 GiB.
Why: The machine is refused, or no host is found for it: which local disk may carry the system changes with each generation.
Fix: Take the placement that is named, and a smaller disk.
References: Azure docs, ephemeral OS disks (2026-09); hashicorp/terraform-provider-azurerm#30328
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import limit
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import AgentPool, AzureNodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3227", "ephemeral-disk-does-not-fit", Severity.ERROR, __doc__, ("AZ OS-01", "AZ OS-03"))
_NVME = "NvmeDisk"
_TRUSTED_KEEPS_GIB = 1


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each fault of a set or machine."""
    for nodes in ctx.azure.nodes:
        if nodes.ephemeral:
            yield from _placement(nodes)
            yield from _size(nodes)
    for pool in ctx.azure.pools:
        if str(pool.value("osDiskType")).lower() == "ephemeral":
            yield from _of_pool(pool)


def _of_pool(pool: AgentPool) -> Iterator[Diagnostic | Undecided]:
    """A pool's disk, which AKS places by itself."""
    written, row = pool.value("osDiskSizeGB"), limit(Provider.AZURE, "ephemeral_os_disk_gib")
    size = number(written)
    if late(written):
        yield Undecided(CODE.code, pool.source.name, "the size of the disk is not known yet")
    elif size is not None and row is not None and size > row.maximum:
        yield CODE.at(
            pool.at("osDiskSizeGB"),
            f"{size:g} GiB, and an ephemeral system disk has at most {row.maximum}",
            "make it smaller, or take a managed disk",
            resource=pool.source.name,
        )


def _placement(nodes: AzureNodes) -> Iterator[Diagnostic | Undecided]:
    value = nodes.get("storageProfile", "osDisk", "diffDiskSettings", "placement")
    if late(value):
        yield Undecided(CODE.code, nodes.name, "the placement is not known yet")
        return
    if nodes.board is None or value is None:
        return
    known = nodes.board.root_on
    nvme = nodes.board.disk_controller == "NVMe"
    if str(value).lower() != known.lower() and nvme != (str(value).lower() == _NVME.lower()):
        wanted = f"placement: {known or _NVME}" if nvme else "placement: ResourceDisk or CacheDisk"
        yield CODE.at(
            nodes.at("storageProfile.osDisk.diffDiskSettings.placement"),
            f"{value}, and {nodes.size} has {'NVMe disks alone' if nvme else 'no such place for the system'}",
            f"write {wanted}",
            resource=nodes.name,
        )


def _size(nodes: AzureNodes) -> Iterator[Diagnostic | Undecided]:
    written = nodes.get("storageProfile", "osDisk", "diskSizeGB")
    if late(written):
        yield Undecided(CODE.code, nodes.name, "the size of the disk is not known yet")
    size = number(written)
    row = limit(Provider.AZURE, "ephemeral_os_disk_gib")
    if size is None or row is None:
        return
    trusted = nodes.get("securityProfile", "securityType") == "TrustedLaunch"
    placement = str(nodes.get("storageProfile", "osDisk", "diffDiskSettings", "placement")).lower()
    drive = nodes.board.root_on_gib if nodes.board is not None and placement == nodes.board.root_on.lower() else None
    most = min(row.maximum, drive or row.maximum) - (_TRUSTED_KEEPS_GIB if trusted else 0)
    if size > most:
        yield CODE.at(
            nodes.at("storageProfile.osDisk.diskSizeGB"),
            f"{size:g} GiB, and an ephemeral system disk has at most {most} there",
            "make it smaller, or take a managed disk",
            resource=nodes.name,
        )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    sku: {{name: {0}}}
    virtualMachineProfile:
      storageProfile:
        osDisk: {{caching: ReadOnly, diskSizeGB: {2}, diffDiskSettings: {{option: Local, placement: {1}}}}}
"""
_GB200, _A100 = "Standard_ND128isr_NDR_GB200_v6", "Standard_NC24ads_A100_v4"

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format(_GB200, "NvmeDisk", 256), _T.format(_A100, "ResourceDisk", 64), _T.format(_A100, "CacheDisk", 30)),
        (_T.format(_GB200, "CacheDisk", 64), _T.format(_A100, "NvmeDisk", 64), _T.format(_A100, "CacheDisk", 4096)),
        (_T.format(_GB200, "!unknown ", 64),),
    ),
    providers=(Provider.AZURE,),
)
