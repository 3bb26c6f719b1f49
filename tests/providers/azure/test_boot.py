"""What nodes boot: the bundle arrives whole, with the values that only the deployment knows."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha512
from typing import Any

import pytest

from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.node import CODES as NODE_CODES
from gpuinfra.plan import resolve
from gpuinfra.plan.models import ClusterPlan
from gpuinfra.policy.resource_graph import UNKNOWN
from gpuinfra.providers.azure import NodePool
from gpuinfra.spec.load import parse
from gpuinfra.testing import record

from .clusters import KEY, NOW, SCALE_SET, boot_document, boot_facts, cluster, location, only, pool, recorded

STORAGE = [
    {"name": "scratch", "kind": "lustre", "size_gib": 8192, "mount": "/scratch"},
    {"name": "home", "kind": "nfs", "size_gib": 1024, "mount": "/shared"},
    {"name": "out", "kind": "bucket", "mount": "/out"},
]
IDS = {
    "train-nodes": {"clientId": "00001111-aaaa-2222-bbbb-3333cccc4444"},
    "train-out-storage-account": {"name": "trainout1a2b"},
}


def plan_of(**changes: Any) -> ClusterPlan:
    loaded = parse(cluster(**changes))
    assert loaded.spec, loaded.diagnostics
    plan = resolve(loaded.spec, NOW, name="train").plan
    assert plan
    return plan


def test_nodes_know_their_identity_their_set_and_their_storage() -> None:
    from gpuinfra.cluster import GpuCluster

    spec = cluster(storage=STORAGE)
    graph = record(lambda: GpuCluster("train", spec, now=NOW), outputs=lambda t, name, i: IDS.get(name))
    facts = boot_facts(only(graph, SCALE_SET))
    assert facts["identity"] == {"client_id": "00001111-aaaa-2222-bbbb-3333cccc4444"}
    assert facts["group"] == only(graph, SCALE_SET).get("vmScaleSetName") == "train-gpu"
    for one in facts["storage"]:
        missing = [key for key, value in one.items() if value is None]
        assert missing == [], one["name"]


def test_the_document_is_cloud_init_with_the_user_s_key() -> None:
    document = boot_document(only(recorded(cluster()), SCALE_SET))
    assert document["ssh_authorized_keys"] == [KEY]
    paths = {f["path"] for f in document["write_files"]}
    assert "/opt/gpuinfra/tasks/60-fabric" in paths
    assert "/opt/gpuinfra/bin/idle" in paths


def test_in_a_preview_the_document_is_not_known_yet() -> None:
    found = only(recorded(cluster(storage=STORAGE), preview=True), SCALE_SET)
    assert found.get("virtualMachineProfile", "osProfile", "customData") is UNKNOWN


def test_a_bundle_that_azure_cannot_hand_over_is_refused_before_anything_is_made() -> None:
    plan = plan_of()
    # Digests do not compress.
    keys = tuple(
        f"ssh-rsa AAAA{''.join(sha512(f'{n}.{i}'.encode()).hexdigest() for i in range(4))}" for n in range(400)
    )
    large = replace(plan, network=replace(plan.network, ssh_keys=keys))
    with pytest.raises(GpuInfraError) as error:
        record(lambda: NodePool("a", large))
    assert {d.code for d in error.value.diagnostics} == {"GI2150"}
    assert "GI2150" in {code.code for code in NODE_CODES}


def test_an_image_whose_name_is_not_known_is_asked_for_before_anything_is_made() -> None:
    spec = cluster(
        location=location(region="eastus2"),
        node_pools=[pool(instance_type="Standard_ND128isr_GB300_v6", count=18)],
        image={"node": "auto"},
    )
    with pytest.raises(GpuInfraError) as error:
        recorded(spec)
    assert {(d.code, d.path) for d in error.value.diagnostics} == {("GI2177", "image.node")}
