"""From rows to machines: GPU models, instance types and the interfaces that a type demands."""

from __future__ import annotations

from ..vocabulary import FabricKind, KernelModule, Provider
from .azure_sizes import InfiniBand
from .google_models import GkeFloor, MachineParts
from .models import (
    Accelerator,
    AttachedAccelerator,
    InstanceType,
    NetworkCards,
    NicLayout,
    NicSlot,
    ZoneLimit,
)
from .reading import Row


def accelerator(row: Row) -> Accelerator:
    """A GPU model."""
    return Accelerator(
        model=row.needed_text("gpu_model"),
        vendor=row.needed_text("vendor"),
        architecture=row.text("architecture"),
        compute_capability=row.text("compute_capability"),
        memory_gib=row.number("memory_gib"),
        memory_usable_gib=row.number("memory_usable_gib"),
        memory_type=row.text("memory_type"),
        memory_bandwidth_gbps=row.number("memory_bandwidth_gbps"),
        fp16_dense_tflops=row.number("fp16_dense_tflops"),
        fp8_dense_tflops=row.number("fp8_dense_tflops"),
        fp4_dense_tflops=row.number("fp4_dense_tflops"),
        nvlink_gbps=row.number("nvlink_gbps"),
        tdp_w=row.number("tdp_w"),
        mig_max_instances=row.integer("mig_max_instances"),
        mig_profiles=row.items("mig_profiles"),
        min_cuda=row.text("min_cuda"),
        max_cuda=row.text("max_cuda"),
        min_driver_branch=row.integer("min_driver_branch"),
        kernel_module=KernelModule.UNKNOWN
        if not row.text("kernel_module")
        else row.word("kernel_module", KernelModule),
        notes=row.text("notes"),
        source=row.text("source"),
        as_of=row.text("as_of"),
        weak=row.items("weak"),
    )


def instance_type(row: Row) -> InstanceType:
    """A machine, with GPUs or without."""
    gpu = row.text("gpu_model")
    return InstanceType(
        provider=row.word("provider", Provider),
        name=row.needed_text("instance_type"),
        family=row.needed_text("family"),
        gpu_model=gpu,
        gpu_count=row.needed_integer("gpu_count") if gpu else 0,
        gpu_fraction=_share(row) if gpu else 1.0,
        gpu_memory_gib=row.number("gpu_memory_gib"),
        gpu_manufacturer=row.text("gpu_manufacturer"),
        vcpus=row.integer("vcpus"),
        memory_gib=row.number("memory_gib"),
        arch=row.text("arch"),
        local_nvme_gb=row.number("local_nvme_gb"),
        network_gbps=row.number("network_gbps"),
        nic_count=row.integer("nic_count"),
        fabric=row.word("fabric", FabricKind),
        fabric_interfaces=row.integer("fabric_interfaces"),
        fabric_gbps=row.number("fabric_gbps"),
        nvlink=row.flag("nvlink"),
        spot_supported=row.flag("spot_supported"),
        cluster_placement_supported=row.flag("cluster_placement_supported"),
        notes=row.text("notes"),
        source=row.text("source"),
        as_of=row.text("as_of"),
        weak=row.items("weak"),
        mig_supported=row.flag("mig_supported"),
        local_nvme_optional=row.flag("local_nvme_optional") is True,
    )


def _share(row: Row) -> float | None:
    """The share of a GPU; None where unknown. Refused: no share at all, and more than a GPU."""
    found = row.number("gpu_fraction")
    if found is not None and not 0 < found <= 1:
        raise row.refuse(f"column gpu_fraction: {row.text('gpu_fraction')} is no share of a GPU: above 0 and up to 1")
    return found


def allowed_by_name(row: Row, provider: Provider, name: str, family: str) -> InstanceType:
    """A machine that no table has but the cloud's naming allows: nothing but its name and family is known."""
    return InstanceType(
        provider=provider,
        name=name,
        family=family,
        gpu_model="",
        gpu_count=0,
        gpu_fraction=1.0,
        gpu_memory_gib=None,
        gpu_manufacturer="",
        vcpus=None,
        memory_gib=None,
        arch=row.text("arch"),
        local_nvme_gb=None,
        network_gbps=None,
        nic_count=None,
        fabric=FabricKind.NONE,
        fabric_interfaces=None,
        fabric_gbps=None,
        nvlink=None,
        spot_supported=None,
        cluster_placement_supported=None,
        notes=row.text("notes"),
        source=row.text("source"),
        as_of=row.text("as_of"),
        known=False,
        local_nvme_optional=row.flag("local_nvme_optional") is True,
    )


