"""Address ranges: inside, disjoint, large enough; and what is refused."""

from ipaddress import IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.diagnostics import has_errors

from ..specs import AWS, AZURE, GCP, clean, only, pool, resolved, spec

BASES = {"aws": AWS, "gcp": GCP, "azure": AZURE}
LUSTRE = {
    "aws": {"name": "s", "kind": "lustre", "size_gib": 2400, "mount": "/s"},
    "gcp": {"name": "s", "kind": "lustre", "size_gib": 36000, "throughput_mbps_per_tib": 250, "mount": "/s"},
    "azure": {"name": "s", "kind": "lustre", "size_gib": 4096, "throughput_mbps_per_tib": 500, "mount": "/s"},
}


@given(
    cloud=st.sampled_from(sorted(BASES)),
    prefix=st.integers(8, 30),
    third=st.integers(0, 255),
    count=st.integers(1, 600),
    lustre=st.booleans(),
)
def test_ranges_are_inside_disjoint_and_large_enough(cloud, prefix, third, count, lustre):
    cidr = str(IPv4Network(f"10.{third}.0.0/{prefix}", strict=False))
    base = BASES[cloud]
    s = pool({**base, "network": {"cidr": cidr}, "storage": [LUSTRE[cloud]] if lustre else []}, count=count)
    result = resolved(s)
    network = result.plan.network
    if has_errors(result.diagnostics):
        assert {d.code for d in result.diagnostics if d.is_error} <= {"GI2051", "GI2052"}
        return
    whole = IPv4Network(cidr)
    ranges = [IPv4Network(x.cidr) for x in network.subnets]
    assert ranges
    assert all(r.subnet_of(whole) for r in ranges)
    assert not any(a.overlaps(b) for i, a in enumerate(ranges) for b in ranges[i + 1 :])
    nodes = IPv4Network(network.subnet("nodes").cidr)
    assert nodes.num_addresses - 5 >= count
    for other in network.subnets:
        if other.role.startswith(("gpu", "rdma")):
            assert IPv4Network(other.cidr).num_addresses - 4 >= count


@pytest.mark.parametrize(
    ("base", "cidr", "code", "says"),
    [
        (AWS, "10.40.0.1/16", "GI2050", "10.40.0.0/16"),
        (AWS, "ten", "GI2050", "10.40.0.0/16"),
        (AWS, "10.40.0.0", "GI2050", "10.40.0.0/16"),
        (AWS, "10.40.0.0/30", "GI2051", "/28"),
        (AWS, "8.8.0.0/16", "GI2050", "private"),
        (GCP, "192.169.0.0/16", "GI2050", "private"),
        (AWS, "10.0.0.0/8", "GI2051", "/16"),
        (AWS, "10.40.0.0/28", "GI2052", "/27"),
        (AZURE, "172.16.0.0/16", "GI2053", "10.40.0.0/16"),
        (AZURE, "172.16.0.0/12", "GI2053", "10.40.0.0/16"),
        (AWS, "fd00::/64", "GI2050", "10.40.0.0/16"),
    ],
)
def test_ranges_that_do_not_do(base, cidr, code, says):
    finding = only(resolved(spec(base, network={"cidr": cidr})), code)
    assert finding.path == "network.cidr"
    assert says in finding.message + finding.hint


def test_too_small_says_what_would_do():
    finding = only(resolved(pool({**AWS, "network": {"cidr": "10.40.0.0/26"}}, count=40)), "GI2052")
    wanted = finding.hint.split("take a ")[1].split(" ")[0]
    again = resolved(pool({**AWS, "network": {"cidr": f"10.40.0.0{wanted}"}}, count=40))
    clean(again)


def test_roles_by_cloud():
    assert [x.role for x in resolved(spec()).plan.network.subnets] == ["nodes", "public"]
    mega = resolved(spec(GCP, storage=[LUSTRE["gcp"]])).plan.network
    assert [x.role for x in mega.subnets] == ["nodes", "services", *(f"gpu{i}" for i in range(8))]
    ultra = resolved(
        pool(
            {**GCP, "location": {**GCP["location"], "zone": "us-central1-b"}},
            instance_type="a4-highgpu-8g",
            capacity={"type": "spot"},
        )
    )
    assert [x.role for x in ultra.plan.network.subnets] == ["nodes", "host1", *(f"rdma{i}" for i in range(8))]
    metal = pool(
        {**GCP, "location": {**GCP["location"], "zone": "us-central1-b"}},
        instance_type="a4x-maxgpu-4g-metal",
        capacity={"type": "reservation", "id": "res-h"},
    )
    assert [x.role for x in resolved(metal).plan.network.subnets] == ["nodes", "host1"]
    assert [x.role for x in resolved(spec(AZURE, storage=[LUSTRE["azure"]])).plan.network.subnets] == [
        "nodes",
        "storage",
    ]


def test_existing_network():
    ids = {"network": "vpc-0a1b2c3d4e5f60718", "subnet": "subnet-0f1e2d3c4b5a69788"}
    plan = clean(resolved(spec(network={"existing": ids}))).plan
    assert not plan.network.is_new
    assert not plan.network.subnets
    assert not plan.network.needs_nat
    only(resolved(spec(network={"existing": ids, "cidr": "10.0.0.0/16"})), "GI2054")
    finding = only(resolved(spec(network={"existing": {**ids, "subnet": "use2-az1"}})), "GI2055")
    assert finding.path == "network.existing.subnet"


def test_public_nodes_need_no_translation():
    s = pool({**AWS, "network": {"public_nodes": True}}, instance_type="g6.xlarge", count=1)
    network = clean(resolved(s)).plan.network
    assert not network.needs_nat
    assert [x.role for x in network.subnets] == ["nodes"]
