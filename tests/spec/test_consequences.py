"""One mistake is one finding: what follows from another is not said as well."""

from __future__ import annotations

import pytest

from gpuinfra.spec.load import load, parse
from tests.spec.specs import HEAD, LEAST, only

POOLS = "node_pools: [{name: gpu}]\n"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "    count: !Ref X\n",
        HEAD + '    count: !!int "4"\n',
        HEAD + "    mig: !!python/tuple [1, 2]\n",
        HEAD + "labels: !x {a: 4}\n",
        HEAD + "network: !GetAtt {a: b}\n",
        HEAD + "budget: !x {}\n",
        "!Ref X\n",
    ],
)
def test_a_tag_is_one_finding(text: str):
    assert only(load("c.yaml", text)).code == "GI1011"


def test_a_tag_hides_nothing_beside_it():
    found = load("c.yaml", HEAD + "labels: {a: !x 4, b: 3}\nnmae: !y z\n").diagnostics
    assert [(d.code, d.path) for d in found] == [
        ("GI1011", ""), ("GI1032", "labels.b"), ("GI1030", "nmae"), ("GI1011", ""),
    ]  # fmt: skip


def test_a_merge_that_brings_nothing_is_one_finding():
    text = "name: x\nlocation: {<<: 3, provider: aws, zoen: a}\n" + POOLS
    assert [(d.code, d.path) for d in load("c.yaml", text).diagnostics] == [
        ("GI1017", ""), ("GI1030", "location.zoen"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "path", "hint"),
    [
        (
            "region: r\nname: x\n" + POOLS,
            "region",
            "region belongs at location.region; add location, for example location: {",
        ),
        ("region: r\nname: x\nlocation: {provider: aws}\n" + POOLS, "region", "region belongs at location.region"),
        (
            "provider: aws\nname: x\nlocation: {region: r}\n" + POOLS,
            "provider",
            "provider belongs at location.provider",
        ),
        (
            HEAD + "    model: H100\n    accelerator: {count: 8}\n",
            "node_pools[0].model",
            "model belongs at node_pools[].accelerator.model",
        ),
        (HEAD + "    max: 8\n    count: {min: 0}\n", "node_pools[0].max", "max belongs at node_pools[].count.max"),
        (HEAD + "  - {name:x}\n", "node_pools[1].name:x", "write name: x"),
    ],
)
def test_a_key_in_the_wrong_mapping_is_not_missing_as_well(text: str, path: str, hint: str):
    found = only(load("c.yaml", text))
    assert found.code == "GI1030"
    assert found.path.replace('["', ".").replace('"]', "") == path
    assert found.hint.startswith(hint)


def test_what_the_key_does_not_explain_is_said():
    storage = [{"name": "a", "kind": "nfs"}, {"name": "b", "kind": "nfs"}]
    found = parse({**LEAST, "mount": "/x", "storage": storage}).diagnostics
    assert [d.path for d in found] == ["mount", "storage[0].mount", "storage[1].mount"]
    found = parse({"name": "x", "region": "r"}).diagnostics
    assert [d.path for d in found] == ["region", "node_pools"]
