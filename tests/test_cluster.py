from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest
import yaml

import gpuinfra
from gpuinfra.cluster import GpuCluster
from gpuinfra.diagnostics import GpuInfraError
from gpuinfra.policy.engine import check_graph
from gpuinfra.policy.resource_graph import OutputRef, ResourceGraph
from gpuinfra.spec.load import parse
from gpuinfra.testing import record

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:pulumi_aws")
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def spec(**changes: Any) -> dict[str, Any]:
    return {
        "name": "train",
        "location": {"provider": "aws", "region": "us-east-2", "zone": "use2-az1"},
        "node_pools": [{"name": "gpu", "instance_type": "p5.48xlarge", "count": 4}],
        "storage": [
            {
                "name": "scratch",
                "kind": "lustre",
                "size_gib": 9600,
                "throughput_mbps_per_tib": 500,
                "mount": "/scratch",
            }
        ],
        "image": {"container": "nvcr.io/nvidia/pytorch:25.08-py3"},
        "budget": {"per_month_usd": 400000, "contacts": ["a@example.com"], "on_limit": "stop"},
        "shutdown": {"lease": "72h", "idle_after": "30m"},
        **changes,
    }


def run(name: str = "train", spec_: Any = None, *, preview: bool = False, **options: Any) -> ResourceGraph:
    return record(lambda: GpuCluster(name, spec_ or spec(), now=NOW, **options), preview=preview)


@pytest.fixture(scope="module")
def graph() -> ResourceGraph:
    return run()


def own(graph: ResourceGraph) -> list[Any]:
    return [r for r in graph if r.type != "pulumi:pulumi:Stack"]


# Names, parents, regions.


def test_every_resource_is_named_after_its_cluster_and_no_name_is_used_twice(graph: ResourceGraph) -> None:
    names = [r.name for r in own(graph)]
    assert len(names) == len(set(names))
    assert all(n == "train" or n.startswith("train-") for n in names)


def test_names_stay_apart_whatever_the_user_chose() -> None:
    pools = [
        {"name": n, "instance_type": "g5.xlarge", "count": 1}
        for n in ("gpu", "gpu-pool", "gpu-template", "network", "pool", "storage", "vpc", "gpu-pool-group")
    ]
    storage = [
        {"name": n, "kind": "bucket", "mount": f"/mnt/{n}"} for n in ("gpu", "pool", "network", "gpu-pool", "storage")
    ]
    graph = run(spec_=spec(node_pools=pools, storage=storage))
    names = [r.name for r in own(graph)]
    assert len(names) == len(set(names))


def test_every_child_has_a_parent_inside_the_cluster(graph: ResourceGraph) -> None:
    cluster = graph.named("train")
    for resource in own(graph):
        if resource is not cluster:
            assert resource.urn.startswith(cluster.urn.rsplit("::", 1)[0] + "$"), resource.name
            assert graph.by_urn(resource.parent), resource.name


def test_every_regional_resource_says_its_region(graph: ResourceGraph) -> None:
    everywhere = ("aws:iam/", "aws:budgets/", "aws:costexplorer/")
    for resource in own(graph):
        if resource.type.startswith("aws:") and not resource.type.startswith(everywhere):
            assert resource.get("region") == "us-east-2", resource.name


def test_whatever_takes_tags_is_tagged(graph: ResourceGraph) -> None:
    for resource in own(graph):
        if "tags" in resource.known_properties and resource.type != "aws:autoscaling/group:Group":
            assert resource.get("tags", "gpuinfra-cluster") == "train", resource.name


def test_no_text_of_nothing_and_no_moving_version(graph: ResourceGraph) -> None:
    for g in (graph, run(preview=True)):
        text = str(g.to_json())
        assert "'None'" not in text
        assert "Calling __str__" not in text
        assert "$Latest" not in text


