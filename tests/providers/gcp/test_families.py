"""Every machine that Google sells with GPUs, in every way that it is sold, against the tables of facts gcp a1 to a4."""

from __future__ import annotations

from typing import Any

import pytest

from gpuinfra import catalog
from gpuinfra.catalog import InstanceType
from gpuinfra.policy.resource_graph import ResourceGraph
from gpuinfra.vocabulary import CapacityType, Provider

from .clusters import (
    FLEX,
    GROUP,
    POLICY,
    REQUEST,
    RESERVED,
    TEMPLATE,
    cluster,
    home,
    only,
    planned,
    pool,
    recorded,
    source,
)

# Facts gcp a1 and a2: the kinds of a machine's interfaces, in order.
NICS = {
    "a3-highgpu-8g": ["GVNIC"] * 5,
    "a3-edgegpu-8g": ["GVNIC"] * 5,
    "a3-megagpu-8g": ["GVNIC"] * 9,
    "a3-ultragpu-8g": ["GVNIC"] * 2 + ["MRDMA"] * 8,
    "a4-highgpu-8g": ["GVNIC"] * 2 + ["MRDMA"] * 8,
    "a4x-highgpu-4g": ["GVNIC"] * 2 + ["MRDMA"] * 4,
    "a4x-maxgpu-4g-metal": ["IDPF"] * 2 + ["MRDMA"] * 8,
    "g4-standard-384": ["GVNIC"] * 2,
}
HYPERDISK = ("g4-", "a3-ultragpu", "a4-", "a4x-")
DENSE = ("a3-ultragpu", "a4-", "a4x-")
BUY: dict[str, dict[str, Any]] = {
    "on_demand": {"type": "on_demand"},
    "spot": {"type": "spot"},
    "reservation": RESERVED,
    "calendar": {**RESERVED, "starts": "2026-11-01T00:00:00Z", "ends": "2026-12-20T00:00:00Z"},
    "flex_start": FLEX,
}
# Facts gcp a3: model, automatic restart, preemptible, what an end does, and which reservation is used.
ROWS = {
    "on_demand": ("STANDARD", True, None, None, "ANY_RESERVATION"),
    "spot": ("SPOT", False, True, "DELETE", "NO_RESERVATION"),
    "flex_start": ("FLEX_START", False, None, "DELETE", "NO_RESERVATION"),
    "bound": ("RESERVATION_BOUND", True, None, "DELETE", "SPECIFIC_RESERVATION"),
    "reservation": ("STANDARD", True, None, None, "SPECIFIC_RESERVATION"),
}


def sold() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for instance in catalog.instance_types(Provider.GCP):
        if ":" in instance.name:
            continue
        for way, capacity in BUY.items():
            option = catalog.purchase_option(Provider.GCP, instance.name, CapacityType(capacity["type"]))
            if option is None or option.supported:
                found.append((instance.name, way))
    return found


def base(name: str) -> str:
    return name.removesuffix("-nolssd")


def machine(name: str) -> InstanceType:
    row = catalog.instance_type(Provider.GCP, name)
    assert isinstance(row, InstanceType)
    return row


def made(name: str, way: str, **changes: Any) -> ResourceGraph:
    shape = pool(instance_type=name, capacity=BUY[way], **changes)
    fraction = machine(name).gpu_fraction
    # A share of a GPU boots an image of one's own.
    image = {"image": {"node": "projects/acme-lab/global/images/grid-v20261101"}} if fraction and fraction < 1 else {}
    return recorded(cluster(location=home(name), node_pools=[shape], **image))


def test_each_family_is_sold_somehow() -> None:
    families = {name for name, _ in sold()}
    assert set(NICS) <= families
    assert len(families) > 30
    assert {way for _, way in sold()} == set(BUY)