def zone_limit(row: Row) -> ZoneLimit:
    """A lower limit of some zones."""
    zones = row.items("zones")
    if not zones:
        raise row.refuse("column zones is empty: a limit of every zone belongs into attached_accelerators")
    return ZoneLimit(
        zones=zones,
        max_vcpus=row.needed_integer("max_vcpus"),
        max_memory_gb=row.needed_number("max_memory_gb"),
        source=row.text("source"),
        as_of=row.text("as_of"),
    )


def attached_accelerator(row: Row, limits: tuple[ZoneLimit, ...] = ()) -> AttachedAccelerator:
    """What an N1 machine may carry, and in which zones less."""
    return AttachedAccelerator(
        accelerator_type=row.needed_text("accelerator_type"),
        gpu_model=row.needed_text("gpu_model"),
        gpu_count=row.needed_integer("gpu_count"),
        max_vcpus=row.needed_integer("max_vcpus"),
        max_memory_gb=row.needed_number("max_memory_gb"),
        max_network_gbps=row.needed_number("max_network_gbps"),
        notes=row.text("notes"),
        source=row.text("source"),
        as_of=row.text("as_of"),
        zone_limits=limits,
    )


def network_cards(row: Row) -> NetworkCards:
    """The cards of an AWS type. Refused: a list that misses a card, an EFA on a card that is not there."""
    cards = row.needed_integer("cards")
    most = row.integers("max_interfaces")
    efa = row.integers("efa_cards")
    if len(most) != cards:
        raise row.refuse(f"column max_interfaces: {len(most)} entries for {cards} cards")
    if any(card >= cards for card in efa) or len(set(efa)) != len(efa):
        raise row.refuse(f"column efa_cards: {row.text('efa_cards')} does not fit {cards} cards")
    return NetworkCards(
        instance_type=row.needed_text("instance_type"),
        cards=cards,
        max_interfaces=most,
        efa_cards=efa,
        efa_interface_type=row.text("efa_interface_type"),
        max_efa=row.needed_integer("max_efa"),
        source=row.text("source"),
        as_of=row.text("as_of"),
        notes=row.text("notes"),
    )


def nic_layout(row: Row) -> NicLayout:
    """The interfaces of a Google machine family, in the order in which the machine takes them."""
    slots: list[NicSlot] = []
    for item in row.items("slots"):
        kind, colon, network = item.partition(":")
        if not (kind and colon and network):
            raise row.refuse(f"column slots: {item!r} is not <kind>:<network>")
        slots.append(NicSlot(len(slots), kind, network))
    if not slots:
        raise row.refuse("column slots is empty: every machine has an interface")
    return NicLayout(
        family=row.needed_text("family"),
        slots=tuple(slots),
        mtu_host=row.needed_integer("mtu_host"),
        mtu_gpu=row.integer("mtu_gpu"),
        network_profile_suffix=row.text("network_profile_suffix"),
        rdma_subnets=row.needed_integer("rdma_subnets"),
        boot_disk=row.needed_text("boot_disk"),
        local_ssd_bundled=row.needed_integer("local_ssd_bundled"),
        source=row.text("source"),
        as_of=row.text("as_of"),
        mtu_single_node=row.integer("mtu_single_node"),
        notes=row.text("notes"),
    )


def machine_parts(row: Row) -> MachineParts:
    """What a Google machine type is made of."""
    return MachineParts(
        pattern=row.needed_text("pattern"),
        accelerator_type=row.text("accelerator_type"),
        boot_types=row.items("boot_types"),
        persistent_disks=row.needed_flag("persistent_disks"),
        local_ssd_counts=row.integers("local_ssd_counts"),
        source=row.text("source"),
        as_of=row.text("as_of"),
    )


def gke_floor(row: Row) -> GkeFloor:
    """The oldest version of a minor release that serves a machine type."""
    return GkeFloor(row.needed_text("minor"), row.needed_text("version"), row.text("source"), row.text("as_of"))


def infiniband(row: Row) -> InfiniBand:
    """The InfiniBand and image facts of an Azure GPU size."""
    return InfiniBand(
        instance_type=row.needed_text("instance_type"),
        adapters=row.needed_integer("adapters"),
        gbps_per_adapter=row.number("gbps_per_adapter"),
        single_placement_group=row.needed_flag("single_placement_group"),
        max_nodes=row.needed_integer("max_nodes"),
        trusted_launch=row.flag("trusted_launch"),
        capacity_reservation=row.flag("capacity_reservation"),
        generations=row.integers("generations"),
        disk_controller=row.text("disk_controller"),
        driver_kind=row.needed_text("driver_kind"),
        source=row.text("source"),
        as_of=row.text("as_of"),
        weak=row.items("weak"),
        notes=row.text("notes"),
        root_on=row.text("root_on"),
        root_on_gib=row.integer("root_on_gib"),
    )
