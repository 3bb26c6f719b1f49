"""How rules read recorded Google Cloud resources: groups, networks, purchases and what preview does not know."""

from __future__ import annotations

import pytest

from gpuinfra.catalog import nic_layout, storage_tiers
from gpuinfra.policy import check_graph
from gpuinfra.policy.examples import NOW, graph_of
from gpuinfra.policy.gcp_disks import boot_disk_type, cores_of
from gpuinfra.policy.gcp_endings import is_scheduled, kept_machines
from gpuinfra.policy.gcp_firewall import admin_ports, from_where, lets_everything
from gpuinfra.policy.gcp_graph import Attachment, GcpGraph, is_roce, profile
from gpuinfra.policy.gcp_interfaces import spelled_slots
from gpuinfra.policy.gcp_machines import Machines
from gpuinfra.policy.gcp_storage import nearest_sizes
from gpuinfra.policy.rule import Undecided
from gpuinfra.vocabulary import CapacityType, Provider, StorageKind


def read(text: str) -> GcpGraph:
    return GcpGraph(graph_of(text))


def machine(inputs: str, kind: str = "Instance") -> Machines:
    (found,) = read(f"- {{type: gcp.compute.{kind}, name: box, inputs: {inputs}}}").machines
    return found


def only(gcp: GcpGraph, found: Machines) -> Attachment:
    """The one interface of a machine."""
    listed = gcp.attachments(found)
    assert listed is not None
    assert len(listed) == 1
    return listed[0]


GROUPED = """
- {type: gcp.compute.RegionInstanceTemplate, name: nodes, inputs: {machineType: a3-megagpu-8g}}
- type: gcp.compute.RegionInstanceGroupManager
  name: group
  inputs: {targetSize: 2, distributionPolicyZones: [us-central1-a, us-central1-b], versions: [{instanceTemplate: VALUE}]}
- {type: gcp.compute.RegionResizeRequest, name: ask, inputs: {instanceGroupManager: !ref group.name , resizeBy: 3}}
- {type: gcp.compute.RegionAutoscaler, name: scale, inputs: {target: !ref group.selfLink , autoscalingPolicy: {maxReplicas: 7}}}
"""


@pytest.mark.parametrize("value", ["!ref nodes.selfLink ", "!unknown "])
def test_a_template_is_read_with_its_groups_requests_and_scalers(value: str):
    text = GROUPED.replace("VALUE", value)
    if "unknown" in value:
        text = text.replace("name: group\n", "name: group\n  from: {versions: [nodes]}\n")
    gcp = read(text)
    (found,) = gcp.machines
    assert [g.name for g in found.groups] == ["group"]
    assert [r.name for r in found.requests] == ["ask"]
    assert gcp.most_machines(found) == 7
    assert gcp.zones(found) == (("us-central1-a", "us-central1-b"), False)


@pytest.mark.parametrize(
    ("inputs", "bought"),
    [
        ("{}", CapacityType.ON_DEMAND),
        ("{scheduling: {preemptible: true}}", CapacityType.SPOT),
        ("{scheduling: {provisioningModel: SPOT}}", CapacityType.SPOT),
        ("{scheduling: {provisioningModel: FLEX_START}}", CapacityType.FLEX_START),
        ("{reservationAffinity: {type: SPECIFIC_RESERVATION}}", CapacityType.RESERVATION),
        ("{scheduling: {provisioningModel: RESERVATION_BOUND}}", CapacityType.RESERVATION),
        ("{scheduling: !unknown }", None),
        ("{reservationAffinity: {type: !unknown }}", None),
    ],
)
def test_how_a_machine_is_bought(inputs: str, bought: CapacityType | None):
    assert machine(inputs).purchase is bought


@pytest.mark.parametrize(
    ("config", "bought"),
    [
        ("nodeConfig: {spot: true}", CapacityType.SPOT),
        ("nodeConfig: {flexStart: true}", CapacityType.FLEX_START),
        ("queuedProvisioning: {enabled: true}", CapacityType.FLEX_START),
        ("nodeConfig: {reservationAffinity: {consumeReservationType: SPECIFIC_RESERVATION}}", CapacityType.RESERVATION),
        ("nodeConfig: {}", CapacityType.ON_DEMAND),
        ("nodeConfig: !unknown ", None),
    ],
)
def test_how_a_pool_is_bought(config: str, bought: CapacityType | None):
    (found,) = read(f"- {{type: gcp.container.NodePool, name: pool, inputs: {{{config}}}}}").machines
    assert found.purchase is bought


