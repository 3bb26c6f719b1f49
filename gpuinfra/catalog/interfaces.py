"""What Google's machine types demand of their networks, disks and groups, as rows. None in a field means unknown."""

from __future__ import annotations

from typing import NamedTuple


class NicSlot(NamedTuple):
    """One network interface that a Google machine type demands, in order (facts a2)."""

    order: int
    nic_type: str
    """GVNIC, MRDMA or IDPF."""
    network: str
    """Which network of the cluster: host, host1, gpu0 … gpu7, rdma."""


class NicLayout(NamedTuple):
    """The interfaces of a Google machine family and the networks they need (facts a2)."""

    family: str
    slots: tuple[NicSlot, ...]
    mtu_host: int
    mtu_gpu: int | None
    network_profile_suffix: str
    """`vpc-roce`, `vpc-roce-metal`, or empty."""
    rdma_subnets: int
    boot_disk: str
    """The disk type to boot from: pd-balanced or hyperdisk-balanced."""
    local_ssd_bundled: int
    source: str
    as_of: str
    mtu_single_node: int | None = None
    """MTU of the host network where a pool has one node only; None: as `mtu_host`."""
    migrates: bool = True
    """Its machines move to another host while they run, where they have no GPU."""
    reservation_bound: bool = False
    """Reservations of the family are dense blocks, whose machines are bought as bound to them (facts a3)."""
    grouped_by: str = "placement"
    """What keeps the machines of a group together: workload (a policy on the group) or placement (one on each machine)."""
    topology: str = ""
    """The topology that the policy of the group asks for, as 1x72; empty: as close as can be had."""
    notes: str = ""
