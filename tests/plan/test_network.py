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
    count=st.integers(1, 300),
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
        (AWS, "10.40.0.0/8", "GI2051", "10.40.0.0/16"),
        (AWS, "10.40.0.0/29", "GI2051", "10.40.0.0/27"),
        (AWS, "169.254.0.0/16", "GI2050", "not private"),
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


def ranges(cloud, **changes):
    result = clean(resolved(spec(BASES[cloud], **{"network": {"cidr": "10.20.0.0/16"}, **changes})))
    return {s.role: s.cidr for s in result.plan.network.subnets}


@pytest.mark.parametrize("cloud", sorted(BASES))
def test_the_first_file_system_moves_nothing(cloud):
    """A range that moves is made anew, with the nodes and the stores in it."""
    before, after = ranges(cloud), ranges(cloud, storage=[LUSTRE[cloud]])
    assert before["nodes"] == "10.20.0.0/17"
    assert {role: after[role] for role in before} == before


def test_nodes_without_a_way_out_of_their_own_stay_where_they_are():
    pools = [{"name": "gpu", "instance_type": "g6.xlarge"}]
    private, public = (
        ranges("aws", network={"cidr": "10.20.0.0/16", "public_nodes": p}, node_pools=pools) for p in (False, True)
    )
    assert private["nodes"] == public["nodes"]


def test_storage_and_peered_ranges_do_not_push_the_networks_of_gpus():
    mega = [{"name": "mega", "instance_type": "a3-megagpu-8g", "count": 2, "capacity": {"type": "spot"}}]
    place = {**GCP["location"], "zone": "us-central1-b"}
    nfs = {"name": "home", "kind": "nfs", "size_gib": 2560, "mount": "/shared"}
    one, two, many = (
        ranges("gcp", location=place, node_pools=pools, storage=stores)
        for pools, stores in (
            (mega, []),
            (mega, [LUSTRE["gcp"]]),
            ([{**mega[0], "count": 60}], [LUSTRE["gcp"], nfs]),
        )
    )
    assert {role: two[role] for role in one} == one
    assert many == two, "a second store stands in the range that the first one got"


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
        "storage-s",
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


def test_a_tight_network_is_packed():
    """292 addresses in use fit into 4096, whatever the number of ranges."""
    base = {**GCP, "network": {"cidr": "192.168.0.0/20"}, "location": {**GCP["location"], "zone": "us-central1-b"}}
    plan = clean(
        resolved(
            pool(
                {**base, "storage": [LUSTRE["gcp"]]}, instance_type="a4-highgpu-8g", count=4, capacity={"type": "spot"}
            )
        )
    ).plan
    ranges = [IPv4Network(x.cidr) for x in plan.network.subnets]
    assert not any(a.overlaps(b) for i, a in enumerate(ranges) for b in ranges[i + 1 :])


def test_storage_in_another_zone_gets_a_subnet_there():
    s = spec(storage=[{"name": "far", "kind": "lustre", "size_gib": 2400, "mount": "/far", "zone": "use2-az2"}])
    there = clean(resolved(s)).plan.network.subnet("storage-use2-az2")
    assert there.zone == "use2-az2"


def test_each_lustre_of_azure_has_a_subnet_of_its_size():
    stores = [
        {"name": "big", "kind": "lustre", "size_gib": 245760, "throughput_mbps_per_tib": 40, "mount": "/big"},
        {"name": "small", "kind": "lustre", "size_gib": 4096, "throughput_mbps_per_tib": 500, "mount": "/small"},
        {"name": "home", "kind": "nfs", "size_gib": 4096, "mount": "/home2"},
    ]
    network = clean(resolved(spec({**AZURE, "network": {"cidr": "10.40.0.0/16"}}, storage=stores))).plan.network
    sizes = {x.role: IPv4Network(x.cidr).prefixlen for x in network.subnets}
    assert sizes["storage-big"] <= 23
    assert sizes["storage-small"] <= 27
    assert sizes["storage-home"] <= 28


@pytest.mark.parametrize(
    ("base", "store", "refused"),
    [
        (AZURE, LUSTRE["azure"], True),
        (AZURE, {"name": "b", "kind": "bucket", "mount": "/b"}, False),
        (AWS, LUSTRE["aws"], False),
        (AWS, {**LUSTRE["aws"], "zone": "use2-az2"}, True),
    ],
)
def test_an_existing_network_has_no_subnet_to_spare(base, store, refused):
    ids = {
        "aws": {"network": "vpc-0a1b2c3d4e", "subnet": "subnet-0a1b2c3d4e"},
        "azure": {
            "network": "/subscriptions/s/resourceGroups/r/providers/Microsoft.Network/virtualNetworks/v",
            "subnet": "/subscriptions/s/resourceGroups/r/providers/Microsoft.Network/virtualNetworks/v/subnets/n",
        },
    }[base["location"]["provider"]]
    result = resolved(spec(base, network={"existing": ids}, storage=[store]))
    assert bool([d for d in result.diagnostics if d.code == "GI2056"]) is refused


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_rdma_subnets_do_not_depend_on_the_order_of_pools(order):
    pools = [
        {"name": "a", "instance_type": "a4-highgpu-8g", "count": 2, "capacity": {"type": "spot"}},
        {
            "name": "b",
            "instance_type": "a4x-maxgpu-4g-metal",
            "count": 2,
            "capacity": {"type": "reservation", "id": "res-h"},
        },
    ]
    s = spec(
        {**GCP, "location": {**GCP["location"], "zone": "us-central1-b"}, "image": {}},
        node_pools=[pools[i] for i in order],
    )
    roles = [x.role for x in resolved(s).plan.network.subnets]
    assert [r for r in roles if r.startswith("rdma")] == [f"rdma{i}" for i in range(8)]


