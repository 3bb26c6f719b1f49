"""How a pool's machines are bought, as Compute Engine spells it (facts gcp a3): scheduling and reservation."""

from __future__ import annotations

from pulumi_gcp import compute

from ... import catalog
from ...plan.capacity import FLEX_MIN
from ...plan.models import CapacityPlan, ClusterPlan, PoolPlan
from ...vocabulary import CapacityType
from .names import project_of

_RESERVATION_KEY = "compute.googleapis.com/reservation-name"
_DELETE = "DELETE"
_BOUND = "RESERVATION_BOUND"


def scheduling(plan: ClusterPlan, pool: PoolPlan) -> compute.RegionInstanceTemplateSchedulingArgs:
    """The scheduling block of a pool's machines."""
    buys = pool.capacity.type
    model = _model(pool)
    seconds = run_seconds(plan, pool)
    # What ends a machine deletes it: a stopped one keeps its disks and their bill, and local SSDs are lost in any case.
    ends = buys in (CapacityType.SPOT, CapacityType.FLEX_START) or model == _BOUND
    return compute.RegionInstanceTemplateSchedulingArgs(
        provisioning_model=model,
        on_host_maintenance="MIGRATE" if _moves(pool) else "TERMINATE",
        automatic_restart=buys not in (CapacityType.SPOT, CapacityType.FLEX_START),
        preemptible=True if buys is CapacityType.SPOT else None,
        instance_termination_action=_DELETE if ends else None,
        max_run_duration=compute.RegionInstanceTemplateSchedulingMaxRunDurationArgs(seconds=seconds)
        if seconds is not None
        else None,
    )


def is_queued(pool: PoolPlan) -> bool:
    """Whether machines come by a request, and not by the group's size: it may wait for days, and the size does not call it
    back."""
    return pool.capacity.type is CapacityType.FLEX_START


def run_seconds(plan: ClusterPlan, pool: PoolPlan) -> int | None:
    """How long flex-start machines run, which the cloud keeps to: never longer than the lease. None for other kinds."""
    duration = pool.capacity.duration
    if pool.capacity.type is not CapacityType.FLEX_START or duration is None:
        return None
    lease = plan.lease.duration
    if lease is not None:
        # A request for less than the least would be refused; the end of the lease still takes the nodes away.
        duration = min(duration, max(lease, FLEX_MIN))
    return int(duration.total_seconds())


def reservation_affinity(plan: ClusterPlan, pool: PoolPlan) -> compute.RegionInstanceTemplateReservationAffinityArgs:
    """Which reservation machines use."""
    args = compute.RegionInstanceTemplateReservationAffinityArgs
    capacity = pool.capacity
    if capacity.type is CapacityType.RESERVATION:
        specific = compute.RegionInstanceTemplateReservationAffinitySpecificReservationArgs(
            key=_RESERVATION_KEY, values=[_reservation(plan, capacity)]
        )
        return args(type="SPECIFIC_RESERVATION", specific_reservation=specific)
    if capacity.type is CapacityType.ON_DEMAND:
        # An open reservation that fits is paid for already.
        return args(type="ANY_RESERVATION")
    return args(type="NO_RESERVATION")


def _moves(pool: PoolPlan) -> bool:
    """Machines with GPUs cannot move to another host, and spot machines are taken back instead."""
    still = pool.gpus_per_node or pool.capacity.type is CapacityType.SPOT
    return not still and catalog.nic_layout(pool.instance.name).migrates


def _model(pool: PoolPlan) -> str:
    if pool.capacity.type is CapacityType.SPOT:
        return "SPOT"
    if pool.capacity.type is CapacityType.FLEX_START:
        return "FLEX_START"
    if pool.capacity.type is CapacityType.RESERVATION:
        # A window in the calendar binds its machines, whatever the family; they die with it.
        dated = pool.capacity.ends is not None
        return _BOUND if dated or catalog.nic_layout(pool.instance.name).reservation_bound else "STANDARD"
    return "STANDARD"


def _reservation(plan: ClusterPlan, capacity: CapacityPlan) -> str:
    """The name of a reservation of the own project; a path for another's, and for a block of one."""
    named = capacity.id
    if "/" in named and not named.startswith("projects/"):
        return f"projects/{project_of(plan)}/reservations/{named}"
    return named
