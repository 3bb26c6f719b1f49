"""Resource rules beyond their examples: plans beside graphs, resources that stand alone, and the room's own output."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from gpuinfra.diagnostics import Severity
from gpuinfra.plan import resolve
from gpuinfra.policy import Secret, check_graph, registry
from gpuinfra.policy.examples import NOW, graph_of, spec_of
from gpuinfra.policy.resource_graph import ResourceGraph


def codes(graph: ResourceGraph, **more: Any) -> list[str]:
    return [d.code for d in check_graph(graph, now=NOW, **more).diagnostics]


def data(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


RESERVED = (
    "{location: {provider: aws, region: us-east-1, zone: use1-az6}, node_pools: [{instance_type: p4d.24xlarge, count: 16, "
    "proximity: acme-pg, capacity: {type: reservation, id: cr-0ddd3333eeee4444f}}]}"
)


@pytest.mark.parametrize(
    ("placement", "found"), [("{groupName: acme-pg}", False), ("{groupName: auto-pg}", True), ("null", True)]
)
def test_the_users_placement_group_is_used(placement: str, found: bool):
    plan = resolve(spec_of(RESERVED), NOW).plan
    assert plan is not None
    graph = graph_of(f"""
- type: aws.ec2.LaunchTemplate
  name: {plan.pools[0].resource_name}-template
  inputs: {{placement: {placement}}}
""")
    assert ("GI3020" in codes(graph, plan=plan)) is found
    assert "GI3020" not in codes(graph)


def test_a_plan_says_what_the_reservation_is():
    plan = resolve(
        spec_of("node_pools: [{count: 8, capacity: {type: capacity_block, id: cr-0aaa1111bbbb2222c}}]"), NOW
    ).plan
    graph = graph_of("""
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {capacityReservationSpecification: {capacityReservationTarget: {capacityReservationId: cr-0aaa1111bbbb2222c}}}
""")
    assert "GI3024" in codes(graph, plan=plan)
    assert "GI3024" not in codes(graph)


@pytest.mark.parametrize(
    "text",
    [
        "export WANDB_API_KEY=0123456789abcdef",
        "password: hunter22",
        '{"auth_token": "abcdef123456"}',
        "AWS_SECRET_ACCESS_KEY='wJalrXUtnFEMIK7MDENG'",
        "echo hf_abcdefghijklmnopqrstuvwxyz",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----",
        "AKIAIOSFODNN7EXAMPLE",
    ],
)
def test_secrets_in_user_data_are_caught_and_never_shown(text: str):
    graph = graph_of(f"- {{type: aws.ec2.LaunchTemplate, name: n, inputs: {{userData: {data(text)}}}}}")
    (found,) = [d for d in check_graph(graph, now=NOW).diagnostics if d.code == "GI3060"]
    assert found.is_error
    shown = f"{found} {found.hint}"
    assert not any(w in shown for w in ("hunter22", "0123456789abcdef", "abcdef123456", "wJalr", "AKIA", "hf_abc"))


@pytest.mark.parametrize(
    "text",
    [
        "export HF_TOKEN=$(aws secretsmanager get-secret-value --secret-id hf)",
        "export HF_TOKEN=${TOKEN}",
        "password = node.run(['aws', 'ecr', 'get-login-password'])",
        "token: str | None = None",
        'curl -H "X-aws-ec2-metadata-token: $TOKEN"',
        "AUTH_TOKEN=none",
        "lock_passwd: true",
    ],
)
def test_no_secret_is_seen_where_there_is_none(text: str):
    graph = graph_of(f"- {{type: aws.ec2.LaunchTemplate, name: n, inputs: {{userData: {data(text)}}}}}")
    assert "GI3060" not in codes(graph)


def test_a_value_marked_secret_in_user_data_is_a_warning():
    graph = graph_of("- {type: aws.ec2.LaunchTemplate, name: n, inputs: {userData: x}}")
    (lt,) = graph.resources
    marked = ResourceGraph(
        "p", "s", False, (type(lt)(lt.urn, lt.type, lt.name, True, {"userData": Secret(data("echo"))}),)
    )
    (found,) = [d for d in check_graph(marked, now=NOW).diagnostics if d.code == "GI3060"]
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(("size", "found"), [(16384, False), (16385, True)])
def test_the_limit_of_user_data(size: int, found: bool):
    graph = graph_of(f"- {{type: aws.ec2.LaunchTemplate, name: n, inputs: {{userData: {data('x' * size)}}}}}")
    assert ("GI3055" in codes(graph)) is found


@pytest.mark.parametrize(
    ("ebs", "found"),
    [
        ("volumeType: gp3, volumeSize: 200, iops: 16000, throughput: 1000", False),
        ("volumeType: gp3, volumeSize: 10, iops: 6000", True),
        ("volumeType: gp3, volumeSize: 10, iops: 3000", False),
        ("volumeType: gp3, volumeSize: 200, throughput: 100", True),
        ("volumeType: io2, volumeSize: 200, iops: 64000", False),
        ("volumeType: io1, volumeSize: 200, iops: 64000", True),
        ("volumeType: gp2, volumeSize: 200, throughput: 125", True),
        ("volumeSize: 200", False),
    ],
)
def test_what_ebs_sells(ebs: str, found: bool):
    graph = graph_of(
        f"- {{type: aws.ec2.LaunchTemplate, name: n, inputs: {{blockDeviceMappings: [{{ebs: {{{ebs}}}}}]}}}}"
    )
    assert ("GI3054" in codes(graph)) is found


def test_a_volume_and_an_instance_on_their_own_are_judged_too():
    graph = graph_of("""
