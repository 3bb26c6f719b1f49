"""AZ-04 (Lustre capacity between the steps), its subnet, zone, ports and import, and what guards data."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any

import pytest

from gpuinfra.diagnostics import Severity
from gpuinfra.plan import resolve
from gpuinfra.policy.examples import NOW, spec_of

from .azure_programs import H100, changed, found, judge, lustre, ref, resource, scale_set, spec, subnet_of_nodes
from .judging import codes, said

AML = {f"AML-{n:02}" for n in range(1, 10)} | {"PUL-02"}
SIZES = [
    (125, 16, ""),
    (125, 32, ""),
    (40, 48, ""),
    (250, 8, ""),
    (500, 4, ""),
    (125, 20, "error"),
    (40, 40, "error"),
    (500, 6, "error"),
    (125, 144, "warning"),
]


@pytest.mark.parametrize(("throughput", "tib", "verdict"), SIZES)
def test_04_sizes_in_a_spec(throughput: int, tib: int, verdict: str):
    store = f"storage: [{{name: s, kind: lustre, size_gib: {tib * 1024}, throughput_mbps_per_tib: {throughput}, mount: /s}}]"
    got = {d.code: d for d in spec(extra=store) if d.code in ("GI2062", "GI2065", "GI2066")}
    assert [(c, str(d.severity)) for c, d in got.items()] == (
        [("GI2062" if verdict == "error" else "GI2066", verdict)] if verdict else []
    )


@pytest.mark.parametrize(("throughput", "tib", "verdict"), SIZES)
def test_04_sizes_of_a_resource(throughput: int, tib: int, verdict: str):
    rows = {"error": {"AML-01"}, "warning": {"AML-02", "AML-09"}, "": set[str]()}
    assert (
        found(lustre(throughput, float(tib)), errors=verdict == "error") & {"AML-01", "AML-02", "AML-09"}
        == rows[verdict]
    )


def test_04_the_two_nearest_sizes_are_offered_and_nothing_is_rounded():
    assert said(judge(lustre(125, 20)), "GI3260").hint == "choose 16 or 32 TiB"
    assert said(judge(lustre(40, 40)), "GI3260").hint == "choose 48 TiB"
    store = "storage: [{name: s, kind: lustre, size_gib: 20480, throughput_mbps_per_tib: 125, mount: /s}]"
    assert said(spec(extra=store), "GI2062").hint == "take 16384 or 32768 GiB"


def test_04_an_unknown_throughput_lists_those_that_exist():
    store = "storage: [{name: s, kind: lustre, size_gib: 16384, throughput_mbps_per_tib: 100, mount: /s}]"
    assert "40, 125, 250, 500" in said(spec(extra=store), "GI2065").hint
    one = said(judge(lustre(100, 16)), "GI3260")
    assert all(f"AMLFS-Durable-Premium-{n}" in one.hint for n in (40, 125, 250, 500))


SUBNETS = [
    (16, "/27", True),
    (16, "/28", False),
    (48, "/26", False),
    (48, "/25", True),
    (96, "/25", False),
    (96, "/24", True),
]


@pytest.mark.parametrize(("tib", "size", "fits"), SUBNETS)
def test_04_the_subnet_has_room_for_the_servers(tib: int, size: str, fits: bool):
    files = resource("network.Subnet", "files", addressPrefix=f"10.50.8.0{size}")
    assert ("AML-03" in found(files, lustre(125, tib, filesystemSubnet=ref("files")))) is not fits


# The spec has no word for the file system's subnet: the plan cuts one that fits.
@pytest.mark.parametrize(("tib", "prefix"), [(16, 27), (48, 25), (128, 24)])
def test_04_the_plan_cuts_a_subnet_that_fits(tib: int, prefix: int):
    plan = resolve(
        spec_of(f"""