@pytest.mark.parametrize(
    ("inputs", "has"),
    [
        ("{machineType: a2-highgpu-1g}", True),
        ("{machineType: zones/us-central1-a/machineTypes/a2-highgpu-1g}", True),
        ("{machineType: n1-standard-8}", False),
        ("{machineType: n1-standard-8, guestAccelerators: [{type: nvidia-tesla-t4, count: 1}]}", True),
        ("{machineType: n1-standard-8, guestAccelerators: [{type: nvidia-tesla-t4, count: 0}]}", False),
        ("{machineType: n1-standard-8, guestAccelerators: !unknown }", None),
        ("{machineType: !unknown }", None),
    ],
)
def test_whether_a_machine_has_gpus(inputs: str, has: bool | None):
    assert machine(inputs).has_gpus is has


@pytest.mark.parametrize("value", ["!ref net.id ", "lab", "projects/p/global/networks/lab"])
def test_a_network_is_found_by_reference_by_name_and_by_link(value: str):
    gcp = read(f"""
- {{type: gcp.compute.Network, name: net, inputs: {{name: lab}}}}
- {{type: gcp.compute.Subnetwork, name: sub, inputs: {{name: lab-0, network: {value}}}}}
- {{type: gcp.compute.Instance, name: box, inputs: {{networkInterfaces: [{{subnetwork: !ref sub.id }}]}}}}
""")
    (found,) = gcp.machines
    attachment = only(gcp, found)
    assert attachment.network is gcp.graph.named("net")
    assert gcp.subnets_of(gcp.graph.named("net")) == (gcp.graph.named("sub"),)


def test_a_network_from_elsewhere_has_a_name_only():
    gcp = read(
        "- {type: gcp.compute.Instance, name: box, inputs: {networkInterfaces: [{network: global/networks/corp}]}}"
    )
    attachment = only(gcp, gcp.machines[0])
    assert (attachment.network, attachment.key) == (None, "corp")


def test_preview_cannot_tell_the_interfaces_apart_and_says_so():
    gcp = read("""
- {type: gcp.compute.Network, name: rdma, inputs: {networkProfile: projects/p/global/networkProfiles/us-central1-b-vpc-roce}}
- {type: gcp.compute.Subnetwork, name: a, inputs: {network: !ref rdma.id }}
- {type: gcp.compute.Subnetwork, name: b, inputs: {network: !ref rdma.id }}
- type: gcp.compute.Instance
  name: box
  from: {networkInterfaces: [a, b]}
  inputs: {machineType: a4x-highgpu-4g, zone: us-central1-c, networkInterfaces: [{subnetwork: !unknown }, {subnetwork: !unknown }]}
""")
    (found,) = gcp.machines
    assert [a.key for a in gcp.attachments(found) or ()] == ["", ""]
    assert gcp.reaches(found, gcp.graph.named("rdma"))
    said = {d.code for d in check_graph(gcp.graph, now=NOW).diagnostics}
    assert {"GI3105", "GI3107"} <= said


def test_the_subnet_that_a_network_makes_itself_leads_to_it():
    gcp = read("""
- {type: gcp.compute.Network, name: rdma, inputs: {}}
- type: gcp.compute.Instance
  name: box
  inputs: {networkInterfaces: [{subnetwork: "regions/us-central1/subnetworks/default-subnet-1-${rdma.name}"}]}
""")
    attachment = only(gcp, gcp.machines[0])
    assert attachment.network is gcp.graph.named("rdma")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("projects/p/global/networkProfiles/us-central1-b-vpc-roce", ("us-central1-b", "vpc-roce")),
        ("us-south1-ai1b-vpc-roce-metal", ("us-south1-ai1b", "vpc-roce-metal")),
        ("projects/${p.id}/global/networkProfiles/us-central1-b-vpc-roce", ("us-central1-b", "vpc-roce")),
        ("us-central1-a-vpc-falcon", ("us-central1-a", "vpc-falcon")),
        ("!unknown ", None),
        ("null", None),
    ],
)
def test_a_profile_names_its_zone(value: str, found: tuple[str, str] | None):
    network = graph_of(f"- {{type: gcp.compute.Network, name: n, inputs: {{networkProfile: {value!r}}}}}".replace("'!unknown '", "!unknown ").replace("'null'", "null")).named("n")  # fmt: skip
    assert profile(network) == found
    assert is_roce(network) is (found is not None and "roce" in found[1])


