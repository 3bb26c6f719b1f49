"""The reader of Azure subscriptions, over answers in the shapes of the resource manager."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote_plus

import pytest

from gpuinfra.plan.models import ClusterPlan
from gpuinfra.policy.account_facts import AccountFacts
from gpuinfra.policy.engine import check_account
from gpuinfra.policy.examples import NOW
from gpuinfra.preflight import azure
from gpuinfra.preflight.gathering import ReadingError

from .conftest import DENIED, FakeCloud, plan_of

S = "00000000-1111-2222-3333-444444444444"
SIZE = "Standard_ND96isr_H100_v5"
H100 = """\
location: {provider: azure, region: eastus}
node_pools: [{instance_type: Standard_ND96isr_H100_v5, count: 16}]
storage: []
image: {node: "microsoft-dsvm:ubuntu-hpc:2204:22.04.2025050101"}
"""
A100 = H100.replace(SIZE, "Standard_NC24ads_A100_v4").replace("region: eastus", 'region: eastus, zone: "1"')
NET = f"/subscriptions/{S}/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v"
EXISTING = H100 + f"network: {{existing: {{network: {NET}, subnet: {NET}/subnets/s}}}}\n"
GROUP = f"/subscriptions/{S}/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/held"
RESERVED = A100.replace("count: 16", f"count: 2, capacity: {{type: reservation, id: {GROUP}}}")


def usage(name: str, used: int, limit: int) -> dict[str, Any]:
    return {"unit": "Count", "currentValue": used, "limit": limit, "name": {"value": name, "localizedValue": name}}


def size(
    name: str, family: str, zones: list[str], *restrictions: dict[str, Any], **capabilities: str
) -> dict[str, Any]:
    return {
        "resourceType": "virtualMachines",
        "name": name,
        "family": family,
        "locations": ["eastus"],
        "locationInfo": [{"location": "eastus", "zones": zones}],
        "restrictions": list(restrictions),
        "capabilities": [{"name": k, "value": v} for k, v in capabilities.items()],
    }


def restricted(kind: str, *zones: str) -> dict[str, Any]:
    info = {"locations": ["eastus"], **({"zones": list(zones)} if zones else {})}
    return {"type": kind, "values": ["eastus"], "restrictionInfo": info, "reasonCode": "NotAvailableForSubscription"}


H100_SIZE = size(SIZE, "standardNDSH100v5Family", ["1", "3"])
A100_SIZE = size(
    "Standard_NC24ads_A100_v4", "StandardNCADSA100v4Family", ["1", "2"], CapacityReservationSupported="True"
)
DISK = {"resourceType": "disks", "name": "Premium_LRS"}


def cloud(**changes: Any) -> FakeCloud:
    answers: dict[str, Any] = {
        "/usages": {
            "value": [
                usage("cores", 100, 2000),
                usage("lowPriorityCores", 0, 96),
                # Azure's own spelling, with a blank (skypilot-org/skypilot#10119).
                usage("Standard NDSH100v5Family ", 0, 1536),
                usage("StandardNCADSA100v4Family", 0, 384),
            ]
        },
        "Microsoft.Compute/skus": {"value": [DISK, A100_SIZE, H100_SIZE]},
        "virtualMachineScaleSets": {"value": []},
        "amlFilesystems": {"value": []},
        r"/providers/Microsoft\.\w+\?": {"registrationState": "Registered"},
        "/versions/": {
            "properties": {"architecture": "x64", "osDiskImage": {"operatingSystem": "Linux", "sizeInGb": 64}}
        },
    }
    return FakeCloud({**changes, **{k: v for k, v in answers.items() if k not in changes}})


def read(plan: ClusterPlan, fake: FakeCloud) -> AccountFacts:
    return azure.read(plan, NOW, {"AZURE_SUBSCRIPTION_ID": S}, lambda what: None, fake.api())


def codes(plan: ClusterPlan, facts: AccountFacts) -> set[str]:
    return {d.code for d in check_account(plan, facts).diagnostics}


def test_a_right_subscription_has_no_fault_and_nothing_unknown():
    plan = plan_of(H100)
    facts = read(plan, cloud())
    report = check_account(plan, facts)
    assert {d.code for d in report.diagnostics} == set()
    assert report.unsure == ()
    assert facts.account == S
    assert {"GI4001", "GI4002", "GI4010", "GI4011", "GI4040", "GI4041", "GI4050"} <= {p.code for p in report.passed}


def test_every_question_is_asked_of_the_resource_manager():
    fake = cloud()
    read(plan_of(H100), fake)
    assert all(u.startswith(f"https://management.azure.com/subscriptions/{S}/") for u in fake.asked)
    assert any("$filter=location eq 'eastus'" in unquote_plus(u) for u in fake.asked)


@pytest.mark.parametrize(
    ("count", "said"),
    [(16, set()), (17, {"GI4001"}), (20, {"GI4001", "GI4002"})],
)
def test_the_family_and_the_region_each_have_a_quota(count: int, said: set[str]):
    plan = plan_of(H100.replace("count: 16", f"count: {count}"))
    assert codes(plan, read(plan, cloud())) == said


def test_the_error_names_family_limit_usage_and_need():
    plan = plan_of(H100)
    fake = cloud(**{"/usages": {"value": [usage("standardNDSH100v5Family", 96, 1536), usage("cores", 0, 9999)]}})
    (one,) = check_account(plan, read(plan, fake)).diagnostics
    assert one.path == "node_pools[0].count"
    assert "standardNDSH100v5Family of eastus allows 1536 vCPU, 96 of them in use" in one.message
    assert "16 × 96 = 1536 vCPU" in one.message
    assert "ask for 1632" in one.hint


def test_spot_draws_on_low_priority_cores_alone():
    plan = plan_of(A100.replace("count: 16", "count: 4, capacity: {type: spot}"))
    assert "GI4001" not in codes(plan, read(plan, cloud()))
    more = plan_of(A100.replace("count: 16", "count: 5, capacity: {type: spot}"))
    report = check_account(more, read(more, cloud()))
    assert ["LowPriorityCores" in d.message for d in report.diagnostics if d.code == "GI4001"] == [True]
    assert "GI4002" not in {p.code for p in report.passed}


def test_a_cpu_size_draws_on_the_family_that_its_own_row_names():
    spec = H100.replace("count: 16}", "count: 1}, {name: cpu, instance_type: Standard_D8s_v5, count: 2}")
    plan = plan_of(spec)
    fake = cloud(
        **{"Microsoft.Compute/skus": {"value": [H100_SIZE, size("Standard_D8s_v5", "standardDSv5Family", [])]}}
    )
    facts = read(plan, fake)
    assert facts.entry("offerings", "Standard_D8s_v5").quota == "standardDSv5Family"


@pytest.mark.parametrize(
    ("zone", "row", "said"),
    [
        ("1", size(SIZE, "f", ["1"]), set()),
        ("1", size(SIZE, "f", ["2", "3"]), {"GI4010"}),
        ("1", size(SIZE, "f", []), {"GI4010"}),
        ("1", size(SIZE, "f", ["1", "2"], restricted("Zone", "2")), set()),
        ("1", size(SIZE, "f", ["1", "2"], restricted("Zone", "1")), {"GI4011"}),
        ("1", size(SIZE, "f", ["1", "2"], restricted("Location")), {"GI4011"}),
        ("1", size(SIZE, "f", ["1", "2"], restricted("Location", "2")), {"GI4011"}),
        (
            "1",
            {**H100_SIZE, "restrictions": [{**restricted("Location"), "restrictionInfo": {"locations": ["westus"]}}]},
            set(),
        ),
        ("", size(SIZE, "f", []), set()),
        ("", size(SIZE, "f", ["1", "2"], restricted("Zone", "1")), set()),
        ("", size(SIZE, "f", [], restricted("Location")), {"GI4011"}),
        ("", DISK, {"GI4010"}),
    ],
)
def test_sizes_zones_and_restrictions(zone: str, row: dict[str, Any], said: set[str]):
    place = f'region: eastus, zone: "{zone}"' if zone else "region: eastus"
    plan = plan_of(H100.replace("region: eastus", place))
    facts = read(plan, cloud(**{"Microsoft.Compute/skus": {"value": [row]}}))
    assert codes(plan, facts) & {"GI4010", "GI4011"} == said


def test_a_restricted_zone_names_the_ones_that_are_free():
    plan = plan_of(H100.replace("region: eastus", 'region: eastus, zone: "1"'))
    row = size(SIZE, "standardNDSH100v5Family", ["1", "3"], restricted("Zone", "1"))
    (one,) = check_account(plan, read(plan, cloud(**{"Microsoft.Compute/skus": {"value": [row]}}))).diagnostics
    assert "in zone 1 of eastus (NotAvailableForSubscription)" in one.message
    assert one.hint == "set location.zone to 3, which have no restriction"


def held(
    zone: str = "1", capacity: int = 2, name: str = "Standard_NC24ads_A100_v4", taken: int = 0, state: str = "Succeeded"
) -> dict[str, Any]:
    associated = [{"id": f"vm{n}"} for n in range(taken)]
    return {
        "sku": {"name": name, "capacity": capacity},
        "zones": [zone],
        "properties": {"provisioningState": state, "virtualMachinesAssociated": associated},
    }


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ([held()], set()),
        ([held(), held(zone="2", capacity=9)], set()),
        ([held(zone="2")], {"GI4021"}),
        ([held(name="Standard_NC48ads_A100_v4")], {"GI4021"}),
        ([held(capacity=1)], {"GI4024"}),
        ([held(taken=1)], {"GI4024"}),
        ([held(capacity=5)], {"GI4025"}),
        ([held(state="Failed")], {"GI4023"}),
        ([], {"GI4020"}),
    ],
)
def test_reservation_groups(members: list[dict[str, Any]], said: set[str]):
    plan = plan_of(RESERVED)
    fake = cloud(**{"/held/capacityReservations": {"value": members}, "/held": {"id": GROUP}})
    found = codes(plan, read(plan, fake))
    assert {c for c in found if c.startswith("GI402")} == said


def test_a_group_that_is_not_there():
    plan = plan_of(RESERVED)
    assert "GI4020" in codes(plan, read(plan, cloud()))


def test_a_size_that_cannot_be_reserved():
    plan = plan_of(RESERVED)
    row = size("Standard_NC24ads_A100_v4", "f", ["1"], CapacityReservationSupported="False")
    assert "GI4012" in codes(plan, read(plan, cloud(**{"Microsoft.Compute/skus": {"value": [row]}})))


def test_the_clusters_own_nodes_are_not_counted_against_it():
    def group(name: str, place: str = "eastus", priority: str = "Regular") -> dict[str, Any]:
        return {
            "location": place,
            "tags": {"gpuinfra-cluster": name},
            "sku": {"name": SIZE, "capacity": 8},
            "properties": {"virtualMachineProfile": {"priority": priority}},
        }

    sets = [group("acme"), group("acme", priority="Spot"), group("acme", "westus"), group("other")]
    full = [usage("standardNDSH100v5Family", 768, 1536), usage("cores", 768, 1536)]
    plan = plan_of(H100)
    facts = read(plan, cloud(**{"virtualMachineScaleSets": {"value": sets}, "/usages": {"value": full}}))
    assert facts.own_nodes == {f"on_demand/{SIZE}": 8, f"spot/{SIZE}": 8}
    assert codes(plan, facts) == set()


@pytest.mark.parametrize(
    ("more", "free", "way", "said"),
    [
        ({"natGateway": {"id": "n"}}, 27, "nat", set()),
        ({"natGateway": {"id": "n"}, "ipConfigurations": [{"id": "i"}] * 12}, 15, "nat", {"GI4031"}),
        ({"defaultOutboundAccess": False}, 27, "none", {"GI4032"}),
        ({"routeTable": {"id": "r"}, "defaultOutboundAccess": False}, 27, "other", set()),
        ({}, 27, None, set()),
    ],
)
def test_a_subnet_that_is_there(more: dict[str, Any], free: int, way: str | None, said: set[str]):
    plan = plan_of(EXISTING)
    row = {"id": f"{NET}/subnets/s", "properties": {"addressPrefix": "10.0.0.0/27", **more}}
    facts = read(plan, cloud(**{"/subnets/s": row, "/virtualNetworks/v": {"location": "eastus"}}))
    found = facts.entry("subnets", f"{NET}/subnets/s")
    assert (found.free_addresses, found.way_out) == (free, way)
    assert codes(plan, facts) == said


def test_a_network_of_another_region():
    plan = plan_of(EXISTING)
    fake = cloud(
        **{"/subnets/s": {"properties": {"addressPrefix": "10.0.0.0/24"}}, "/virtualNetworks/v": {"location": "westus"}}
    )
    assert "GI4030" in codes(plan, read(plan, fake))


LUSTRE = H100.replace("[]", "[{name: s, kind: lustre, size_gib: 16384, throughput_mbps_per_tib: 500, mount: /s}]")


@pytest.mark.parametrize(("count", "said"), [(3, set()), (4, {"GI4003"})])
def test_the_fifth_file_system_of_a_subscription(count: int, said: set[str]):
    plan = plan_of(LUSTRE)
    assert codes(plan, read(plan, cloud(amlFilesystems={"value": [{}] * count}))) == said


def test_a_provider_that_is_not_registered():
    plan = plan_of(LUSTRE)
    fake = cloud(**{"Microsoft.StorageCache\\?": {"registrationState": "NotRegistered"}})
    (one,) = check_account(plan, read(plan, fake)).diagnostics
    assert (one.code, one.path) == ("GI4050", "storage[0]")
    assert one.hint == "enable it: az provider register --namespace Microsoft.StorageCache"


ALMA = H100.replace(
    "microsoft-dsvm:ubuntu-hpc:2204:22.04.2025050101", "almalinux:almalinux-hpc:8_10-hpc-gen2:8.10.2025010101"
)


@pytest.mark.parametrize(("accepted", "said"), [(True, set()), (False, {"GI4042"})])
def test_terms_of_an_image(accepted: bool, said: set[str]):
    plan = plan_of(ALMA)
    facts = read(plan, cloud(MarketplaceOrdering={"properties": {"accepted": accepted}}))
    assert codes(plan, facts) & {"GI4042"} == said


def test_an_image_that_is_not_there_or_of_another_architecture():
    plan = plan_of(H100)
    assert "GI4040" in codes(plan, read(plan, cloud(**{"/versions/": (404, {"error": {"code": "NotFound"}})})))
    assert "GI4041" in codes(plan, read(plan, cloud(**{"/versions/": {"properties": {"architecture": "Arm64"}}})))


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("/usages", "GI4001"),
        ("/usages", "GI4002"),
        ("Microsoft.Compute/skus", "GI4010"),
        ("Microsoft.Compute/skus", "GI4011"),
        (r"/providers/Microsoft\.\w+\?", "GI4050"),
        ("/versions/", "GI4040"),
    ],
)
def test_a_denied_call_leaves_its_part_unknown_and_the_others_go_on(pattern: str, code: str):
    plan = plan_of(H100)
    report = check_account(plan, read(plan, cloud(**{pattern: DENIED})))
    reasons = {u.reason for u in report.unsure if u.code == code}
    assert reasons
    assert all(r.startswith("permission denied: Microsoft.") for r in reasons)
    assert report.passed
    assert "example.com" not in str(report)


def test_every_question_needs_a_permission_that_is_listed():
    spec = EXISTING.replace(
        "microsoft-dsvm:ubuntu-hpc:2204:22.04.2025050101", "almalinux:almalinux-hpc:8_10-hpc-gen2:8.10.2025010101"
    )
    spec = spec.replace("count: 16", f"count: 2, capacity: {{type: reservation, id: {GROUP}}}")
    facts = read(plan_of(spec), FakeCloud({"": DENIED}))
    named = {r.partition(": ")[2].partition(" (")[0] for r in facts.unknown.values()}
    assert len(named) > 6
    assert named <= set(azure.PERMISSIONS)


def test_the_subscription_is_that_of_the_ids_then_of_the_environment_then_the_only_one():
    def listed(*states: str) -> FakeCloud:
        rows = [{"subscriptionId": f"sub{n}", "state": s} for n, s in enumerate(states)]
        return cloud(**{r"azure\.com/subscriptions\?": {"value": rows}})

    def account(spec: str, environment: dict[str, str], fake: FakeCloud) -> str:
        return azure.read(plan_of(spec), NOW, environment, lambda what: None, fake.api()).account

    assert account(EXISTING, {"AZURE_SUBSCRIPTION_ID": "env"}, cloud()) == S
    assert account(H100, {"ARM_SUBSCRIPTION_ID": "env"}, cloud()) == "env"
    assert account(H100, {}, listed("Enabled", "Disabled")) == "sub0"
    for fake, said in ((listed(), "no subscription"), (listed("Enabled", "Enabled"), "2 subscriptions")):
        with pytest.raises(ReadingError, match=f"{said}: set AZURE_SUBSCRIPTION_ID"):
            account(H100, {}, fake)


def test_without_the_library_one_line_says_what_to_install():
    with pytest.raises(ReadingError, match=r"pip install 'gpuinfra\[preflight-azure\]'"):
        azure.read(plan_of(H100), NOW, {}, lambda what: None)


def test_pages_of_sizes_are_all_read():
    link = f"https://management.azure.com/subscriptions/{S}/providers/Microsoft.Compute/skus?page=2"
    fake = cloud(
        **{"page=2": {"value": [H100_SIZE]}, "Microsoft.Compute/skus": {"value": [A100_SIZE], "nextLink": link}}
    )
    assert read(plan_of(H100), fake).entry("offerings", SIZE).zones == ("1", "3")