@pytest.mark.parametrize(("name", "way"), sold())
def test_interfaces_disks_and_scheduling(name: str, way: str) -> None:
    graph = made(name, way)
    template = only(graph, TEMPLATE)
    assert template.get("machineType") == name

    nics = template.get("networkInterfaces")
    assert [n["nicType"] for n in nics] == NICS.get(base(name), ["GVNIC"])
    subnets = [source(n["subnetwork"]) or str(n["subnetwork"]) for n in nics]
    if "-metal" not in name:
        assert len(set(subnets)) == len(nics), "no two interfaces share a subnet"
    assert not [n for n in nics if "accessConfigs" in n], "private by default"

    (boot,) = template.get("disks")
    wanted = "hyperdisk-balanced" if name.startswith(HYPERDISK) else "pd-balanced"
    assert (boot["diskType"], boot["boot"], boot["autoDelete"]) == (wanted, True, True)
    assert "guestAccelerators" not in template.inputs, "the machine type implies its GPUs"

    bound = way == "calendar" or (way == "reservation" and name.startswith(DENSE))
    model, restart, preemptible, end, reservation = ROWS["bound" if bound else way]
    scheduling = template.get("scheduling")
    assert scheduling["onHostMaintenance"] == "TERMINATE"
    assert scheduling["provisioningModel"] == model
    assert scheduling["automaticRestart"] is restart
    assert scheduling.get("preemptible") is preemptible
    assert scheduling.get("instanceTerminationAction") == end
    assert scheduling.get("maxRunDuration") == ({"seconds": 86400} if way == "flex_start" else None)
    assert template.get("reservationAffinity", "type") == reservation
    assert bool(graph.of_type(REQUEST)) == (way == "flex_start")


@pytest.mark.parametrize(("name", "way"), sold())
def test_policies_stand_where_the_family_takes_them(name: str, way: str) -> None:
    """GCP-PLC-06: a workload policy never stands on a machine, nor a placement policy on a group of a newer family."""
    graph = made(name, way)
    template, group = only(graph, TEMPLATE), only(graph, GROUP)
    on_group, on_machine = group.get("resourcePolicies", "workloadPolicy"), template.inputs.get("resourcePolicies")
    policies = graph.of_type(POLICY)
    newer = name.startswith((*DENSE, "a3-megagpu", "a3-highgpu-8g"))
    assert bool(policies) == bool(on_group or on_machine)
    for policy in policies:
        if newer:
            assert on_group
            assert not on_machine
            assert policy.get("workloadPolicy", "type") == "HIGH_THROUGHPUT"
            assert "groupPlacementPolicy" not in policy.inputs
        else:
            assert on_machine
            assert not on_group
            assert policy.get("groupPlacementPolicy") == {"collocation": "COLLOCATED"}
    if name.startswith("a4x-"):
        (policy,) = policies
        assert policy.get("workloadPolicy", "acceleratorTopology") == "1x72"
    elif way in ("reservation", "calendar"):
        assert not policies, "blocks of a reservation are close together already"
    if way == "flex_start":
        assert bool(policies) == name.startswith(("a4-", "a3-ultragpu")), "flex-start takes a policy for these alone"


def test_one_machine_of_a_rack_has_its_policy_too() -> None:
    """GCP-PLC-05."""
    graph = made("a4x-highgpu-4g", "reservation", count=1)
    assert only(graph, GROUP).get("resourcePolicies", "workloadPolicy")


@pytest.mark.parametrize(
    ("model", "count", "kind"), [("T4", 2, "nvidia-tesla-t4"), ("V100-16GB", 1, "nvidia-tesla-v100")]
)
def test_n1_spells_its_gpus_out(model: str, count: int, kind: str) -> None:
    """GCP-ACC-02: without the block there is no GPU, and nobody says so."""
    shape = pool(instance_type="n1-standard-8", accelerator={"model": model, "count": count})
    spec = cluster(location=home("n1-standard-8", kind), node_pools=[shape], image={})
    template = only(recorded(spec), TEMPLATE)
    assert template.get("guestAccelerators") == [{"type": kind, "count": count}]
    assert template.get("scheduling", "onHostMaintenance") == "TERMINATE"


