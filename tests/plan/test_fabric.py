"""The interfaces of a node, NIC by NIC, against the tables of the facts."""

import pytest

from gpuinfra.vocabulary import FabricKind

from ..specs import AWS, AZURE, GCP, clean, only, pool, resolved, spec

SOMEWHERE = {"provider": "aws", "region": "us-east-1"}


def nics(base, name, **changes):
    s = pool(
        {**base, "location": {k: v for k, v in base["location"].items() if k != "zone"}}, instance_type=name, **changes
    )
    return resolved(s).plan.pools[0].fabric


@pytest.mark.parametrize(
    ("name", "total", "first"),
    [
        ("p4d.24xlarge", 5, [(0, 0, "interface"), (0, 1, "efa-only"), (1, 0, "efa-only")]),
        ("p4de.24xlarge", 5, [(0, 0, "interface"), (0, 1, "efa-only"), (1, 0, "efa-only")]),
        ("p5.4xlarge", 2, [(0, 0, "interface"), (0, 1, "efa-only")]),
        ("p5.48xlarge", 33, [(0, 0, "interface"), (0, 1, "efa-only"), (1, 0, "efa-only")]),
        ("p5e.48xlarge", 33, [(0, 0, "interface"), (0, 1, "efa-only"), (1, 0, "efa-only")]),
        ("p5en.48xlarge", 17, [(0, 0, "interface"), (0, 1, "efa-only"), (1, 0, "efa-only")]),
        ("p6-b200.48xlarge", 9, [(0, 0, "interface"), (0, 1, "efa-only"), (1, 0, "efa-only")]),
        ("p6-b300.48xlarge", 17, [(0, 0, "interface"), (1, 0, "efa-only"), (2, 0, "efa-only")]),
        ("g6e.48xlarge", 5, [(0, 0, "interface"), (0, 1, "efa-only"), (1, 0, "efa-only")]),
        ("g5.8xlarge", 2, [(0, 0, "interface"), (0, 1, "efa-only")]),
        ("g6.8xlarge", 2, [(0, 0, "interface"), (0, 1, "efa-only")]),
        ("g4dn.8xlarge", 2, [(0, 0, "interface"), (0, 1, "efa-only")]),
    ],
)
def test_efa_layouts(name, total, first):
    fabric = nics({**AWS, "location": SOMEWHERE}, name, fabric="required")
    layout = [(n.card, n.device, n.kind) for n in fabric.nics]
    assert fabric.kind is FabricKind.EFA
    assert len(layout) == total
    assert layout[: len(first)] == first
    assert len({(c, d) for c, d, _ in layout}) == total
    assert all(kind == "efa-only" for _, _, kind in layout[1:])
    efa_cards = [c for c, _, k in layout if k == "efa-only"]
    assert len(efa_cards) == len(set(efa_cards)), "one EFA device a card"


def test_b300_has_the_count_of_p5en_and_another_shape():
    b300 = {
        (n.card, n.device) for n in nics({**AWS, "location": SOMEWHERE}, "p6-b300.48xlarge", fabric="required").nics
    }
    p5en = {(n.card, n.device) for n in nics({**AWS, "location": SOMEWHERE}, "p5en.48xlarge", fabric="required").nics}
    assert len(b300) == len(p5en) == 17
    assert (0, 1) not in b300
    assert (0, 1) in p5en
    assert max(c for c, _ in b300) == 16
    assert max(c for c, _ in p5en) == 15


@pytest.mark.parametrize(
    ("name", "kinds", "networks"),
    [
        ("g2-standard-8", ["gvnic"], 1),
        ("a2-highgpu-8g", ["gvnic"], 1),
        ("a3-highgpu-8g", ["gvnic"] * 5, 5),
        ("a3-megagpu-8g", ["gvnic"] * 9, 9),
        ("a3-ultragpu-8g", ["gvnic"] * 2 + ["mrdma"] * 8, 3),
        ("a4-highgpu-8g", ["gvnic"] * 2 + ["mrdma"] * 8, 3),
        ("a4x-highgpu-4g", ["gvnic"] * 2 + ["mrdma"] * 4, 3),
        ("a4x-maxgpu-4g-metal", ["idpf"] * 2 + ["mrdma"] * 8, 3),
    ],
)
def test_google_layouts(name, kinds, networks):
    fabric = nics(GCP, name) if name != "x" else None
    assert [n.kind for n in fabric.nics] == kinds
    assert len({n.network for n in fabric.nics}) == networks
    assert [n.card for n in fabric.nics] == list(range(len(kinds)))


def test_azure_declares_one_interface_whatever_the_fabric():
    with_ib = nics(AZURE, "Standard_ND96isr_H200_v5", fabric="required")
    assert (with_ib.kind, len(with_ib.nics)) == (FabricKind.INFINIBAND, 1)
    without = nics(AZURE, "Standard_NC40ads_H100_v5")
    assert (without.kind, len(without.nics)) == (FabricKind.NONE, 1)


@pytest.mark.parametrize(
    ("base", "name", "says"),
    [
        (AWS, "g5.xlarge", "g5.8xlarge"),
        (AWS, "g6.4xlarge", "g6.8xlarge"),
        (AZURE, "Standard_ND96is_MI300X_v5", "Standard_ND96isr_MI300X_v5"),
        (GCP, "g2-standard-8", "gpuinfra instances --provider gcp"),
        (GCP, "g2-standard-8", "a3-highgpu-8g"),
        (AZURE, "Standard_NC24ads_A100_v4", "Standard_ND96asr_v4, Standard_ND96amsr_A100_v4"),
    ],
)
def test_required_on_a_type_without(base, name, says):
    location = {k: v for k, v in base["location"].items() if k != "zone"}
    finding = only(
        resolved(pool({**base, "location": location, "image": {}}, instance_type=name, fabric="required")), "GI2040"
    )
    assert finding.path == "node_pools[0].fabric"
    assert says in finding.hint


@pytest.mark.parametrize(
    ("changes", "workload", "present"),
    [
        ({"count": 2}, "training", True),
        ({"count": 1}, "training", False),
        ({"count": 1, "fabric": "required"}, "training", True),
        ({"count": 2, "fabric": "none"}, "training", False),
        ({"count": 4, "instance_type": "g6.12xlarge"}, "inference", False),
        ({"count": 4, "instance_type": "g6.12xlarge"}, "training", True),
        ({"count": 4, "instance_type": "p5.48xlarge"}, "inference", True),
        ({"count": {"min": 0, "max": 8}}, "training", True),
    ],
)
def test_auto_takes_the_fabric_where_it_helps(changes, workload, present):
    s = pool({**AWS, "workload": workload}, **changes)
    assert clean(resolved(s)).plan.pools[0].fabric.present is present


def test_public_address_with_many_interfaces():
    finding = only(resolved(pool(public_ip=True)), "GI2041")
    assert finding.path == "node_pools[0].public_ip"
    assert "33" in finding.message
    whole = only(resolved(spec(network={"public_nodes": True})), "GI2041")
    assert whole.path == "network.public_nodes"
    clean(resolved(pool(public_ip=True, count=1)))


def test_more_infiniband_nodes_than_a_scale_set_takes():
    s = pool({**AZURE, "network": {"cidr": "10.40.0.0/16"}}, count=130)
    finding = only(resolved(s), "GI2042")
    assert not finding.is_error
    assert "100" in finding.message


def test_more_than_support_can_raise_is_an_error():
    assert only(resolved(pool({**AZURE, "network": {"cidr": "10.40.0.0/16"}}, count=500)), "GI2042").is_error