def test_options_name_properties_that_exist(graph: ResourceGraph) -> None:
    for resource in own(graph):
        for path in (*resource.options.get("ignoreChanges", ()), *resource.options.get("replaceOnChanges", ())):
            assert path.split(".")[0] in resource.known_properties, (resource.name, path)


def test_the_rules_have_nothing_against_what_is_rendered(graph: ResourceGraph) -> None:
    kept: list[GpuCluster] = []
    again = record(lambda: kept.append(GpuCluster("train", spec(), now=NOW)))
    assert [str(d) for d in check_graph(again, kept[0].plan).diagnostics] == []


def depth(graph: ResourceGraph) -> int:
    found: dict[str, int] = {}

    def of(urn: str) -> int:
        if urn not in found:
            resource = graph.by_urn(urn)
            found[urn] = 1 + max((of(d) for d in resource.dependencies), default=0) if resource else 0
        return found[urn]

    return max(of(r.urn) for r in graph)


def test_many_pools_make_no_chain() -> None:
    """P6: the longest path does not grow with the pools."""
    pools = [{"name": f"p{i}", "instance_type": "g6e.12xlarge", "count": 2} for i in range(12)]
    assert depth(run(spec_=spec(node_pools=pools))) == depth(run(spec_=spec(node_pools=pools[:1]))) <= 10


# What it takes.


def test_the_spec_may_be_a_model_a_mapping_or_a_file(tmp_path: Path, graph: ResourceGraph) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(yaml.safe_dump(spec()))
    model = parse(spec()).spec
    for form in (model, file, str(file)):
        assert run(spec_=form).to_json() == graph.to_json()


