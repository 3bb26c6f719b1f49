"""A name that Azure refuses.

What: A name that the program gives is too long, holds characters that its kind does not take, or is reserved.
Why: Azure's limits differ from kind to kind: a storage account has 3 to 24 small letters and digits, an action group's short name 12 characters. The refusal comes in the middle of an `up`.
Fix: Rename it, or leave the name to the provider.
References: Azure docs, naming rules and restrictions for Azure resources; Azure docs, resolve errors for reserved resource names
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....catalog import limit
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import (
    ACTION_GROUP,
    BUDGET,
    CAPACITY_GROUP,
    IDENTITY,
    INTERFACE,
    LUSTRE,
    MACHINE,
    NAT_GATEWAY,
    NETAPP_VOLUME,
    NETWORK,
    PREFIX,
    PROXIMITY_GROUP,
    PUBLIC_IP,
    SCALE_SET,
    SECURITY_GROUP,
    STORAGE_ACCOUNT,
    SUBNET,
    AgentPool,
)
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3220", "azure-name-refused", Severity.ERROR, __doc__, ())
_ADMIN = "osProfile.adminUsername"
_NAMES: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    f"{PREFIX}:resources:ResourceGroup": (("resourceGroupName", ("resource_group",)),),
    SCALE_SET: (
        ("vmScaleSetName", ("scale_set",)),
        ("virtualMachineProfile.osProfile.computerNamePrefix", ("computer_prefix",)),
        (f"virtualMachineProfile.{_ADMIN}", ("admin_user",)),
    ),
    MACHINE: (("vmName", ("virtual_machine",)), (_ADMIN, ("admin_user",))),
    NETWORK: (("virtualNetworkName", ("virtual_network",)),),
    SUBNET: (("subnetName", ("subnet",)),),
    SECURITY_GROUP: (("networkSecurityGroupName", ("network_security_group",)),),
    NAT_GATEWAY: (("natGatewayName", ("nat_gateway",)),),
    PUBLIC_IP: (("publicIpAddressName", ("public_ip",)), ("dnsSettings.domainNameLabel", ("endpoint",))),
    INTERFACE: (("networkInterfaceName", ("network_interface",)),),
    STORAGE_ACCOUNT: (("accountName", ("storage_account", "endpoint")),),
    f"{PREFIX}:storage:BlobContainer": (("containerName", ("bucket",)),),
    LUSTRE: (("amlFilesystemName", ("lustre",)),),
    f"{PREFIX}:netapp:Account": (("accountName", ("netapp_account",)),),
    f"{PREFIX}:netapp:CapacityPool": (("poolName", ("netapp_pool",)),),
    NETAPP_VOLUME: (("volumeName", ("netapp_volume",)),),
    IDENTITY: (("resourceName", ("identity",)),),
    CAPACITY_GROUP: (("capacityReservationGroupName", ("capacity_reservation_group",)),),
    PROXIMITY_GROUP: (("proximityPlacementGroupName", ("proximity_placement_group",)),),
    BUDGET: (("budgetName", ("budget",)),),
    ACTION_GROUP: (("actionGroupName", ("action_group",)), ("groupShortName", ("action_group_short",))),
}
"""Where each type's names stand, and the limits that they are judged by."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each name."""
    for r in ctx.azure.of_type(*_NAMES):
        for path, kinds in _NAMES[r.type]:
            value = r.get(*path.split("."))
            if late(value) and path.endswith("groupShortName"):
                yield Undecided(CODE.code, r.name, "the name is not known yet")
            if not isinstance(value, str) or late(value):
                continue
            fault = next((text for kind in kinds if (text := _fault(kind, value))), "")
            if fault:
                yield CODE.at(f"{r.name}.{path}", fault, "rename it, or leave it to the provider", resource=r.name)
    for pool in ctx.azure.pools:
        yield from _of_pool(pool)


_SHORT = 6
"""A pool's name of so many characters is short enough on every system."""


def _of_pool(pool: AgentPool) -> Iterator[Diagnostic | Undecided]:
    key = "name" if pool.path else "agentPoolName"
    name, system = pool.value(key), pool.value("osType")
    if late(name) or (isinstance(name, str) and late(system) and len(name) > _SHORT):
        yield Undecided(CODE.code, pool.source.name, "the name of the pool, or its system, is not known yet")
    elif isinstance(name, str):
        windows = str(system).lower() == "windows"
        fault = _fault("agent_pool_windows" if windows else "agent_pool", name)
        if fault:
            yield CODE.at(pool.at(key), fault, "rename it: small letters and digits", resource=pool.source.name)


def _fault(kind: str, name: str) -> str:
    row = limit(Provider.AZURE, f"name.{kind}")
    if row is None:
        return ""
    shown = f"{name[:40]}…" if len(name) > 40 else name
    if not 0 < len(name) <= row.maximum:
        return f"'{shown}' has {len(name)} characters, and Azure takes 1 to {row.maximum}"
    if row.pattern and not re.search(row.pattern, name):
        return f"'{shown}' is reserved, or holds what such a name does not take{f' ({row.notes})' if row.notes else ''}"
    return ""


_T = "- {{type: azure-native.storage.StorageAccount, name: files, inputs: {{accountName: {0}}}}}\n"
_POOL = """\
- type: azure-native.containerservice.AgentPool
  name: pool
  inputs: {{agentPoolName: {0}, osType: {1}}}
"""
_GROUP = "- {{type: azure-native.monitor.ActionGroup, name: tell, inputs: {{groupShortName: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("names",),
    check,
    Examples(
        (
            _T.format("acmetraining"),
            _GROUP.format("acme-spend"),
            _POOL.format("h100training", "Linux"),
            _POOL.format("winh1", "!unknown "),
        ),
        (
            _T.format("acme-training"),
            _T.format("mymicrosoftfiles"),
            _GROUP.format("acme-spend-stop"),
            _POOL.format("gpu-pool", "Linux"),
            _POOL.format("h100trainings", "null"),
            _POOL.format("GPU", "Linux"),
            _POOL.format("2gpus", "Linux"),
            _POOL.format("windows1", "Windows"),
            "- {type: azure-native.containerservice.ManagedCluster, name: plane, "
            "inputs: {agentPoolProfiles: [{name: gpu_pool, vmSize: Standard_NC24ads_A100_v4}]}}\n",
        ),
        (_GROUP.format("!unknown "), _POOL.format("!unknown ", "Linux"), _POOL.format("windows1", "!unknown ")),
    ),
    providers=(Provider.AZURE,),
)
