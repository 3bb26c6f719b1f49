"""The Pulumi cases that need no engine: option paths (P1), two clusters (P4), node group fields (P8), unknowns (P9)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from gpuinfra.diagnostics import Code, Diagnostic, Severity
from gpuinfra.policy import UNKNOWN, check_graph
from gpuinfra.policy.examples import NOW, graph_of
from gpuinfra.policy.resource_graph import as_json
from gpuinfra.policy.rule import Examples, GraphContext, ResourceRule, Undecided

from .judging import codes, judged, rows, said


def pool(path: str, sizes: str = "{minSize: 0, desiredSize: 2, maxSize: 8}") -> str:
    return f"""
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{clusterName: acme, scalingConfig: {sizes}, labels: {{a: b}}}}
  options: {{ignoreChanges: ["{path}"]}}
"""


@pytest.mark.parametrize("path", ["scalingConfig.desiredSize", "scalingConfig", "*", "tagsAll", 'labels["a"]'])
def test_p1_paths_that_match(path: str):
    assert "GI3066" not in codes(judged(pool(path.replace('"', '\\"'))))


@pytest.mark.parametrize(
    ("path", "right"),
    [
        ("scaling_config.desired_size", "scalingConfig.desiredSize"),
        ("scalingConfig.desiredSise", "scalingConfig.desiredSize"),
        ("scalingConfg", "scalingConfig"),
        ("scalingConfig.desired_size", "scalingConfig.desiredSize"),
    ],
)
def test_p1_paths_that_match_nothing(path: str, right: str):
    found = said(judged(pool(path)), "GI3066")
    assert found.is_error
    assert path in found.message
    assert found.hint == f"write '{right}'"


def test_p1_a_path_into_the_unknown_is_undecided():
    report = judged(pool("scalingConfig.desiredSise", "!unknown "))
    assert "GI3066" not in codes(report)
    assert "GI3066" in {u.code for u in report.undecided}


def test_p1_of_a_recorded_program():
    from gpuinfra.testing import record

    def program() -> None:
        import pulumi
        import pulumi_aws as aws

        for n, path in enumerate(["desiredCapacity", "desired_capacity", "desiredCapacty"]):
            aws.autoscaling.Group(f"g{n}", min_size=0, max_size=4, opts=pulumi.ResourceOptions(ignore_changes=[path]))

    found = [d for d in check_graph(record(program), now=NOW).diagnostics if d.code == "GI3066"]
    # The SDK itself translates a top-level snake_case name; the misspelt one it passes on.
    assert [d.resource for d in found] == ["g2"]
    assert found[0].hint == "write 'desiredCapacity'"


def node_group(template: str, group: str) -> str:
    return f"""
