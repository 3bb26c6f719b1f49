"""Small Azure programs as plain values: what the tests of the Azure cases are written in."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from gpuinfra.diagnostics import Diagnostic
from gpuinfra.policy import GraphReport, check_graph
from gpuinfra.policy.examples import NOW, graph_of

from .judging import rows, spec_findings

AZURE = "AZ "
H100, T4, A100, A10 = (
    "Standard_ND96isr_H100_v5",
    "Standard_NC4as_T4_v3",
    "Standard_NC24ads_A100_v4",
    "Standard_NV36ads_A10_v5",
)
GROUP = "/subscriptions/00000000-1111-2222-3333-444444444444/resourceGroups/acme"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC9hY21lLWV4YW1wbGUta2V5LWVkMjU1MTktMDAwMDAw me"
FIXED = [
    "orchestrationMode",
    "singlePlacementGroup",
    "zones",
    "platformFaultDomainCount",
    "proximityPlacementGroup",
    "virtualMachineProfile.priority",
    "virtualMachineProfile.evictionPolicy",
    "virtualMachineProfile.storageProfile.osDisk.diffDiskSettings",
    "virtualMachineProfile.storageProfile.imageReference.publisher",
    "virtualMachineProfile.storageProfile.imageReference.offer",
]
HPC = {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2404", "version": "24.04.2026082601"}
MAIL = {"contactEmails": ["ml@example.com"]}

SPEC = """
api_version: gpuinfra/v1
name: acme
workload: training
location: {{provider: azure, region: {region}, {zone}}}
network: {{ssh_keys: ["{key}"]{network}}}
node_pools: [{pools}]
shutdown: {{lease: 72h}}
budget: {{{budget}}}
{extra}
"""


def resource(kind: str, label: str, options: dict[str, Any] | None = None, /, **inputs: Any) -> dict[str, Any]:
    """One resource, its type as compute.VirtualMachine, with inputs in wire spelling."""
    return {"type": f"azure-native.{kind}", "name": label, "inputs": inputs, "options": options or {}}


def ref(name: str, prop: str = "id") -> str:
    """A text that comes out of another resource."""
    return f"${{{name}.{prop}}}"


def subnet_of_nodes(subnet: str) -> dict[str, Any]:
    """A network profile whose one interface stands in a subnet of the program."""
    ip = {"name": "ip", "subnet": {"id": ref(subnet)}}
    return {"networkInterfaceConfigurations": [{"name": "nic", "primary": True, "ipConfigurations": [ip]}]}


def scale_set(
    size: str = H100, count: Any = 4, label: str = "nodes", /, profile: dict[str, Any] | None = None, **inputs: Any
) -> dict[str, Any]:
    """A scale set as it is right for its size, changed at its top level and in its profile."""
    right: dict[str, Any] = {
        "orchestrationMode": "Uniform",
        "singlePlacementGroup": size.startswith("Standard_ND"),
        "overprovision": False,
        "upgradePolicy": {"mode": "Manual"},
        "zones": ["1"],
        "sku": {"name": size, "capacity": count},
        "virtualMachineProfile": {
            "securityProfile": {"securityType": "TrustedLaunch", "uefiSettings": {"secureBootEnabled": False}},
            "osProfile": {
                "adminUsername": "azureuser",
                "linuxConfiguration": {
                    "disablePasswordAuthentication": True,
                    "ssh": {"publicKeys": [{"path": "/home/azureuser/.ssh/authorized_keys", "keyData": KEY}]},
                },
            },
            "storageProfile": {
                "imageReference": dict(HPC),
                "osDisk": {"createOption": "FromImage", "managedDisk": {"storageAccountType": "Premium_LRS"}},
            },
            **(profile or {}),
        },
        **inputs,
    }
    options = {"replaceOnChanges": FIXED, "ignoreChanges": ["sku.capacity"], "deleteBeforeReplace": True}
    kept = {k: v for k, v in right.items() if v is not None}
    return resource("compute.VirtualMachineScaleSet", label, options, **kept)


def autoscale(of: str = "nodes", label: str = "lease", /, **inputs: Any) -> dict[str, Any]:
    """An autoscale setting that goes to zero, changed."""
    end = {
        "name": "end",
        "capacity": {"minimum": "0", "default": "0", "maximum": "0"},
        "recurrence": {
            "frequency": "Week",
            "schedule": {"timeZone": "W. Europe Standard Time", "days": ["Friday"], "hours": [19], "minutes": [0]},
        },
    }
    return resource(
        "monitor.AutoscaleSetting",
        label,
        **{"targetResourceUri": ref(of), "enabled": True, "profiles": [end], **inputs},
    )


def budget(options: dict[str, Any] | None = None, /, **inputs: Any) -> dict[str, Any]:
    """A budget that is right, changed."""
    right = {
        "amount": 20000,
        "timeGrain": "Monthly",
        "timePeriod": {"startDate": "2026-11-01T00:00:00Z"},
        "notifications": {"most": {"operator": "GreaterThan", "threshold": 80, **MAIL}},
        **inputs,
    }
    return resource(
        "consumption.Budget", "money", {"ignoreChanges": ["timePeriod.startDate"], **(options or {})}, **right
    )


def lustre(throughput: int = 125, tib: Any = 16, /, **inputs: Any) -> dict[str, Any]:
    """A file system that is right, changed."""
    right = {
        "sku": {"name": f"AMLFS-Durable-Premium-{throughput}"},
        "storageCapacityTiB": tib,
        "zones": ["1"],
        **inputs,
    }
    return resource("storagecache.AmlFilesystem", "scratch", {"protect": True}, **right)


def judge(*resources: dict[str, Any], last: dict[str, dict[str, Any]] | None = None, now: Any = NOW) -> GraphReport:
    """What all resource rules say of a program. `last` holds the inputs that were deployed last, by name."""
    graph = graph_of(json.dumps([_linked(r) for r in resources]))
    facts = {r.urn: {"inputs": last[r.name]} for r in graph if last and r.name in last}
    return check_graph(graph, now=now, facts=facts)


def _linked(r: dict[str, Any]) -> dict[str, Any]:
    """A resource with the names that each of its inputs comes from, as a recording has them."""
    late = {key: names for key, value in r["inputs"].items() if (names := sorted(_names(value)))}
    return {**r, "from": late}


def _names(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value[2:].partition(".")[0]} if value.startswith("${") else set()
    if isinstance(value, dict):
        return {n for v in value.values() for n in _names(v)}
    return {n for v in value for n in _names(v)} if isinstance(value, list) else set()


def found(*resources: dict[str, Any], last: dict[str, dict[str, Any]] | None = None, errors: bool = False) -> set[str]:
    """The Azure fact rows of a program's findings, infos aside."""
    return rows(judge(*resources, last=last), errors=errors, cloud=AZURE)


def spec(
    pools: str = f"{{name: gpu, instance_type: {H100}, count: 4}}",
    *,
    region: str = "eastus",
    zone: str = 'zone: "1"',
    network: str = "",
    money: str = "per_month_usd: 9000000, contacts: [ml@example.com]",
    extra: str = "",
) -> list[Diagnostic]:
    """Every finding of a spec on Azure."""
    return spec_findings(
        SPEC.format(pools=pools, region=region, zone=zone, network=network, key=KEY, budget=money, extra=extra)
    )


def changed(base: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A resource with one input changed, at any depth; None takes it away."""
    out = deepcopy(base)
    *steps, last = path.split(".")
    at = out["inputs"]
    for step in steps:
        at = at.setdefault(step, {})
    if value is None:
        at.pop(last, None)
    else:
        at[last] = value
    return out