location: {{provider: azure, region: eastus, zone: "1"}}
node_pools: [{{instance_type: {H100}, count: 2}}]
storage: [{{name: s, kind: lustre, size_gib: {tib * 1024}, throughput_mbps_per_tib: 125, mount: /s}}]
"""),
        NOW,
    ).plan
    assert plan is not None
    own = plan.network.subnet("storage-s")
    assert own is not None
    assert IPv4Network(own.cidr).prefixlen <= prefix


def test_a_subnet_of_its_own_without_a_delegation():
    taken = [{"name": "d", "serviceName": "Microsoft.NetApp/volumes"}]
    files = resource("network.Subnet", "files", addressPrefix="10.50.8.0/24")
    fs = lustre(125, 16, filesystemSubnet=ref("files"))
    assert "AML-03" not in found(files, fs)
    assert "AML-03" in found(changed(files, "delegations", taken), fs)
    nodes = scale_set(H100, 2, profile={"networkProfile": subnet_of_nodes("files")})
    assert "'nodes' too" in said(judge(files, fs, nodes), "GI3262").message
    other = {**fs, "name": "second"}
    assert "the subnet of 'scratch' too" in said(judge(files, fs, other), "GI3262").message


@pytest.mark.parametrize(
    ("zones", "nodes", "expected"),
    [
        (["1"], ["1"], set()),
        ([1], ["1"], set()),
        (["2"], ["1"], {"AML-05"}),
        (["1", "2"], ["1"], {"AML-04"}),
        ([], ["1"], {"AML-04"}),
        ([], None, set()),
    ],
)
def test_the_zone_is_one_and_the_nodes(zones: list[Any], nodes: list[str] | None, expected: set[str]):
    got = found(lustre(125, 16, zones=zones), scale_set(H100, 2, zones=nodes))
    assert got & {"AML-04", "AML-05"} == expected


def test_a_fifth_file_system_is_asked_for():
    several = [{**lustre(), "name": f"fs{n}"} for n in range(5)]
    assert "AML-09" in found(*several)
    assert "AML-09" not in found(*several[:3])


DENY = {
    "name": "deny", "access": "Deny", "priority": 4000, "protocol": "*", "sourceAddressPrefix": "*",
    "destinationAddressPrefix": "*", "destinationPortRange": "*",
}  # fmt: skip
OPEN = {
    "name": "lustre", "access": "Allow", "priority": 200, "protocol": "Tcp", "sourceAddressPrefix": "VirtualNetwork",
    "destinationAddressPrefix": "VirtualNetwork", "destinationPortRanges": ["988", "1019-1023"],
}  # fmt: skip


def guarded(*rules: dict[str, Any]) -> list[dict[str, Any]]:
    both = [{**r, "direction": d, "name": f"{r['name']}-{d}"} for r in rules for d in ("Inbound", "Outbound")]
    guard = resource("network.NetworkSecurityGroup", "guard", securityRules=both)
    files = resource("network.Subnet", "files", addressPrefix="10.50.8.0/24", networkSecurityGroup={"id": ref("guard")})
    return [guard, files, lustre(125, 16, filesystemSubnet=ref("files"))]


@pytest.mark.parametrize(
    ("rules", "shut"),
    [
        ((), False),
        ((OPEN, DENY), False),
        ((DENY,), True),
        (({**OPEN, "destinationPortRanges": ["988"]}, DENY), True),
        (({**OPEN, "destinationPortRanges": ["1019-1023"]}, DENY), True),
        (({**OPEN, "priority": 4090}, DENY), True),
        (({**OPEN, "protocol": "Udp"}, DENY), True),
        (({**DENY, "sourceAddressPrefix": "Internet"},), False),
    ],
)
def test_ports_of_lustre(rules: tuple[dict[str, Any], ...], shut: bool):
    assert ("AML-08" in found(*guarded(*rules))) is shut


def test_data_without_protection():
    bare = {**lustre(), "options": {}}
    assert said(judge(bare), "GI3265").severity is Severity.WARNING
    assert found(lustre()) & AML == set()
    tree = resource("storage.StorageAccount", "data", kind="StorageV2", isHnsEnabled=True)
    assert "PUL-02" in found(tree)
    assert "PUL-02" not in found(changed(tree, "isHnsEnabled", None))


@pytest.mark.parametrize(
    ("path", "value"), [("storageCapacityTiB", 32), ("zones", ["2"]), ("sku.name", "AMLFS-Durable-Premium-250")]
)
def test_a_change_that_loses_the_data_is_an_error(path: str, value: Any):
    one = said(judge(changed(lustre(), path, value), last={"scratch": lustre()["inputs"]}), "GI3265")
    assert one.is_error
    assert path in one.message
    quiet = changed(lustre(), "tags", {"team": "nlp"})
    assert "GI3265" not in codes(judge(quiet, last={"scratch": lustre()["inputs"]}))


def test_an_expanded_file_system_is_left_alone():
    grown = lustre(125, 16)
    grown["options"]["ignoreChanges"] = ["storageCapacityTiB"]
    assert "GI3265" not in codes(judge(grown, last={"scratch": lustre(125, 32)["inputs"]}))


def test_a_volume_wants_a_delegated_subnet_and_nfs_a_tree():
    files = resource("network.Subnet", "files", delegations=[{"name": "d", "serviceName": "Microsoft.NetApp/volumes"}])
    volume = {**resource("netapp.Volume", "shared", subnetId=ref("files")), "options": {"protect": True}}
    assert "ANF-01" not in found(files, volume)
    assert "ANF-01" in found(changed(files, "delegations", None), volume)
    account = resource("storage.StorageAccount", "data", enableNfsV3=True)
    assert "NFS-01" in found(account)
    assert "NFS-01" not in found(changed(account, "isHnsEnabled", True))


def importing(roles: tuple[str, ...], *, keys: bool = True, logs: str = "logs") -> list[dict[str, Any]]:
    """A file system that imports a container of this program's account, with roles for the service's principal."""
    given = [
        resource("authorization.RoleAssignment", f"role{n}", scope=ref("data"), principalId="0d1e", principalType="ServicePrincipal",
                 roleDefinitionId=f"/providers/Microsoft.Authorization/roleDefinitions/{role}")
        for n, role in enumerate(roles)
    ]  # fmt: skip
    settings = {"container": ref("sets"), "loggingContainer": ref(logs)}
    return [
        resource("storage.StorageAccount", "data", allowSharedKeyAccess=keys),
        *(resource("storage.BlobContainer", name, accountName=ref("data", "name")) for name in ("sets", "logs")),
        *given,
        lustre(125, 16, hsm={"settings": settings}),
    ]


CONTRIBUTOR, DATA = "17d1049b-9a84-46fb-8f53-869881c3d3ab", "ba92f5b4-2d11-453d-a403-e96b0029c9fe"


@pytest.mark.parametrize(
    ("resources", "wrong"),
    [
        (importing((CONTRIBUTOR, DATA)), False),
        (importing((CONTRIBUTOR,)), True),
        (importing(()), True),
        (importing((CONTRIBUTOR, DATA), keys=False), True),
        (importing((CONTRIBUTOR, DATA), logs="sets"), True),
    ],
)
def test_imports(resources: list[dict[str, Any]], wrong: bool):
    assert ("AML-07" in found(*resources)) is wrong