def test_pools_that_want_other_packet_sizes():
    pools = [
        {"name": "a", "instance_type": "a4-highgpu-8g", "capacity": {"type": "spot"}},
        {"name": "b", "instance_type": "a4x-maxgpu-4g-metal", "capacity": {"type": "reservation", "id": "res-h"}},
    ]
    base = {**GCP, "location": {**GCP["location"], "zone": "us-central1-b"}, "image": {}}
    (finding,) = [d for d in resolved(spec(base, node_pools=pools)).diagnostics if d.code == "GI2057"]
    assert "8896" in finding.message
    assert not [d for d in resolved(spec(base, node_pools=pools[:1])).diagnostics if d.code == "GI2057"]


def test_a_range_over_both_reserved_ranges_is_one_finding():
    codes = [d.code for d in resolved(spec(AZURE, network={"cidr": "172.16.0.0/12"})).diagnostics]
    assert "GI2053" in codes
    assert "GI2058" not in codes


def test_the_range_of_the_container_bridge():
    one = only(resolved(spec(AWS, network={"cidr": "172.17.0.0/16"})), "GI2058")
    assert not one.is_error
    assert "Docker" in one.message


@pytest.mark.parametrize(
    ("base", "ids", "says"),
    [
        (
            GCP,
            {"network": "projects/p/global/networks/n", "subnet": "projects/p/regions/europe-west4/subnetworks/s"},
            "europe-west4",
        ),
        (
            AZURE,
            {
                "network": "/subscriptions/s/resourceGroups/r/providers/Microsoft.Network/virtualNetworks/v",
                "subnet": "/subscriptions/s/resourceGroups/r/providers/Microsoft.Network/virtualNetworks/w/subnets/n",
            },
            "another network",
        ),
    ],
)
def test_an_existing_subnet_of_somewhere_else(base, ids, says):
    assert says in only(resolved(spec(base, network={"existing": ids})), "GI2055").message


GROWTH = {
    "aws": (
        [{"name": "b", "instance_type": "g6.xlarge", "count": 4}, {"name": "c", "instance_type": "p4d.24xlarge"}],
        [
            LUSTRE["aws"],
            {"name": "far", "kind": "lustre", "size_gib": 2400, "mount": "/far", "zone": "use2-az3"},
            {"name": "off", "kind": "lustre", "size_gib": 2400, "mount": "/off", "zone": "use2-az2"},
        ],
    ),
    "gcp": (
        [
            {"name": "b", "instance_type": "a4-highgpu-8g", "count": 300, "capacity": {"type": "spot"}},
            {"name": "c", "instance_type": "a3-megagpu-8g", "count": 4},
            {"name": "d", "instance_type": "a3-highgpu-8g", "count": 4},
            {"name": "e", "instance_type": "g4-standard-384"},
        ],
        [
            LUSTRE["gcp"],
            {"name": "home", "kind": "nfs", "size_gib": 10240, "mount": "/shared"},
            {**LUSTRE["gcp"], "name": "t", "mount": "/t"},
        ],
    ),
    "azure": (
        [{"name": "b", "instance_type": "Standard_NC40ads_H100_v5", "count": 4}],
        [
            LUSTRE["azure"],
            {"name": "home", "kind": "nfs", "size_gib": 4096, "mount": "/shared"},
            {**LUSTRE["azure"], "name": "t", "mount": "/t"},
        ],
    ),
}


@given(
    cloud=st.sampled_from(sorted(BASES)),
    pools=st.tuples(st.integers(0, 4), st.integers(0, 4)),
    stores=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    order=st.randoms(use_true_random=False),
    grown=st.integers(1, 900),
)
def test_what_is_added_later_moves_no_range(cloud, pools, stores, order, grown):
    """A subnet in use can neither move nor shrink: the cloud refuses it, or the new range overlaps the old one."""
    base = {**BASES[cloud], "image": {}, "network": {"cidr": "10.40.0.0/16"}}
    more_pools, more_stores = GROWTH[cloud]
    first = {**base["node_pools"][0], "count": 2}

    def ranges(some, kept, count):
        added = [first | {"count": count}, *more_pools[:some]]
        order.shuffle(added)
        network = resolved(spec(base, node_pools=added, storage=more_stores[:kept])).plan.network
        return {x.role: IPv4Network(x.cidr) for x in network.subnets}

    few, many = sorted(pools)
    before, after = ranges(few, min(stores), 2), ranges(many, max(stores), grown)
    assert set(before) <= set(after)
    for role, was in before.items():
        assert after[role].network_address == was.network_address, role
        assert after[role].prefixlen <= was.prefixlen, role