@pytest.mark.parametrize(
    ("rule", "ports", "sources", "everything"),
    [
        ("{allows: [{protocol: all}], sourceRanges: [0.0.0.0/0]}", (22, 3389, 6443, 8888), ("0.0.0.0/0",), True),
        ("{allows: [{protocol: tcp, ports: ['20-30', 8888]}]}", (22, 8888), ("0.0.0.0/0",), False),
        ("{allows: [{protocol: tcp, ports: [1-65535]}], sourceTags: [nodes]}", (22, 3389, 6443, 8888), (), True),
        ("{allows: [{protocol: udp, ports: [22]}], sourceRanges: [10.0.0.0/8]}", (), ("10.0.0.0/8",), False),
        ("{denies: [{protocol: tcp, ports: [22]}], sourceRanges: [0.0.0.0/0]}", (), ("0.0.0.0/0",), False),
        ("{allows: [{protocol: tcp, ports: [22]}], sourceRanges: !unknown }", (22,), None, False),
    ],
)
def test_what_a_firewall_rule_lets_in(
    rule: str, ports: tuple[int, ...], sources: tuple[str, ...] | None, everything: bool
):
    found = graph_of(f"- {{type: gcp.compute.Firewall, name: r, inputs: {rule}}}").named("r")
    assert (admin_ports(found), from_where(found), lets_everything(found)) == (ports, sources, everything)


@pytest.mark.parametrize(
    ("inputs", "found"),
    [
        ("{bootDisk: {initializeParams: {type: projects/p/zones/z/diskTypes/pd-ssd}}}", "pd-ssd"),
        ("{bootDisk: {initializeParams: {image: x}}}", "pd-standard"),
        ("{bootDisk: {source: disk}}", None),
        ("{}", None),
    ],
)
def test_what_an_instance_boots_from(inputs: str, found: str | None):
    assert boot_disk_type(machine(inputs))[1] == found


def test_what_a_template_boots_from():
    disks = "[{type: SCRATCH, diskType: local-ssd}, {boot: true, diskType: hyperdisk-balanced}]"
    assert boot_disk_type(machine(f"{{disks: {disks}}}", "InstanceTemplate")) == (
        "disks[1].diskType",
        "hyperdisk-balanced",
    )


@pytest.mark.parametrize(("kind", "cores"), [("n1-standard-64", 64), ("n1-custom-10-16384", 10), ("custom-6-8192", 6), ("e2-small", None)])  # fmt: skip
def test_cores(kind: str, cores: int | None):
    assert cores_of(machine(f"{{machineType: {kind}}}")) == cores


@pytest.mark.parametrize(
    ("inputs", "kept"),
    [
        ("{autoscaling: {minNodeCount: 2}}", ("autoscaling.minNodeCount", 2)),
        ("{autoscaling: {totalMinNodeCount: 1}}", ("autoscaling.totalMinNodeCount", 1)),
        ("{autoscaling: {maxNodeCount: 2}, initialNodeCount: 0}", ("autoscaling.minNodeCount", 0)),
        ("{nodeCount: 3}", ("nodeCount", 3)),
        ("{initialNodeCount: 0}", ("initialNodeCount", 0)),
        ("{}", ("nodeCount", 1)),
        ("{nodeCount: !unknown }", ("nodeCount", None)),
    ],
)
def test_how_many_nodes_a_pool_keeps(inputs: str, kept: tuple[str, float | None]):
    gcp = read(f"- {{type: gcp.container.NodePool, name: pool, inputs: {inputs}}}")
    assert kept_machines(gcp, gcp.graph.named("pool")) == kept


@pytest.mark.parametrize(
    ("uri", "found"),
    [
        (
            "https://compute.googleapis.com/compute/v1/projects/p/zones/z/instanceGroupManagers/acme-gpu/resize?size=0",
            True,
        ),
        (
            "https://compute.googleapis.com/compute/v1/projects/p/zones/z/instanceGroupManagers/acme-gpu2/resize?size=0",
            False,
        ),
        ("https://compute.googleapis.com/compute/v1/${group.id}/resize?size=0", True),
    ],
)
def test_a_job_speaks_of_a_group_by_name_or_reference(uri: str, found: bool):
    gcp = read(f"""
- {{type: gcp.compute.InstanceGroupManager, name: group, inputs: {{name: acme-gpu}}}}
- {{type: gcp.cloudscheduler.Job, name: lease, inputs: {{httpTarget: {{uri: "{uri}"}}}}}}
""")
    assert is_scheduled(gcp, gcp.graph.named("group")) is found


def test_the_sizes_next_to_one_that_is_not_sold():
    bands = [t for t in storage_tiers(Provider.GCP, StorageKind.LUSTRE) if t.tier == "500"]
    assert nearest_sizes(bands, 24000) == (18000, 36000)
    assert nearest_sizes(bands, 1) == (18000,)
    assert nearest_sizes(bands, 3_061_000) == (3_060_000, 3_168_000)
    assert nearest_sizes(bands, 10**9) == (20_016_000,)


def test_slots_in_words():
    assert spelled_slots(nic_layout("a4-highgpu-8g")) == "2 GVNIC, 8 MRDMA"
    assert spelled_slots(nic_layout("a4x-maxgpu-4g-metal")) == "2 IDPF, 8 MRDMA"