- {{type: aws.ec2.LaunchTemplate, name: lt, inputs: {{{template}}}}}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{launchTemplate: {{id: !ref lt.id , version: "4"}}, scalingConfig: {{minSize: 0, desiredSize: 0, maxSize: 2}}{group}}}
"""


WITH_IMAGE = "imageId: ami-0123456789abcdef0, instanceType: p5.48xlarge"


@pytest.mark.parametrize(
    ("template", "group"),
    [
        (WITH_IMAGE, ""),
        (WITH_IMAGE, ", amiType: CUSTOM"),
        ("instanceType: p5.48xlarge", ", amiType: AL2023_x86_64_NVIDIA"),
        ("", ', instanceTypes: [p5.48xlarge], amiType: AL2023_x86_64_NVIDIA, version: "1.34"'),
    ],
)
def test_p8_one_owner_for_each_field(template: str, group: str):
    assert rows(judged(node_group(template, group))) & {"EKS-01", "EKS-04"} == set()


@pytest.mark.parametrize(
    ("template", "group", "word"),
    [
        (WITH_IMAGE, ", amiType: AL2023_x86_64_NVIDIA", "amiType"),
        (WITH_IMAGE, ", releaseVersion: 1.34.1-20260701", "releaseVersion"),
        (WITH_IMAGE, ', version: "1.34"', "version"),
        (WITH_IMAGE, ", diskSize: 500", "diskSize"),
        (WITH_IMAGE, ", instanceTypes: [p5.48xlarge]", "instanceTypes"),
        (WITH_IMAGE, ", remoteAccess: {ec2SshKey: k}", "remoteAccess"),
        ("instanceMarketOptions: {}", "", "instanceMarketOptions"),
        ("iamInstanceProfile: {name: p}", "", "iamInstanceProfile"),
        ("networkInterfaces: [{subnetId: subnet-1}]", "", "subnet"),
    ],
)
def test_p8_two_owners_of_one_field(template: str, group: str, word: str):
    found = said(judged(node_group(template, group)), "GI3063")
    assert found.is_error
    assert word in found.message


@pytest.mark.parametrize("version", ["$Latest", "$Default", "None"])
def test_p8_the_templates_version(version: str):
    report = judged(node_group("", "").replace('"4"', f'"{version}"'))
    assert version in said(report, "GI3059").message


def test_p8_a_version_that_is_not_known_yet_is_right():
    assert "GI3059" not in codes(judged(node_group("", "").replace('"4"', "!ref lt.latestVersion ")))


TAG_VALUES = Code("GI9101", "tag-value", Severity.ERROR, "A tag value that finance cannot read.", fix="Mend the tag.")


def check_tags(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """A user's own rule, as P9 has it."""
    for r in ctx.graph:
        tags = r.get("tags") or {}
        for key in sorted(tags):
            value = r.get("tags", key)
            if value is UNKNOWN:
                yield Undecided("GI9101", r.name, f"tag {key} is unknown")
            elif not re.fullmatch("[a-z0-9-]+", value) or (key == "costcenter" and not value.isdigit()):
                yield TAG_VALUES.at(f"{r.name}.tags.{key}", f"'{value}' is not allowed", resource=r.name)


RULE = ResourceRule(TAG_VALUES, ("tags",), check_tags, Examples((), ()))


def test_p9_an_unknown_tag_is_undecided_and_the_known_ones_are_judged():
    program = "- {type: aws.ec2.Vpc, name: net, inputs: {tags: {owner: OWNER, costcenter: bad}}}"
    preview = check_graph(graph_of(program.replace("OWNER", "!unknown ")), rules=[RULE])
    assert [d.path for d in preview.diagnostics] == ["net.tags.costcenter"]
    assert preview.undecided == (Undecided("GI9101", "net", "tag owner is unknown"),)
    update = check_graph(graph_of(program.replace("OWNER", "team-a")), rules=[RULE])
    assert [d.path for d in update.diagnostics] == ["net.tags.costcenter"]
    assert update.undecided == ()


def test_p9_the_built_in_rule_leaves_an_unknown_tag_undecided_too():
    report = judged("""- {type: aws.ec2.Vpc, name: net, inputs: {tags: {owner: !unknown , "aws:x": bad}}}""")
    assert "GI3058" in codes(report)
    assert "GI3058" in {u.code for u in report.undecided}


def test_p9_inputs_can_be_shown_and_secrets_cannot():
    from gpuinfra.policy import Secret

    shown = json.dumps(as_json({"count": 8, "key": Secret("hunter22"), "late": UNKNOWN}))
    assert '"count": 8' in shown
    assert "hunter22" not in shown


def test_p4_two_clusters_with_the_same_pool_name():
    from gpuinfra.testing import record

    spec = {
        "name": "acme",
        "location": {"provider": "aws", "region": "us-east-1"},
        "node_pools": [{"name": "gpu", "instance_type": "p4d.24xlarge", "count": 2}],
        "storage": [{"name": "out", "kind": "bucket", "mount": "/out"}],
        "shutdown": {"lease": "72h"},
    }

    def program() -> None:
        from gpuinfra.cluster import GpuCluster

        GpuCluster("east", spec, now=NOW)
        GpuCluster("west", spec, now=NOW)

    graph = record(program)
    report = check_graph(graph, now=NOW)
    assert report.diagnostics == ()
    roots = {r.urn: r.name for r in graph if r.type == "gpuinfra:index:GpuCluster"}
    assert sorted(roots.values()) == ["east", "west"]
    by_urn = {r.urn: r for r in graph}
    for r in graph:
        if not r.custom or r.type.startswith("pulumi:"):
            continue
        above = r
        while above.parent and above.urn not in roots:
            above = by_urn[above.parent]
        assert r.name.startswith(f"{roots[above.urn]}-"), r.urn
