"""How findings speak: one of a thing, many of it, and where each is explained."""

from __future__ import annotations

import pytest

from gpuinfra.diagnostics import Code, Severity, docs_of
from gpuinfra.policy.engine import check_graph
from gpuinfra.policy.examples import NOW, graph_of

CODE = Code("GI3999", "a-code", Severity.ERROR, "A code.")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("1 nodes are wanted", "1 node is wanted"),
        ("1 nodes of p5 run for ever", "1 node of p5 runs for ever"),
        ("up to 1 machines have 1 free addresses", "up to 1 machine has 1 free address"),
        ("1 nodes may stand there", "1 node may stand there"),
        ("11 nodes are wanted", "11 nodes are wanted"),
        ("1,1 nodes, 0.1 nodes, x-1 nodes, $1 nodes", "1,1 nodes, 0.1 nodes, x-1 nodes, $1 nodes"),
        ("1 nodesets", "1 nodesets"),
        ("from 0 to 1 nodes", "from 0 to 1 nodes"),
    ],
)
def test_of_one_there_is_no_plural(written: str, said: str):
    assert CODE.at("a", written).message == said


def test_an_own_rule_has_no_page_in_the_reference():
    assert docs_of("GI3111") == "docs/reference/rules.md#gi3111"
    assert docs_of("GI9001") == "gpuinfra explain GI9001"


def test_equal_subnets_are_one_finding_less_than_there_are_and_each_names_the_first():
    subnets = "\n".join(
        f"- {{type: gcp.compute.Subnetwork, name: s{n}, inputs: {{network: !ref net.id, ipCidrRange: 10.0.0.0/20}}}}"
        for n in range(4)
    )
    graph = graph_of("- {type: gcp.compute.Network, name: net, inputs: {autoCreateSubnetworks: false}}\n" + subnets)
    found = [d for d in check_graph(graph, now=NOW).diagnostics if d.code == "GI3111"]
    assert [d.resource for d in found] == ["s1", "s2", "s3"]
    assert all("of 's0'" in d.message for d in found)
