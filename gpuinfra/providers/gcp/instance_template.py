"""A pool's instance template: the one owner of image, disks, interfaces, metadata and purchase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute

from ... import catalog
from ...node import modules_are_signed
from ...plan.fabric import BARE_METAL_RDMA
from ...plan.models import ClusterPlan, Nic, PoolPlan
from ...vocabulary import LocalNvme
from .identity import SCOPE
from .labels import labels
from .names import project_of, template_prefix
from .network import ClusterNetwork
from .placement import Together
from .scheduling import reservation_affinity, scheduling

_SSD_GIB = 375
_RDMA = "mrdma"
_IDPF = "idpf"


@dataclass(frozen=True)
class NodeParts:
    """What a template takes from elsewhere."""

    image: pulumi.Input[str]
    metadata: dict[str, pulumi.Input[str]]
    email: pulumi.Input[str]
    network: ClusterNetwork
    together: Together


def instance_template(
    plan: ClusterPlan, pool: PoolPlan, parts: NodeParts, opts: pulumi.ResourceOptions
) -> compute.RegionInstanceTemplate:
    """Registers the template of a pool. A change makes a new one; nodes that run keep what they were made with."""
    name = f"{pool.resource_name}-template"
    attached = pool.attached_accelerator
    return compute.RegionInstanceTemplate(
        name,
        name_prefix=template_prefix(name),
        description=f"Nodes of pool {pool.name} of {plan.name}",
        machine_type=pool.instance.name,
        # Elsewhere the machine type implies its GPUs, and spelling them out plans the machines' destruction
        # (hashicorp/terraform-provider-google#24937).
        guest_accelerators=[compute.RegionInstanceTemplateGuestAcceleratorArgs(type=attached, count=pool.gpus_per_node)]
        if attached
        else None,
        can_ip_forward=False,
        disks=_disks(plan, pool, parts.image),
        network_interfaces=interfaces(pool, parts.network),
        tags=[parts.network.node_tag],
        service_account=compute.RegionInstanceTemplateServiceAccountArgs(email=parts.email, scopes=[SCOPE]),
        scheduling=scheduling(plan, pool),
        reservation_affinity=reservation_affinity(plan, pool),
        resource_policies=parts.together.on_template,
        shielded_instance_config=_shielded(plan, pool),
        metadata=parts.metadata,
        labels=labels(plan, pool),
        region=plan.region,
        project=project_of(plan),
        opts=opts,
    )


def _disks(plan: ClusterPlan, pool: PoolPlan, image: pulumi.Input[str]) -> list[compute.RegionInstanceTemplateDiskArgs]:
    boot = compute.RegionInstanceTemplateDiskArgs(
        boot=True,
        auto_delete=True,
        source_image=image,
        disk_type=catalog.nic_layout(pool.instance.name).boot_disk,
        disk_size_gb=pool.node_image.root_gib,
        labels=labels(plan, pool),
    )
    scratch = compute.RegionInstanceTemplateDiskArgs(
        type="SCRATCH",
        disk_type="local-ssd",
        interface="NVME",
        disk_size_gb=_SSD_GIB,
        boot=False,
        auto_delete=True,
    )
    return [boot, *[scratch] * _optional_ssds(pool)]


def _optional_ssds(pool: PoolPlan) -> int:
    """Local SSDs that the machine has only where they are asked for; bundled ones are there without a word."""
    if not pool.instance.local_nvme_optional or pool.local_nvme.mode is LocalNvme.NONE:
        return 0
    return int((pool.local_nvme.total_gb or 0) // _SSD_GIB)


def interfaces(pool: PoolPlan, network: ClusterNetwork) -> list[compute.RegionInstanceTemplateNetworkInterfaceArgs]:
    """The planned interfaces, in the order that the machine takes them. RDMA ones have a subnet each."""
    found: list[compute.RegionInstanceTemplateNetworkInterfaceArgs] = []
    rdma = 0
    for nic in sorted(pool.fabric.nics, key=lambda nic: nic.card):
        role = nic.network
        if role == "rdma":
            role, rdma = f"rdma{rdma}", rdma + 1
        found.append(
            compute.RegionInstanceTemplateNetworkInterfaceArgs(
                subnetwork=network.interface_subnet(role),
                nic_type=nic.kind.upper(),
                stack_type=_stack(nic),
                # Only the first interface may have a public address; without the block a machine has none.
                access_configs=_public() if pool.public_ip and not found else None,
            )
        )
    return found


def _stack(nic: Nic) -> str | None:
    """Bare metal speaks IPv6, its RDMA interfaces nothing else (facts gcp a2)."""
    if nic.network == BARE_METAL_RDMA:
        return "IPV6_ONLY"
    return {_IDPF: "IPV4_IPV6", _RDMA: None}.get(nic.kind, "IPV4_ONLY")


def _public() -> Sequence[compute.RegionInstanceTemplateNetworkInterfaceAccessConfigArgs]:
    return [compute.RegionInstanceTemplateNetworkInterfaceAccessConfigArgs(network_tier="PREMIUM")]


def _shielded(plan: ClusterPlan, pool: PoolPlan) -> compute.RegionInstanceTemplateShieldedInstanceConfigArgs:
    """Secure Boot only where every module that the node loads is signed: it refuses the others, and the GPUs with them
    (NVIDIA/gpu-operator#1726). Bare metal has no shielded machine at all (facts gcp a7)."""
    metal = any(nic.kind == _IDPF for nic in pool.fabric.nics)
    return compute.RegionInstanceTemplateShieldedInstanceConfigArgs(
        enable_secure_boot=not metal and modules_are_signed(plan, pool),
        enable_vtpm=not metal,
        enable_integrity_monitoring=not metal,
    )