def test_every_finding_comes_at_once_with_its_place_and_nothing_is_registered(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    wrong = spec(node_pools=[{"name": "gpu", "instance_type": "p5.49xlarge", "count": 4}])
    wrong["storage"][0]["size_gib"] = 5000
    file.write_text(yaml.safe_dump(wrong))
    registered: list[Any] = []

    def program() -> None:
        try:
            GpuCluster("train", file, now=NOW)
        except GpuInfraError as e:
            registered.append(e)

    graph = record(program)
    (error,) = registered
    assert {"node_pools[0].instance_type", "storage[0].size_gib"} <= {d.path for d in error.diagnostics}
    assert all(
        d.source and d.source.file.endswith("cluster.yaml") and d.source.line for d in error.diagnostics if d.path
    )
    assert "hint: " in str(error)
    assert not own(graph)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            pulumi.Output.from_input({}),
            "spec is an Output; give a ClusterSpec, a mapping, or the path of a YAML file, kno",
        ),
        (None, r"spec is None; give a ClusterSpec, .*None where its \.diagnostics say why"),
        ([spec()], "spec is a list; give a ClusterSpec"),
        (parse(spec()), r"spec is a Loaded; .*: its \.spec"),
    ],
)
def test_a_spec_of_another_type_is_refused(given: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        record(lambda: GpuCluster("train", given, now=NOW))


@pytest.mark.parametrize("text", [yaml.safe_dump(spec()), "name: train", '{"name": "train"}'])
def test_the_text_of_a_spec_is_not_taken_as_a_path(text: str) -> None:
    with pytest.raises(ValueError, match=r'looks like YAML.*gpuinfra\.load\("cluster\.yaml", text\)\.spec') as error:
        run(spec_=text)
    assert text not in str(error.value)
    assert gpuinfra.load("cluster.yaml", yaml.safe_dump(spec())).spec


def test_a_path_may_look_like_yaml_where_the_file_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a: b.yaml"
    path.write_text(yaml.safe_dump(spec()))
    assert run(spec_=str(path)).named("train")


@pytest.mark.parametrize(
    ("now", "kind", "said"),
    [
        ("2026-12-01T00:00:00Z", TypeError, "now is a str; give a datetime with a timezone"),
        (NOW.date(), TypeError, "now is a date; give a datetime with a timezone"),
        (datetime(2026, 12, 1), ValueError, "now has no timezone"),
    ],
)
def test_the_moment_that_leases_are_judged_by_has_a_timezone(now: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        record(lambda: GpuCluster("train", spec(), now=now))
    model = parse(spec()).spec
    assert model
    with pytest.raises(kind, match=said):
        gpuinfra.resolve(model, now)


def test_deciding_wants_a_model() -> None:
    for given, said in (("/x.yaml", "a str"), (spec(), "a dict"), (None, "None")):
        with pytest.raises(TypeError, match=f"spec is {said}; give a ClusterSpec, as gpuinfra"):
            gpuinfra.resolve(given)  # type: ignore[arg-type]


def test_a_file_that_is_not_there_is_a_finding() -> None:
    with pytest.raises(GpuInfraError, match="no such file"):
        run(spec_="there-is-none.yaml")


def test_warnings_are_shown_in_the_output(graph: ResourceGraph) -> None:
    assert any(severity == "warning" and "GI2" in text for severity, text in graph.logs)


@pytest.mark.parametrize("name", ["Train", "a b", "9lives", "", "x" * 64, "train-"])
def test_a_name_that_clouds_refuse_is_refused(name: str) -> None:
    with pytest.raises(GpuInfraError, match="GI2172"):
        run(name)


def test_a_name_that_is_not_known_yet_is_refused() -> None:
    with pytest.raises(GpuInfraError, match="a value of type Output is not a component's name"):
        record(lambda: GpuCluster(pulumi.Output.from_input("x"), spec(), now=NOW))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [
        {"ignore_changes": ["scaling_config.desired_size"]},
        {"retain_on_delete": True},
        {"delete_before_replace": False},
        {"custom_timeouts": pulumi.CustomTimeouts(create="1h")},
        {"additional_secret_outputs": ["x"]},
        {"replace_on_changes": ["*"]},
    ],
)
def test_options_that_would_do_nothing_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(GpuInfraError, match=r"opts\.transforms") as error:
        run(opts=pulumi.ResourceOptions(**options))
    assert [d.path for d in error.value.diagnostics if d.is_error] == [f"opts.{next(iter(options))}"]


def test_options_that_children_inherit_are_taken() -> None:
    aliases: list[Any] = [pulumi.Alias(name="old")]
    graph = run(opts=pulumi.ResourceOptions(protect=True, aliases=aliases))
    assert graph.named("train-vpc").options["protect"] is True
    assert graph.named("train").options["aliases"]


# Several clusters, providers.


def test_two_clusters_of_one_spec_share_no_name_in_the_program_or_the_cloud() -> None:
    """P4."""
    graph = record(lambda: [GpuCluster(n, spec(), now=NOW) for n in ("east", "west")])
    names = [r.name for r in own(graph)]
    assert len(names) == len(set(names))
    assert all(n.startswith(("east", "west")) for n in names)
    for type_ in ("aws:autoscaling/group:Group", "aws:ec2/launchTemplate:LaunchTemplate", "aws:budgets/budget:Budget"):
        assert len({r.get("name") for r in graph.of_type(type_)}) == 2
    for cluster in ("east", "west"):
        for resource in own(graph):
            if resource.name.startswith(f"{cluster}-"):
                parent = graph.by_urn(resource.parent)
                assert parent
                assert parent.name.startswith(cluster)


def test_every_child_uses_the_provider_of_its_cluster() -> None:
    def program() -> None:
        elsewhere = pulumi.ComponentResource("x:y:Team", "team")
        for name in ("east", "west"):
            provider = aws.Provider(f"{name}-provider", region="us-east-2")
            GpuCluster(name, spec(), pulumi.ResourceOptions(parent=elsewhere, provider=provider), now=NOW)

    graph = record(program)
    for resource in own(graph):
        if resource.type.startswith("aws:"):
            assert resource.provider.endswith(f"::{resource.name.split('-')[0]}-provider"), resource.name
    assert graph.named("east").parent == graph.named("team").urn


def test_lookups_use_the_provider_too() -> None:
    seen: list[str] = []

    def program() -> None:
        provider = aws.Provider("mine", region="us-east-2")
        GpuCluster("train", spec(), pulumi.ResourceOptions(provider=provider), now=NOW)

    graph = record(program, invoke=lambda token, args: seen.append(args["region"]) if "getParameter" in token else None)
    assert seen == ["us-east-2"]
    assert graph.of_type("pulumi:providers:aws")


# What it offers.


def test_outputs_are_the_same_on_every_cloud() -> None:
    kept: list[GpuCluster] = []

    def program() -> None:
        cluster = GpuCluster("train", spec(), now=NOW)
        kept.append(cluster)
        pulumi.export("network", cluster.network_id)
        pulumi.export("group", cluster.node_groups["gpu"])
        pulumi.export("mount", cluster.mounts["scratch"])
        pulumi.export("end", cluster.lease_end)
        pulumi.export("connect", cluster.connect["gpu"])

    graph = record(program)
    assert graph.outputs["network"] == OutputRef("train-vpc", "id")
    assert graph.outputs["group"] in (OutputRef("train-gpu-pool-group", "name"), "train-gpu")
    assert graph.outputs["mount"] == {
        "address": OutputRef("train-scratch-storage", "dnsName"),
        "path": "/${train-scratch-storage.mountName}",
    }
    assert graph.outputs["end"] == OutputRef("train-lease", "rfc3339")
    assert graph.outputs["connect"].startswith("aws ssm start-session --region us-east-2 --target ")
    (cluster,) = kept
    assert cluster.usd_per_hour_at_least > 100
    assert cluster.usd_per_hour is None or cluster.usd_per_hour >= cluster.usd_per_hour_at_least
    assert cluster.price_as_of[:2] == "20"
    assert cluster.plan.pools[0].name == "gpu"


def test_without_a_lease_there_is_no_end() -> None:
    def program() -> None:
        pools = [{"name": "web", "instance_type": "g5.xlarge", "count": 1}]
        cluster = GpuCluster("train", spec(node_pools=pools, shutdown=None, storage=[], workload="inference"), now=NOW)
        pulumi.export("end", cluster.lease_end)

    assert record(program).outputs.get("end") is None


def test_the_package_offers_its_names_and_no_others() -> None:
    assert gpuinfra.GpuCluster is GpuCluster
    assert set(gpuinfra.__all__) <= set(dir(gpuinfra))
    with pytest.raises(AttributeError, match="has no attribute 'Cluster'"):
        gpuinfra.Cluster  # type: ignore[attr-defined]  # noqa: B018


# Pulumi's own mocks.


class Mocks(pulumi.runtime.Mocks):
    def __init__(self) -> None:
        self.seen: dict[str, dict[str, Any]] = {}

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        self.seen[args.name] = args.inputs
        return f"{args.name}-id", dict(args.inputs)

    def call(self, args: pulumi.runtime.MockCallArgs) -> dict[str, Any]:
        return {"insecureValue": "ami-0123456789abcdef0", "value": "ami-0123456789abcdef0"}


def test_under_pulumis_own_mocks() -> None:
    mocks = Mocks()
    pulumi.runtime.set_mocks(mocks, preview=False)
    checked: list[Any] = []

    @pulumi.runtime.test
    def body() -> Any:
        cluster = GpuCluster("train", spec(), now=NOW)
        return pulumi.Output.all(cluster.network_id, cluster.node_groups["gpu"]).apply(checked.append)

    body()
    assert checked == [["train-vpc-id", "train-gpu"]]
    assert mocks.seen["train-gpu-pool-template"]["imageId"] == "ami-0123456789abcdef0"
    assert "None" not in str(mocks.seen["train-gpu-pool-group"]["launchTemplate"].get("version") or "")