- {type: aws.ebs.Volume, name: v, inputs: {size: 10, type: gp3, iops: 99999}}
- {type: aws.ec2.Instance, name: box, inputs: {ami: "ubuntu-22.04", rootBlockDevice: {volumeSize: 200}}}
""")
    assert {"GI3053", "GI3054", "GI3056", "GI3061"} <= set(codes(graph))


def test_an_instance_from_a_template_takes_its_metadata_options():
    graph = graph_of("- {type: aws.ec2.Instance, name: box, inputs: {launchTemplate: {id: lt-1}}}")
    assert "GI3053" not in codes(graph)


NAT = """
- {type: aws.ec2.Vpc, name: net, inputs: {}}
- {type: aws.ec2.InternetGateway, name: door, inputs: {}}
- {type: aws.ec2.Subnet, name: s, inputs: {vpcId: !ref net.id }}
- {type: aws.ec2.NatGateway, name: nat, inputs: {subnetId: !ref s.id }}
- {type: aws.ec2.RouteTable, name: t, inputs: {}}
- {type: aws.ec2.RouteTableAssociation, name: a, inputs: {subnetId: !ref s.id , routeTableId: !ref t.id }}
"""
ROUTE = "- {type: aws.ec2.Route, name: r, inputs: {routeTableId: !ref t.id , destinationCidrBlock: 0.0.0.0/0, gatewayId: GATEWAY}}\n"


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("", True),
        (ROUTE.replace("GATEWAY", "!ref door.id "), False),
        (ROUTE.replace("GATEWAY", "igw-0123"), False),
        (ROUTE.replace("GATEWAY", "vgw-0123"), True),
    ],
)
def test_a_nat_gateway_needs_a_way_out(more: str, found: bool):
    assert ("GI3014" in codes(graph_of(NAT + more))) is found


def test_a_nat_gateway_without_any_route_table_has_none():
    assert "GI3014" in codes(graph_of("\n".join(NAT.splitlines()[:5])))


def spec(**changes: Any) -> dict[str, Any]:
    base = {
        "name": "acme",
        "location": {"provider": "aws", "region": "us-east-1", "zone": "use1-az6"},
        "node_pools": [{"name": "gpu", "instance_type": "p5.48xlarge", "count": 4}],
        "shutdown": {"lease": "72h"},
    }
    return {**base, **changes}


BLOCK = {"type": "capacity_block", "id": "cr-0aaa1111bbbb2222c"}
LUSTRE = {"name": "scratch", "kind": "lustre", "size_gib": 9600, "throughput_mbps_per_tib": 500, "mount": "/scratch"}
ROOM = {
    "training": spec(
        storage=[{**LUSTRE, "import_from": "s3://acme-data/x"}, {"name": "home", "kind": "nfs", "mount": "/shared"}],
        budget={"per_month_usd": 90_000, "contacts": ["a@example.com"], "on_limit": "stop"},
        shutdown={
            "lease": "72h",
            "idle_after": "30m",
            "stop_at": {"cron": "0 20 * * 1-5", "timezone": "Europe/Berlin"},
        },
    ),
    "block": spec(
        node_pools=[
            {
                "name": "gpu",
                "instance_type": "p5.48xlarge",
                "count": 8,
                "capacity": {**BLOCK, "starts": "2026-12-01T11:30:00Z", "ends": "2026-12-08T11:30:00Z"},
            }
        ],
        shutdown={"lease": "2026-12-08T10:30:00Z"},
    ),
    "b300": spec(
        location={"provider": "aws", "region": "us-west-2"},
        node_pools=[{"name": "gpu", "instance_type": "p6-b300.48xlarge", "count": 4, "capacity": BLOCK}],
    ),
    "reservation": spec(
        node_pools=[
            {
                "name": "gpu",
                "instance_type": "p4d.24xlarge",
                "count": 16,
                "capacity": {"type": "reservation", "id": "cr-0ddd3333eeee4444f"},
            }
        ]
    ),
    "spot": spec(
        node_pools=[
            {"name": "gpu", "instance_type": "p4d.24xlarge", "count": 2, "capacity": {"type": "spot"}},
            {"name": "cpu", "instance_type": "m5.xlarge"},
        ]
    ),
    "public": spec(
        workload="interactive",
        location={"provider": "aws", "region": "us-east-1", "deployer_roles": ["ml"]},
        network={"public_nodes": True, "ssh_from": ["203.0.113.0/24"]},
        node_pools=[{"name": "gpu", "instance_type": "g4dn.xlarge", "count": {"min": 0, "max": 3}}],
        budget={"per_month_usd": 3000, "contacts": ["a@example.com"], "on_limit": "deny"},
        shutdown={"lease": "48h"},
    ),
    "existing": spec(
        network={"existing": {"network": "vpc-0a1b2c3d4e5f60718", "subnet": "subnet-0f1e2d3c4b5a69788"}},
        storage=[LUSTRE],
    ),
}


@pytest.mark.parametrize("preview", [True, False], ids=["preview", "update"])
@pytest.mark.parametrize("name", ROOM)
def test_rules_are_silent_on_what_our_own_room_renders(name: str, preview: bool):
    from gpuinfra.testing import record

    def program() -> None:
        from gpuinfra.cluster import GpuCluster

        GpuCluster("acme", ROOM[name], now=NOW)

    graph = record(program, preview=preview)
    assert graph.of_type("aws:ec2/launchTemplate:LaunchTemplate")
    assert [str(d) for d in check_graph(graph, now=NOW).diagnostics] == []


def test_every_resource_rule_of_a_cloud_says_which():
    several = [r.code.code for r in registry.resource_rules() if len(r.providers) > 1]
    assert several == ["GI3066", "GI3290", "GI3291", "GI3292", "GI3293", "GI3403"]


@pytest.mark.parametrize("value", ["[g5.xlarge]", "{a: g5.xlarge}", "7", "null", "true"])
def test_what_is_no_name_of_a_type_is_none(value: str):
    graph = graph_of(
        f"- {{type: aws.eks.NodeGroup, name: pool, inputs: {{instanceTypes: [{value}, p5.48xlarge, p5.48xlarge]}}}}"
    )
    assert "GI3291" not in codes(graph)
