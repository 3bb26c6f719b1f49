"""Plans made by hand for the boot bundle: every field that the bundle reads can be set, the rest is plain."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from gpuinfra import catalog
from gpuinfra.plan.models import (
    CapacityPlan,
    ClusterPlan,
    ContainerPlan,
    Fabric,
    LeasePlan,
    LocalNvmePlan,
    MigPlan,
    NetworkPlan,
    Nic,
    NodeImagePlan,
    Placement,
    PoolPlan,
    StoragePlan,
)
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.vocabulary import CapacityType, FabricKind, KernelModule, LocalNvme, Provider, StorageKind

LOCATIONS: dict[Provider, dict[str, str]] = {
    Provider.AWS: {"provider": "aws", "region": "us-east-2", "zone": "use2-az1"},
    Provider.GCP: {"provider": "gcp", "project": "acme-lab", "region": "us-central1", "zone": "us-central1-b"},
    Provider.AZURE: {"provider": "azure", "region": "eastus", "zone": "1"},
}
TYPES = {
    Provider.AWS: "p5.48xlarge",
    Provider.GCP: "a3-ultragpu-8g",
    Provider.AZURE: "Standard_ND96isr_H100_v5",
}
BUCKETS = {
    Provider.AWS: "s3://acme-data/tokens",
    Provider.GCP: "gs://acme-data/tokens",
    Provider.AZURE: "https://acmedata.blob.core.windows.net/tokens",
}
LEASE = LeasePlan("shutdown.lease", timedelta(hours=72), None)
LEASE = LeasePlan("shutdown.lease", timedelta(hours=72), None)
_NIC_KINDS = {FabricKind.EFA: "efa-only", FabricKind.ROCE: "mrdma"}
ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPLTmbJfOmbS7lBVrbqPHlmhpPGRW8dGCJXhNxhMDWK ada"


def storage(kind: StorageKind, name: str = "", mount: str = "", existing: str = "") -> StoragePlan:
    name = name or str(kind)
    return StoragePlan(
        path=f"storage[{name}]",
        name=name,
        resource_name=f"llama-{name}",
        cloud_name=f"llama-{name}",
        kind=kind,
        tier=None,
        size_gib=9600,
        throughput_mbps_per_tib=None,
        mount=mount or f"/{name}",
        existing=existing,
        import_from="",
        import_mount="",
        zone="",
        zone_differs=False,
    )


def container(reference: str = "nvcr.io/nvidia/pytorch:25.08-py3") -> ContainerPlan:
    return ContainerPlan(
        reference=reference,
        repository=reference.rsplit(":", 1)[0],
        tag="",
        digest="",
        framework="",
        cuda="",
        arches=(),
        vendor="",
        known="unknown",
        pinned=False,
    )


def pool(provider: Provider, instance_type: str | None = None, **changes: Any) -> PoolPlan:
    """A pool of a type of the catalog, or of a plain machine without a GPU (instance_type ''). `changes` go last."""
    base = catalog.instance_type(provider, instance_type or TYPES[provider])
    assert not isinstance(base, catalog.Miss), base
    instance = base
    gpu = catalog.accelerator(instance.gpu_model) if instance.gpu_model else None
    assert not isinstance(gpu, catalog.Miss), gpu
    if instance_type == "":
        instance = instance._replace(gpu_model="", gpu_count=0, fabric=FabricKind.NONE)
        gpu = None
    kind = instance.fabric
    count = instance.fabric_interfaces or 0
    nics = (Nic(0, 0, "interface"), *(Nic(n, 1, _NIC_KINDS.get(kind, "gvnic")) for n in range(count)))
    made = PoolPlan(
        path="node_pools[0]",
        name="gpu",
        resource_name="llama-gpu",
        cloud_name="llama-gpu",
        instance=instance,
        accelerator=gpu,
        gpus_per_node=instance.gpu_count,
        attached_accelerator="",
        count_min=0,
        count_initial=4,
        count_max=4,
        wanted=4,
        zone=LOCATIONS[provider].get("zone", ""),
        capacity=CapacityPlan(CapacityType.ON_DEMAND, "", None, None, None, ""),
        fabric=Fabric(kind, instance.fabric_gbps, nics, ""),
        placement=Placement("none", "", ""),
        node_image=NodeImagePlan(
            "auto", "family", None, "", KernelModule.UNKNOWN, "ubuntu", "/dev/sda1", 200, False, ""
        ),
        container=container(),
        mig=None,
        local_nvme=LocalNvmePlan(LocalNvme.RAID0, 30400, "/local"),
        public_ip=False,
        scales_itself=True,
    )
    return replace(made, **changes)


def plan(
    provider: Provider = Provider.AWS,
    pools: tuple[PoolPlan, ...] | None = None,
    stores: tuple[StoragePlan, ...] | None = None,
    ssh_keys: tuple[str, ...] = (ED25519,),
    job: dict[str, Any] | None = None,
    idle_after: timedelta | None = timedelta(minutes=30),
    now: datetime = datetime(2026, 11, 30, 12, tzinfo=UTC),
    lease: LeasePlan = LEASE,
) -> ClusterPlan:
    """A cluster with every kind of storage, unless told otherwise."""
    if pools is None:
        pools = (pool(provider),)
    if stores is None:
        stores = (
            storage(StorageKind.LUSTRE, "scratch", "/scratch"),
            storage(StorageKind.NFS, "home", "/shared"),
            storage(StorageKind.BUCKET, "data", "/data", BUCKETS[provider]),
            storage(StorageKind.BUCKET, "results", "/results"),
        )
    spec = ClusterSpec.model_validate(
        {
            "name": "llama",
            "location": LOCATIONS[provider],
            "node_pools": [{"name": "gpu", "instance_type": TYPES[provider]}],
            "job": job,
        }
    )
    return ClusterPlan(
        spec=spec,
        provider=provider,
        name="llama",
        region=LOCATIONS[provider]["region"],
        zone=LOCATIONS[provider].get("zone", ""),
        network=NetworkPlan("network", "", "", "10.40.0.0/16", (), (), ssh_keys, True, True, True, True),
        pools=pools,
        storage=stores,
        lease=lease,
        idle_after=idle_after,
        labels=(("team", "nlp"),),
        now=now,
        decisions=(),
        complete=True,
    )


LATE = {
    "identity.client_id": "00001111-aaaa-2222-bbbb-3333cccc4444",
    "storage.scratch.address": "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com",
    "storage.scratch.mount_name": "fsx",
    "storage.home.address": "fs-0aaa.efs.us-east-2.amazonaws.com",
    "storage.home.export": "/",
    "storage.results.bucket": "llama-results-7f3a",
}
MIG = MigPlan(("3g.40gb", "2g.20gb", "1g.10gb"), 24)


def booted(provider: Provider, instance_type: str, wish: str = "auto", **changes: Any) -> PoolPlan:
    """A pool with the node image that the plan chooses for it."""
    from gpuinfra.plan.node_images import choose_node_image
    from gpuinfra.plan.toolkits import catalog_facts

    made = pool(provider, instance_type, **changes)
    choice = choose_node_image(provider, made.instance, made.accelerator, wish, catalog_facts(provider))
    assert choice.plan is not None, choice.diagnostics
    return replace(made, node_image=choice.plan)
