"""GCP-C01 (no maintenance policy), GCP-C04 (preset GPUs spelled out), GCP-C05 (an expiry added later) and GCP-C11 (a stop
with Local SSD)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpuinfra.diagnostics import Severity
from gpuinfra.policy import check_graph
from gpuinfra.policy.examples import NOW, graph_of

from .gcp_programs import GOOGLE, errors, instance, judge, spec_errors
from .judging import codes, judged, rows, said

T4 = [{"type": "nvidia-tesla-t4", "count": 1}]


# --- C01: a GPU machine without a maintenance policy


def test_c01_a_gpu_machine_without_a_maintenance_policy_is_told_the_value():
    report = judge(instance(machineType="n1-standard-8", guestAccelerators=T4, scheduling={"automaticRestart": True}))
    assert rows(report, errors=True, cloud=GOOGLE) == {"SCH-01"}
    found = said(report, "GI3120")
    assert "MIGRATE" in found.message
    assert "TERMINATE" in f"{found.message} {found.hint}"


@pytest.mark.parametrize(
    ("kind", "accelerators", "maintenance", "found"),
    [
        ("n1-standard-8", T4, "TERMINATE", set[str]()),
        ("n1-standard-8", T4, "MIGRATE", {"SCH-01"}),
        ("n1-standard-8", [], "MIGRATE", set[str]()),
        # The machine type itself has the GPU.
        ("a2-highgpu-1g", [], "MIGRATE", {"SCH-01"}),
        ("n1-standard-64", T4, "TERMINATE", {"ACC-03"}),
    ],
)
def test_c01_variants(kind: str, accelerators: list[Any], maintenance: str, found: set[str]):
    scheduling = {"onHostMaintenance": maintenance}
    assert errors(instance(machineType=kind, guestAccelerators=accelerators, scheduling=scheduling)) == found


def test_c01_the_limit_is_named():
    report = judge(
        instance(machineType="n1-standard-64", guestAccelerators=T4, scheduling={"onHostMaintenance": "TERMINATE"})
    )
    assert "48" in said(report, "GI3134").message


def test_c01_as_a_spec():
    assert spec_errors("instance_type: n1-standard-8, accelerator: {model: T4, count: 1}") == {}
    found = spec_errors("instance_type: n1-standard-64, accelerator: {model: T4, count: 1}")
    assert list(found) == ["GI2005"]
    assert "48 vCPU" in found["GI2005"]


# --- C04: preset GPUs spelled out


def l4s(count: int) -> list[dict[str, Any]]:
    return [{"type": "nvidia-l4", "count": count}]


def test_c04_a_machine_type_that_brings_its_gpus_needs_nothing():
    assert codes(judge(instance(machineType="g2-standard-48"))) == []


def test_c04_the_right_gpus_spelled_out_are_an_information():
    report = judge(instance(machineType="g2-standard-48", guestAccelerators=l4s(4)))
    assert codes(report) == ["GI3132"]
    assert said(report, "GI3132").severity is Severity.INFO
    assert "leave it out" in said(report, "GI3132").message


def test_c04_another_number_is_an_error():
    report = judge(instance(machineType="g2-standard-48", guestAccelerators=l4s(1)))
    assert rows(report, errors=True, cloud=GOOGLE) == {"ACC-01"}
    assert "1 x nvidia-l4" in said(report, "GI3132").message
    assert "4 x nvidia-l4" in said(report, "GI3132").message


def test_c04_a_count_of_zero_replaces_the_machine():
    report = judge(instance(machineType="n1-standard-8", guestAccelerators=[{"type": "nvidia-tesla-t4", "count": 0}]))
    assert rows(report, errors=True, cloud=GOOGLE) == {"ACC-04"}
    assert "replaces" in said(report, "GI3135").message


def test_c04_on_gke_the_same_machine_names_them():
    def pool(count: int) -> dict[str, Any]:
        config = {"machineType": "g2-standard-48", "guestAccelerators": l4s(count)}
        return {"type": "gcp.container.NodePool", "name": "pool", "inputs": {"name": "pool", "nodeConfig": config}}

    assert "ACC-01" not in rows(judge(pool(4)), infos=True, cloud=GOOGLE)
    assert "ACC-01" in errors(pool(1))


def test_c04_as_a_spec():
    assert spec_errors("instance_type: g2-standard-48", "us-central1-c") == {}
    assert spec_errors("instance_type: g2-standard-48, accelerator: {model: L4, count: 4}", "us-central1-c") == {}
    assert list(spec_errors("instance_type: g2-standard-48, accelerator: {model: L4, count: 1}", "us-central1-c")) == [
        "GI2004"
    ]


# --- C05: an expiry added to a running machine. What ran before is a look-up's to say: it is passed in as a fact.

BEFORE = {"machineType": "a2-ultragpu-2g", "scheduling": {"onHostMaintenance": "TERMINATE", "automaticRestart": True}}
EXPIRY = {"maxRunDuration": {"seconds": 172800}, "instanceTerminationAction": "DELETE"}


def changed(before: dict[str, Any], after: dict[str, Any], **options: Any) -> list[Any]:
    graph = graph_of(json.dumps([{"type": "gcp.compute.Instance", "name": "box", "inputs": after, "options": options}]))
    facts = {graph.named("box").urn: {"inputs": before}}
    return [d for d in check_graph(graph, now=NOW, facts=facts).diagnostics if d.code == "GI3129"]


def with_scheduling(**more: Any) -> dict[str, Any]:
    return {**BEFORE, "scheduling": {**BEFORE["scheduling"], **more}}


def test_c05_an_expiry_replaces_the_machine_and_its_disks():
    (found,) = changed(BEFORE, with_scheduling(**EXPIRY))
    assert found.severity is Severity.WARNING
    for word in ("scheduling.maxRunDuration", "replaces", "boot disk", "Local SSD", "twice"):
        assert word in found.message
    for way in ("new machine", "watchdog", "disk of its own"):
        assert way in found.hint


def test_c05_a_protected_machine_refuses_the_change():
    (found,) = changed(BEFORE, with_scheduling(**EXPIRY), protect=True)
    assert found.is_error


@pytest.mark.parametrize(
    ("before", "after", "replaced"),
    [
        (BEFORE, BEFORE, False),
        (BEFORE, {**BEFORE, "labels": {"team": "nlp"}}, False),
        (BEFORE, {**BEFORE, "metadata": {"startup-script": "echo new"}}, False),
        (BEFORE, {**BEFORE, "metadataStartupScript": "echo new"}, True),
        (with_scheduling(provisioningModel="STANDARD"), with_scheduling(provisioningModel="SPOT"), True),
        ({"machineType": "n1-standard-8"}, {"machineType": "n1-standard-16"}, False),
        # The provider says in place, and Google does not change the type of a machine with bundled SSDs.
        ({"machineType": "a3-highgpu-1g"}, {"machineType": "a3-highgpu-2g"}, True),
    ],
)
def test_c05_variants(before: dict[str, Any], after: dict[str, Any], replaced: bool):
    assert bool(changed(before, after)) is replaced


def test_c05_without_a_look_up_nothing_is_said():
    assert "GI3129" not in codes(judge(instance(**with_scheduling(**EXPIRY))))


# --- C11: stop at the end, with Local SSD


def stopping(kind: str, **more: Any) -> dict[str, Any]:
    ends = {"maxRunDuration": {"seconds": 86400}, "instanceTerminationAction": "STOP", "onHostMaintenance": "TERMINATE"}
    return instance(machineType=kind, **{"scheduling": ends, **more})


SPOT_STOP = {
    "provisioningModel": "SPOT", "preemptible": True, "automaticRestart": False, "instanceTerminationAction": "STOP"
}  # fmt: skip


@pytest.mark.parametrize(
    "machine",
    [
        stopping("a2-ultragpu-1g"),
        stopping("g2-standard-8", scratchDisks=[{"interface": "NVME"}], scheduling=SPOT_STOP),
        instance(machineType="a2-ultragpu-1g", desiredStatus="TERMINATED"),
    ],
)
def test_c11_a_stop_with_local_ssd_is_refused(machine: dict[str, Any]):
    report = judge(machine)
    assert rows(report, cloud=GOOGLE) == {"SCH-11"}
    found = said(report, "GI3128")
    assert "DELETE" in found.hint
    assert "discardLocalSsd" in found.hint
    assert "lost" in found.message


def test_c11_a_stop_without_local_ssd_goes_on_billing():
    report = judge(stopping("g2-standard-8"))
    assert rows(report, cloud=GOOGLE) == set()
    assert said(report, "GI3131").severity is Severity.INFO
    assert "disks" in said(report, "GI3131").message


def test_c11_the_case_as_it_was_written_down():
    """Without a boot disk the machine is a sketch, and the maintenance policy that it leaves out is not held against it."""
    ends = {"maxRunDuration": {"seconds": 86400}, "instanceTerminationAction": "STOP"}
    assert errors(instance(machineType="g2-standard-8", scheduling=ends)) == set()
    assert errors(instance(machineType="a2-ultragpu-1g", scheduling=ends)) == {"SCH-11"}


def test_c11_variants():
    nine = [{"interface": "NVME"}] * 9
    assert errors(instance(machineType="g2-standard-96", scratchDisks=nine)) == {"DSK-05"}
    deleted = {"maxRunDuration": {"seconds": 86400}, "instanceTerminationAction": "DELETE"}
    assert codes(judge(instance(machineType="a3-highgpu-8g", scheduling=deleted))) == []


def test_a_complete_machine_is_judged_by_the_defaults():
    disk = {"initializeParams": {"image": "debian-12", "type": "pd-balanced"}}
    assert "SCH-01" in errors(instance(machineType="g2-standard-48", bootDisk=disk))
    assert "SCH-08" in errors(instance(machineType="a4-highgpu-8g", bootDisk=disk))


def test_of_several_attached_disks_only_the_wrong_one_is_named():
    report = judged(
        """
- {type: gcp.compute.Disk, name: old, inputs: {type: pd-ssd, size: 500}}
- {type: gcp.compute.Disk, name: new, inputs: {type: hyperdisk-balanced, size: 500}}
- type: gcp.compute.Instance
  name: box
  inputs: {machineType: g4-standard-48, bootDisk: {initializeParams: {type: hyperdisk-balanced}}, attachedDisks: [{source: !unknown }, {source: !unknown }]}
  from: {attachedDisks: [old, new]}
"""
    )
    assert said(report, "GI3139").path == "box.attachedDisks"