def test_a_machine_without_gpus_moves_with_its_host() -> None:
    """GCP-C01: only GPUs forbid it."""
    shape = pool(instance_type="c3-standard-8", count=1)
    graph = recorded(cluster(node_pools=[shape], shutdown={"lease": "72h"}))
    assert only(graph, TEMPLATE).get("scheduling", "onHostMaintenance") == "MIGRATE"
    spot = recorded(cluster(node_pools=[{**shape, "capacity": {"type": "spot"}}], shutdown={"lease": "72h"}))
    assert only(spot, TEMPLATE).get("scheduling", "onHostMaintenance") == "TERMINATE", "spot machines do not move"


@pytest.mark.parametrize(
    ("name", "disk", "host"),
    [
        ("n2-standard-8", "pd-balanced", "MIGRATE"),
        ("c4-standard-8", "hyperdisk-balanced", "MIGRATE"),
        ("n4-standard-8", "hyperdisk-balanced", "MIGRATE"),
        ("h3-standard-88", "pd-balanced", "TERMINATE"),
        ("c3-standard-192-metal", "hyperdisk-balanced", "TERMINATE"),
    ],
)
def test_machines_without_gpus_boot_from_a_disk_that_they_take(name: str, disk: str, host: str) -> None:
    graph = recorded(cluster(node_pools=[pool(instance_type=name, count=1)], shutdown={"lease": "72h"}))
    template = only(graph, TEMPLATE)
    assert (template.get("disks", 0, "diskType"), template.get("scheduling", "onHostMaintenance")) == (disk, host)


@pytest.mark.parametrize(
    ("name", "nvme", "drives"),
    [
        ("g4-standard-48", "raid0", 4),
        ("g4-standard-96", "separate", 8),
        ("g4-standard-48", "none", 0),
        ("g2-standard-24", "raid0", 2),
        ("a2-highgpu-4g", "raid0", 8),
        ("a3-highgpu-8g", "raid0", 0),
        ("a2-ultragpu-2g", "raid0", 0),
    ],
)
def test_only_drives_that_are_not_bundled_are_attached(name: str, nvme: str, drives: int) -> None:
    """GCP-DSK-05."""
    graph = made(name, "spot", local_nvme=nvme)
    boot, *rest = only(graph, TEMPLATE).get("disks")
    assert boot["boot"] is True
    assert len(rest) == drives
    for disk in rest:
        assert (disk["type"], disk["diskType"], disk["interface"], disk["diskSizeGb"]) == (
            "SCRATCH",
            "local-ssd",
            "NVME",
            375,
        )


@pytest.mark.parametrize(
    ("id_", "value"),
    [
        ("res-h", "res-h"),
        ("projects/shared/reservations/res-h", "projects/shared/reservations/res-h"),
        (
            "projects/shared/reservations/res-h/reservationBlocks/b1",
            "projects/shared/reservations/res-h/reservationBlocks/b1",
        ),
        ("res-h/reservationBlocks/b1", "projects/acme-lab/reservations/res-h/reservationBlocks/b1"),
    ],
)
def test_a_reservation_is_named_as_the_api_takes_it(id_: str, value: str) -> None:
    spec = cluster(
        location=home("a4-highgpu-8g"),
        node_pools=[pool(instance_type="a4-highgpu-8g", capacity={"type": "reservation", "id": id_})],
    )
    specific = only(recorded(spec), TEMPLATE).get("reservationAffinity", "specificReservation")
    assert specific == {"key": "compute.googleapis.com/reservation-name", "values": [value]}


def test_flex_start_never_runs_longer_than_the_lease() -> None:
    from gpuinfra.providers.gcp.scheduling import run_seconds

    def seconds(lease: str, duration: str) -> int | None:
        capacity = {"type": "flex_start", "duration": duration}
        plan = planned(cluster(node_pools=[pool(capacity=capacity)], shutdown={"lease": lease}))
        return run_seconds(plan, plan.pools[0])

    assert seconds("72h", "24h") == 86400
    assert seconds("8h", "24h") == 8 * 3600
    assert seconds("2026-12-05T17:00:00Z", "24h") == 86400, "a moment says nothing of a length"
    assert seconds("5m", "24h") == 600, "the least that Google takes"