def test_resources_of_other_clouds_are_left_alone():
    report = check_graph(graph_of("""
- {type: aws.ec2.Instance, name: box, inputs: {instanceType: p5.48xlarge, tags: {Team: NLP}}}
"""), now=NOW)  # fmt: skip
    assert [d.code for d in report.diagnostics if d.code.startswith("GI31")] == []
    assert [u for u in report.undecided if isinstance(u, Undecided) and u.code.startswith("GI31")] == []


NO_PROFILE = """
- {type: gcp.compute.Network, name: net, inputs: {}}
- {type: gcp.compute.Network, name: other, inputs: {PROFILE}}
- {type: gcp.compute.Subnetwork, name: a, inputs: {network: !ref net.id }}
- {type: gcp.compute.Subnetwork, name: b, inputs: {network: !ref other.id }}
- type: gcp.compute.Instance
  name: box
  from: {networkInterfaces: [DEPS]}
  inputs:
    machineType: a4x-highgpu-4g
    networkInterfaces: [{nicType: GVNIC, subnetwork: !unknown }, {nicType: MRDMA, subnetwork: !unknown }]
"""


def test_preview_counts_the_networks():
    def said(interfaces: int, networks: int) -> set[str]:
        nets = "".join(f"- {{type: gcp.compute.Network, name: n{i}, inputs: {{}}}}\n" for i in range(networks))
        nets += "".join(
            f"- {{type: gcp.compute.Subnetwork, name: s{i}, inputs: {{network: !ref n{i % networks}.id }}}}\n"
            for i in range(interfaces)
        )
        slots = ", ".join(["{subnetwork: !unknown }"] * interfaces)
        names = ", ".join(f"s{i}" for i in range(interfaces))
        box = f"- {{type: gcp.compute.Instance, name: b, from: {{networkInterfaces: [{names}]}}, inputs: {{networkInterfaces: [{slots}]}}}}"
        report = check_graph(graph_of(nets + box), now=NOW)
        return {d.code for d in report.diagnostics} | {u.code for u in report.undecided}

    assert "GI3103" not in said(3, 3)
    assert "GI3103" in said(3, 2)


@pytest.mark.parametrize(
    ("profiled", "deps", "decided"),
    [
        ("", "a, b", True),
        ("networkProfile: projects/p/global/networkProfiles/us-central1-b-vpc-roce", "a, b", None),
        ("networkProfile: !unknown ", "a, b", None),
        # The second subnet is from elsewhere: it may have the profile.
        ("", "a", None),
    ],
)
def test_preview_knows_that_no_network_has_the_profile(profiled: str, deps: str, decided: bool | None):
    graph = graph_of(NO_PROFILE.replace("PROFILE", profiled).replace("DEPS", deps))
    report = check_graph(graph, now=NOW)
    assert ("GI3104" in {d.code for d in report.diagnostics}) is bool(decided)
    assert ("GI3104" in {u.code for u in report.undecided}) is not bool(decided)
    assert "GI3103" not in {d.code for d in report.diagnostics}


INLINE = """
- {type: gcp.serviceaccount.Account, name: sa, inputs: {accountId: gpu-nodes}}
- type: gcp.container.Cluster
  name: plane
  inputs:
    location: us-central1
    initialNodeCount: 2
    removeDefaultNodePool: %s
    nodeConfig: {machineType: a2-highgpu-1g, serviceAccount: !ref sa.email }
- type: gcp.container.Cluster
  name: other
  inputs: {location: us-east4, nodePools: [{name: cpu, nodeConfig: {machineType: e2-standard-4}}, {name: gpu, nodeConfig: {machineType: a3-megagpu-8}}]}
"""


def test_the_pools_that_a_cluster_describes_itself_are_machines():
    kept = {m.path("machineType"): m for m in GcpGraph(graph_of(INLINE % "false")).machines}
    inside = {f"other.nodePools[{n}].nodeConfig.machineType" for n in (0, 1)}
    assert set(kept) == {"plane.nodeConfig.machineType", *inside}
    assert kept["plane.nodeConfig.machineType"].has_gpus is True
    assert {m.path("machineType") for m in GcpGraph(graph_of(INLINE % "true")).machines} == inside


def test_a_finding_about_a_pool_inside_a_cluster_is_the_clusters():
    found = [d for d in check_graph(graph_of(INLINE % "true"), now=NOW).diagnostics if d.code == "GI3290"]
    assert [(d.resource, d.path, d.resource_type) for d in found] == [
        ("other", "other.nodePools[1].nodeConfig.machineType", "gcp:container/cluster:Cluster")
    ]
