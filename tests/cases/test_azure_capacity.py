"""AZ-01 (two node groups, one InfiniBand job), AZ-02 (preview says update, ARM refuses), AZ-06 (reserved capacity) and
AZ-09 (spot, ephemeral disk and a shutdown schedule), with their passing twins."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from gpuinfra.diagnostics import Severity
from gpuinfra.plan import resolve
from gpuinfra.policy import check_graph
from gpuinfra.policy.examples import NOW, graph_of, spec_of

from .azure_programs import (
    A100,
    GROUP,
    H100,
    T4,
    autoscale,
    changed,
    found,
    judge,
    ref,
    resource,
    scale_set,
    spec,
)
from .judging import codes, rows, said

TWO = f"{{name: a, instance_type: {H100}, count: 4}}, {{name: b, instance_type: {H100}, count: 4}}"
CRG = f"{GROUP}/providers/Microsoft.Compute/capacityReservationGroups/held"
NEAR = {"id": f"{GROUP}/providers/Microsoft.Compute/proximityPlacementGroups/near"}


def test_01_a_job_over_two_pools_names_both_and_the_one_pool_to_make():
    one = said(spec(TWO, extra="job: {pools: [a, b], launcher: torchrun, command: [python, t.py]}"), "GI2235")
    assert one.is_error
    assert one.path == "job.pools"
    assert "'a' and 'b' one pool of 8 nodes" in one.hint


def test_01_a_job_over_two_named_pools_is_refused_without_a_launcher_too():
    one = said(spec(TWO, extra="job: {pools: [a, b], command: [python, t.py]}"), "GI2235")
    assert one.is_error


def test_01_pools_with_jobs_of_their_own_are_allowed():
    listed = spec(TWO, extra="job: {pools: [a], launcher: torchrun, command: [python, t.py]}")
    assert "IB-01" not in rows(listed, cloud="AZ ")


@pytest.mark.parametrize(("count", "severity"), [(100, None), (130, Severity.WARNING), (301, Severity.ERROR)])
def test_01_more_nodes_than_one_set_takes(count: int, severity: Severity | None):
    listed = [d for d in spec(f"{{name: gpu, instance_type: {H100}, count: {count}}}") if d.code == "GI2042"]
    assert [d.severity for d in listed] == ([severity] if severity else [])


def test_01_the_set_that_the_case_asks_for_is_silent():
    right = scale_set(H100, 8, platformFaultDomainCount=1)
    assert found(right, autoscale()) == set()


@pytest.mark.parametrize(
    ("change", "row"),
    [
        ({"orchestrationMode": "Flexible"}, "IB-09"),
        ({"singlePlacementGroup": False}, "IB-02"),
        ({"overprovision": True}, "IB-07"),
        ({"overprovision": None}, "IB-07"),
        ({"zones": ["1", "2"]}, "IB-06"),
        ({"platformFaultDomainCount": 3}, "PLC-01"),
        ({"upgradePolicy": {"mode": "Automatic"}}, "IB-08"),
        ({"proximityPlacementGroup": NEAR}, "PLC-03"),
    ],
)
def test_01_each_departure_has_its_row(change: dict[str, Any], row: str):
    assert found(scale_set(H100, 8, **change), autoscale()) == {row}


def test_01_two_sets_in_one_group_are_an_error_and_alone_a_warning():
    pair = [scale_set(H100, 4, name, proximityPlacementGroup=NEAR) for name in ("a", "b")]
    one = said(judge(*pair), "GI3201")
    assert one.is_error
    assert "'a', 'b'" in one.message
    assert "one scale set of 8 nodes" in one.hint
    apart = said(judge(scale_set(H100, 4, "a"), scale_set(H100, 4, "b")), "GI3201")
    assert apart.severity is Severity.WARNING


def test_01_sets_of_unlike_sizes_and_machines_of_one_availability_set_pass():
    assert "IB-01" not in found(scale_set(H100, 4, "a"), scale_set(A100, 4, "b"))
    box = {"hardwareProfile": {"vmSize": H100}, "availabilitySet": {"id": ref("home")}}
    home = resource("compute.AvailabilitySet", "home", platformFaultDomainCount=1, platformUpdateDomainCount=1)
    boxes = [resource("compute.VirtualMachine", n, **box) for n in ("one", "two")]
    assert "IB-01" not in found(home, *boxes)
    alone = [changed(b, "availabilitySet", None) for b in boxes]
    assert "IB-01" in found(*alone)
    assert "IB-01" not in found(alone[0])


@pytest.mark.parametrize(
    ("size", "count", "single", "severity"),
    [
        (H100, 100, True, None),
        (H100, 130, True, Severity.WARNING),
        (H100, 300, True, Severity.WARNING),
        (H100, 301, True, Severity.ERROR),
        (T4, 101, True, Severity.ERROR),
        (T4, 101, None, Severity.ERROR),
        (T4, 1000, False, None),
        (T4, 1001, False, Severity.ERROR),
    ],
)
def test_a_single_placement_group_above_its_size(size: str, count: int, single: bool | None, severity: Severity | None):
    report = judge(scale_set(size, count, singlePlacementGroup=single))
    assert [d.severity for d in report.diagnostics if d.code == "GI3205"] == ([severity] if severity else [])


def test_an_autoscale_setting_may_grow_a_set_beyond_its_group():
    grows = autoscale(profiles=[{"name": "p", "capacity": {"minimum": "0", "default": "4", "maximum": "120"}}])
    assert "120 nodes" in said(judge(scale_set(T4, 4, singlePlacementGroup=True), grows), "GI3205").message


LAST = scale_set(H100, 4, singlePlacementGroup=False, zones=None, platformFaultDomainCount=5)["inputs"]


def test_02_a_change_that_is_replaced_is_silent():
    assert "PUL-01" not in found(scale_set(H100, 4, platformFaultDomainCount=1), last={"nodes": LAST})


def test_02_without_the_option_the_three_properties_are_named():
    naive = {**scale_set(H100, 4, zones=["2"], platformFaultDomainCount=1), "options": {}}
    one = said(judge(naive, last={"nodes": LAST}), "GI3214")
    assert one.is_error
    assert one.hint == "add to replaceOnChanges: singlePlacementGroup, zones, platformFaultDomainCount"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (scale_set(H100, 4), scale_set(H100, 6)),
        (scale_set(T4, 4, singlePlacementGroup=True), scale_set(T4, 4, singlePlacementGroup=False)),
    ],
)
def test_02_what_azure_does_in_place_stays_an_update(was: dict[str, Any], now: dict[str, Any]):
    assert "PUL-01" not in found({**now, "options": {}}, last={"nodes": was["inputs"]})


def test_02_giving_up_the_single_group_is_still_a_fault_of_the_fabric():
    assert "IB-02" in found(
        scale_set(H100, 4, singlePlacementGroup=False), last={"nodes": scale_set(H100, 4)["inputs"]}
    )


@pytest.mark.parametrize("missing", ["zones", "virtualMachineProfile.priority", "orchestrationMode"])
def test_02_each_property_is_wanted_in_the_options(missing: str):
    right = scale_set(H100, 4)
    right["options"]["replaceOnChanges"] = [p for p in right["options"]["replaceOnChanges"] if p != missing]
    assert missing in said(judge(right), "GI3214").message


def test_02_a_path_around_a_property_covers_it_and_a_stranger_is_only_told():
    right = scale_set(H100, 4)
    right["options"]["replaceOnChanges"] = ["virtualMachineProfile", *right["options"]["replaceOnChanges"][:5]]
    assert "GI3214" not in codes(judge(right))
    stranger = {**right, "options": {}}
    assert said(judge(stranger), "GI3214").severity is Severity.INFO


# The spec names an existing reservation group; whether the program makes one, and in which zone, is seen in resources.
@pytest.mark.parametrize(
    ("size", "code", "severity"),
    [
        ("Standard_ND96isr_H200_v5", "GI2030", Severity.ERROR),
        ("Standard_NC40ads_H100_v5", "GI2030", Severity.ERROR),
        (A100, "GI2340", Severity.WARNING),
    ],
)
def test_06_sizes_without_reservations(size: str, code: str, severity: Severity):
    listed = spec(
        f"{{name: gpu, instance_type: {size}, count: 2, capacity: {{type: reservation, id: {CRG}}}}}", region="eastus2"
    )
    one = said(listed, code)
    assert (one.severity, one.path) == (severity, "node_pools[0].capacity.type")


def test_06_a_reserved_t4_pool_is_right():
    listed = spec(f"{{name: gpu, instance_type: {T4}, count: 2, capacity: {{type: reservation, id: {CRG}}}}}")
    assert not {"CRG-01", "CRG-02", "CRG-03"} & rows(listed, cloud="AZ ")


def reserved(
    size: str = T4, held: int = 2, group_zone: str = "2", zone: str = "2", /, **more: Any
) -> list[dict[str, Any]]:
    """A reservation group with a reservation, and the set that is bought from it."""
    bought = {"capacityReservation": {"capacityReservationGroup": {"id": ref("held")}}}
    profile = {**bought, **more.pop("profile", {})}
    nodes = scale_set(size, 2, zones=[zone], profile=profile, **{"singlePlacementGroup": False, **more})
    return [
        resource("compute.CapacityReservationGroup", "held", capacityReservationGroupName="held", zones=[group_zone]),
        resource(
            "compute.CapacityReservation",
            "kept",
            capacityReservationGroupName=ref("held", "name"),
            sku={"name": size, "capacity": held},
            zones=[group_zone],
        ),
        {**nodes, "depends_on": ["kept"]},
        autoscale(),
    ]


CRGS = {f"CRG-{n:02}" for n in range(1, 6)}


def test_06_the_right_wiring_is_silent():
    assert found(*reserved()) & CRGS == set()


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        (reserved("Standard_ND96isr_H200_v5", singlePlacementGroup=True), {"CRG-01", "CRG-02"}),
        (reserved("Standard_NC40ads_H100_v5"), {"CRG-01"}),
        (reserved(A100), {"CRG-01"}),
        (reserved(profile={"priority": "Spot", "evictionPolicy": "Delete"}), {"CRG-02"}),
        (reserved(proximityPlacementGroup=NEAR), {"CRG-02"}),
        (reserved(singlePlacementGroup=None), {"CRG-02"}),
        (reserved(platformFaultDomainCount=3), {"CRG-02"}),
        (reserved(T4, 2, "1", "2"), {"CRG-03"}),
        (reserved(T4, 5), {"CRG-04"}),
    ],
)
def test_06_each_fault_has_its_row(resources: list[dict[str, Any]], expected: set[str]):
    assert found(*resources) & CRGS == expected


def test_06_a_doubtful_size_is_a_warning():
    one = said(judge(*reserved(A100)[:2]), "GI3216")
    assert one.severity is Severity.WARNING
    assert "CapacityReservationSupported" in one.hint


def test_06_nodes_that_do_not_wait_for_the_reservation():
    group, kept, nodes, lease = reserved()
    hasty = {**nodes, "depends_on": []}
    assert "do not wait" in said(judge(group, kept, hasty, lease), "GI3217").message


# The spec has no words for a price, an eviction policy or the kind of the system's disk: the room writes -1, Delete and
# a disk that fits. These are judged on resources.
SPOT = {
    "priority": "Spot",
    "evictionPolicy": "Delete",
    "billingProfile": {"maxPrice": 3.12346},
    "storageProfile": {
        "imageReference": {
            "publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2404", "version": "24.04.2026082601"
        },
        "osDisk": {
            "createOption": "FromImage",
            "caching": "ReadOnly",
            "diskSizeGB": 60,
            "diffDiskSettings": {"option": "Local", "placement": "ResourceDisk"},
        },
    },
}  # fmt: skip
POOL = scale_set(A100, 4, profile=SPOT)
P = "virtualMachineProfile"


def test_09_the_accepted_rendering_is_silent():
    assert found(POOL, autoscale()) == set()


@pytest.mark.parametrize(
    ("path", "value", "row"),
    [
        ("evictionPolicy", "Deallocate", "SPOT-03"),
        ("evictionPolicy", None, "SPOT-03"),
        ("billingProfile.maxPrice", 3.1234567, "SPOT-02"),
        ("billingProfile.maxPrice", 0, "SPOT-02"),
        ("priority", "Regular", "SPOT-01"),
        ("storageProfile.osDisk.caching", "ReadWrite", "OS-02"),
        ("storageProfile.osDisk.caching", None, "OS-02"),
        ("storageProfile.osDisk.diffDiskSettings.placement", "NvmeDisk", "OS-01"),
        ("storageProfile.osDisk.diskSizeGB", 2048, "OS-03"),
    ],
)
def test_09_each_fault_has_its_row(path: str, value: Any, row: str):
    assert row in found(changed(POOL, f"{P}.{path}", value), autoscale(), errors=True)


@pytest.mark.parametrize("price", [-1, "-1", 3.12346, 98.32])
def test_09_prices_that_azure_takes(price: Any):
    assert "SPOT-02" not in found(changed(POOL, f"{P}.billingProfile.maxPrice", price), autoscale())


def vm_schedule(target: str, **inputs: Any) -> dict[str, Any]:
    right = {
        "name": "shutdown-computevm-box",
        "targetResourceId": ref(target),
        "taskType": "ComputeVmShutdownTask",
        "timeZoneId": "W. Europe Standard Time",
        "dailyRecurrence": {"time": "1900"},
    }
    return resource("devtestlab.GlobalSchedule", "evening", **{**right, **inputs})


def box(**disk: Any) -> dict[str, Any]:
    image = {"publisher": "Canonical", "offer": "ubuntu-24_04-lts", "sku": "server", "version": "24.04.202609010"}
    system = {"createOption": "FromImage", "managedDisk": {"storageAccountType": "Premium_LRS"}, **disk}
    storage = {"imageReference": image, "osDisk": system}
    return resource(
        "compute.VirtualMachine", "box", vmName="box", hardwareProfile={"vmSize": T4}, storageProfile=storage
    )


SHUT = {f"SHUT-{n:02}" for n in range(1, 6)} | {"OS-04"}


def test_09_a_daily_schedule_on_a_set_cannot_be_a_machines():
    assert found(POOL, vm_schedule("nodes")) & {"SHUT-01"} == {"SHUT-01"}


def test_09_a_single_machine_on_a_managed_disk_takes_one():
    assert found(box(), vm_schedule("box")) & SHUT == set()


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        ({"name": "evening"}, "joined to no machine"),
        ({"name": None}, "adds letters"),
        ({"timeZoneId": "Europe/Berlin"}, "no Windows time zone"),
        ({"timeZoneId": "Berlin"}, "no Windows time zone"),
        ({"dailyRecurrence": {"time": "19:00"}}, "not four digits"),
        ({"dailyRecurrence": {"time": "2560"}}, "not four digits"),
        ({"taskType": "LabVmsShutdownTask"}, "another task"),
    ],
)
def test_09_schedules_that_are_misspelt(inputs: dict[str, Any], text: str):
    assert text in said(judge(box(), vm_schedule("box", **inputs)), "GI3246").message


def test_09_the_windows_name_of_a_zone_is_offered():
    one = said(judge(box(), vm_schedule("box", timeZoneId="America/New_York")), "GI3246")
    assert "Eastern Standard Time" in one.hint


def test_09_a_machine_on_an_ephemeral_disk_is_never_stopped():
    ephemeral = box(caching="ReadOnly", diffDiskSettings={"option": "Local"})
    assert "OS-04" in found(ephemeral, vm_schedule("box"), errors=True)


SPOT_SPEC = """
location: {provider: azure, region: eastus, zone: "1"}
node_pools: [{instance_type: Standard_NC24ads_A100_v4, capacity: {type: %s}}]
storage: []
"""


@pytest.mark.parametrize(
    ("wish", "priority", "right"),
    [("spot", "Spot", True), ("spot", "Regular", False), ("spot", None, False), ("on_demand", None, True),
     ("on_demand", "Spot", False)],
)  # fmt: skip
def test_09_the_priority_is_the_one_that_was_asked_for(wish: str, priority: str | None, right: bool):
    plan = resolve(spec_of(SPOT_SPEC % wish), NOW).plan
    assert plan is not None
    nodes = scale_set(A100, 2, f"{plan.pools[0].resource_name}-set", profile={"priority": priority})
    graph = graph_of(str([nodes]).replace("None", "null").replace("True", "true").replace("False", "false"))
    assert ("GI3221" in codes(check_graph(graph, plan))) is not right
    assert "GI3221" not in codes(check_graph(graph, now=NOW))


def near(**inputs: Any) -> dict[str, Any]:
    return resource("compute.ProximityPlacementGroup", "near", **inputs)


INTENT = {"vmSizes": [A100]}


@pytest.mark.parametrize(
    ("group", "zones", "fault"),
    [
        (near(zones=["1"], intent=INTENT), ["1"], ""),
        (near(), ["1"], ""),
        (near(), [], ""),
        (near(intent=INTENT), [], "no zone is named"),
        (near(zones=["1", "2"]), [], "names the zones 1, 2"),
        (near(zones=["1"]), ["2"], "their group 'near' in 1"),
        (near(), ["1", "2"], "the zones 1, 2"),
    ],
)
def test_a_proximity_group_is_one_place(group: dict[str, Any], zones: list[str], fault: str):
    nodes = scale_set(A100, 2, zones=zones, proximityPlacementGroup={"id": ref("near")})
    messages = [d.message for d in judge(group, nodes).diagnostics if d.code == "GI3212"]
    assert ([fault in m for m in messages] == [True]) if fault else not messages


@pytest.mark.parametrize(
    ("line", "heard"),
    [("curl http://169.254.169.254/metadata/scheduledevents?api-version=2020-07-01", True), ("python train.py", False)],
)
def test_09_somebody_listens_for_the_notice(line: str, heard: bool):
    data = base64.b64encode(f"#!/bin/bash\n{line}\n".encode()).decode()
    assert ("SPOT-05" in found(changed(POOL, f"{P}.userData", data), autoscale())) is not heard
    assert "SPOT-05" not in found(
        changed(changed(POOL, f"{P}.userData", data), f"{P}.priority", "Regular"), autoscale()
    )
