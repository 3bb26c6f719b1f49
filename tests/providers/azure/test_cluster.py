"""The whole cluster: its outputs, the way to a node, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pulumi
import pytest

from gpuinfra.cluster import GpuCluster
from gpuinfra.testing import record

from .clusters import NOW, cluster, location, pool

NAMES = {
    "train-rg": {"name": "train-rg0a1b2c3d"},
    "train-bastion": {"name": "train-bastion0a1b2c3d"},
}


def outputs(spec: dict[str, Any], *, preview: bool = False) -> dict[str, Any]:
    """Outputs of a cluster, as the stack would show them."""

    def program() -> None:
        made = GpuCluster("train", spec, now=NOW)
        for name in ("network_id", "subnet_id", "node_groups", "mounts", "lease_end", "usd_per_hour", "connect"):
            pulumi.export(name, getattr(made, name))

    return dict(record(program, preview=preview, outputs=lambda t, name, i: NAMES.get(name)).outputs)


@pytest.mark.parametrize("preview", [True, False])
def test_a_cluster_offers_the_same_as_on_every_cloud(preview: bool) -> None:
    found = outputs(cluster(), preview=preview)
    assert set(found["node_groups"]) == set(found["connect"]) == {"gpu"}
    assert "None" not in str({k: v for k, v in found.items() if k not in ("usd_per_hour",)})


def test_without_a_way_in_a_command_runs_through_the_machine_s_agent() -> None:
    found = outputs(cluster())["connect"]["gpu"]
    assert found.startswith("az vmss run-command invoke --resource-group train-rg0a1b2c3d --name ")
    assert "--command-id RunShellScript" in found


def test_a_public_node_is_reached_at_its_own_address() -> None:
    found = outputs(cluster(node_pools=[pool(instance_type="Standard_NC8as_T4_v3", count=1, public_ip=True)]))
    assert found["connect"]["gpu"].startswith('ssh azureuser@"$(az vmss list-instance-public-ips ')


def test_a_bastion_leads_to_private_nodes() -> None:
    found = outputs(cluster(location=location(bastion=True)))["connect"]["gpu"]
    assert found.startswith("az network bastion ssh --resource-group train-rg0a1b2c3d --name train-bastion0a1b2c3d ")
    assert "--auth-type ssh-key --username azureuser" in found


def test_secrets_are_in_no_input_and_no_output() -> None:
    budget = {"per_month_usd": 400000, "contacts": ["ml@example.com"], "on_limit": "stop"}
    graph = record(lambda: GpuCluster("train", cluster(budget=budget), now=NOW))
    text = str(graph.to_json())
    assert "adminPassword" not in text
    assert "callbackUrl': {'$secret': True}" in text


def test_only_the_modules_of_the_sdk_that_are_used_are_loaded() -> None:
    """The whole SDK has some two hundred modules."""
    program = (
        "import sys, gpuinfra.providers.azure\n"
        "for name, module in list(sys.modules.items()):\n"
        "    first, _, rest = name.partition('.')\n"
        "    if first == 'pulumi_azure_native' and type(module).__name__ != '_LazyModule': print(rest.split('.')[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    used = "authorization compute consumption logic managedidentity monitor netapp network privatedns resources storage"
    assert set(done.stdout.split()) <= {*used.split(), "storagecache", "_utilities", "provider"}
