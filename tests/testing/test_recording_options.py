"""Options, dependencies and providers of recorded resources, and the wire paths in options."""

import pulumi
import pulumi_aws as aws
import pytest

from gpuinfra.policy.resource_graph import option_path_faults, parse_property_path
from gpuinfra.testing import record


class Pair(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("test:index:Pair", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        self.one = aws.ec2.Vpc(f"{name}-one", cidr_block="10.0.0.0/16", opts=child)
        self.two = aws.ec2.Vpc(f"{name}-two", cidr_block="10.1.0.0/16", opts=child)


def test_options_are_read_in_wire_spelling():
    def program():
        aws.ec2.Vpc(
            "net",
            cidr_block="10.0.0.0/16",
            opts=pulumi.ResourceOptions(
                protect=True,
                retain_on_delete=True,
                delete_before_replace=False,
                ignore_changes=["tags", "cidr_block"],
                replace_on_changes=["*"],
                hide_diffs=["tags"],
                additional_secret_outputs=["arn"],
                custom_timeouts=pulumi.CustomTimeouts(create="5m"),
                aliases=[pulumi.Alias(name="old"), pulumi.Alias(type_="aws:ec2/v20240101:Vpc")],
                import_="vpc-1",
            ),
        )

    assert record(program).named("net").options == {
        "additionalSecretOutputs": ["arn"],
        "aliases": [{"name": "old"}],
        "customTimeouts": {"create": "5m"},
        "deleteBeforeReplace": False,
        "hideDiffs": ["tags"],
        "ignoreChanges": ["cidrBlock", "tags"],
        "import": "vpc-1",
        "protect": True,
        "replaceOnChanges": ["*"],
        "retainOnDelete": True,
    }


def test_a_resource_without_options_has_none():
    graph = record(lambda: aws.ec2.Vpc("net", cidr_block="10.0.0.0/16"))
    assert graph.named("net").options == {}


def test_aliases_that_the_sdk_adds_are_left_out_and_those_of_a_component_stay():
    def program():
        aws.s3.Bucket(
            "data", opts=pulumi.ResourceOptions(aliases=["urn:pulumi:dev::project::aws:s3/bucket:Bucket::old"])
        )
        Pair("pair", pulumi.ResourceOptions(aliases=[pulumi.Alias(type_="test:index:Old")]))

    graph = record(program)
    assert graph.named("data").options == {"aliases": ["urn:pulumi:dev::project::aws:s3/bucket:Bucket::old"]}
    assert graph.named("pair").options == {"aliases": [{"type": "test:index:Old"}]}


def test_protect_reaches_children_of_a_component_and_alias_of_a_parent_stays_its_own():
    graph = record(lambda: Pair("p", pulumi.ResourceOptions(protect=True, aliases=[pulumi.Alias(name="q")])))
    assert graph.named("p").options == {"protect": True, "aliases": [{"name": "q"}]}
    assert graph.named("p-one").options == {"protect": True}


def test_depends_on_a_component_means_its_children():
    def program():
        pair = Pair("pair")
        aws.ec2.Vpc("last", cidr_block="10.2.0.0/16", opts=pulumi.ResourceOptions(depends_on=[pair]))

    graph = record(program)
    last = graph.named("last")
    assert set(last.dependencies) >= {graph.named("pair-one").urn, graph.named("pair-two").urn}
    assert last.property_dependencies == {}
    assert graph.named("pair-one").dependencies == ()


def test_deleted_with_and_an_explicit_provider_are_kept(monkeypatch):
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_SKIP_METADATA_API_CHECK", "true")

    def program():
        west = aws.Provider("west", region="us-west-2", default_tags={"tags": {"team": "nlp"}})
        vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(provider=west))
        inside = pulumi.ResourceOptions(parent=vpc, deleted_with=vpc)
        aws.ec2.Subnet("sub", vpc_id=vpc.id, cidr_block="10.0.0.0/24", opts=inside)

    for preview in (True, False):
        graph = record(program, preview=preview)
        west = graph.named("west")
        # Provider config is JSON text on the wire, and the laptop's environment is not in it.
        assert west.inputs["defaultTags"] == '{"tags": {"team": "nlp"}}'
        assert west.inputs["region"] == "us-west-2"
        assert "eu-west-1" not in str(west.inputs)
        assert west.inputs.get("skipMetadataApiCheck") != "true"
        assert graph.named("net").provider == west.urn
        assert graph.named("sub").provider == west.urn
        assert graph.named("sub").options["deletedWith"] == graph.named("net").urn
        assert {r["name"]: r.get("provider") for r in graph.to_json()} == {
            "west": None,
            "net": west.urn,
            "sub": west.urn,
        }


def test_known_properties_are_the_inputs_of_the_class_and_levels_on_option_paths():
    def program():
        aws.ec2.Subnet("s", vpc_id="vpc-1", opts=pulumi.ResourceOptions(ignore_changes=["tags.team"]))
        pulumi.CustomResource("other:index:Thing", "t", {"a": 1}, pulumi.ResourceOptions(ignore_changes=["zz"]))

    graph = record(program)
    known = graph.named("s").known_properties
    assert {"vpcId", "cidrBlock", "tags", "tags.*"} <= set(known)
    assert "arn" not in known
    assert graph.named("t").known_properties == ()
    assert option_path_faults(graph) == ()


@pytest.mark.parametrize(
    ("path", "segment", "near"),
    [
        ("scaling_config.desired_size", "scaling_config", ("scalingConfig",)),
        ("scalingConfig.desired_size", "desired_size", ("desiredSize",)),
        ("scalingConfg", "scalingConfg", ("scalingConfig",)),
        ("taints[0].efect", "efect", ("effect",)),
        ("arn", "arn", None),
        ("scalingConfig.desiredSize", None, None),
        ("scaling_config", None, None),
        ("taints[0].effect", None, None),
        ("taints[*].effect", None, None),
        ('labels["nvidia.com/gpu"]', None, None),
        ("*", None, None),
    ],
)
def test_option_paths_that_match_nothing_are_found_with_the_nearest_name(path, segment, near):
    def program():
        aws.eks.NodeGroup(
            "ng",
            cluster_name="c",
            node_role_arn="arn",
            subnet_ids=[],
            scaling_config={"desired_size": 1, "min_size": 0, "max_size": 2},
            opts=pulumi.ResourceOptions(ignore_changes=[path], replace_on_changes=["labels"]),
        )

    faults = option_path_faults(record(program))
    if segment is None:
        assert faults == ()
        return
    (fault,) = faults
    assert (fault.resource.name, fault.option, fault.path, fault.segment) == ("ng", "ignoreChanges", path, segment)
    if near is not None:
        assert fault.near[: len(near)] == near


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("a.b", ("a", "b")),
        ("list[0].c", ("list", 0, "c")),
        ('map["a key"].x', ("map", "a key", "x")),
        ('["tags"]["k.v"]', ("tags", "k.v")),
        ('x["a\\"b"]', ("x", 'a"b')),
        ("list[*]", ("list", "*")),
        ("a..b", ("a..b",)),
        ("a[", ("a[",)),
        ("", ()),
    ],
)
def test_property_paths_are_read_as_pulumi_writes_them(path, steps):
    assert parse_property_path(path) == steps


def test_transforms_run_as_the_engine_runs_them():
    def tag(args):
        if args.type_.startswith("aws:"):
            args.props["tags"] = {**args.props.get("tags", {}), "by": "stack"}
        return pulumi.ResourceTransformResult(args.props, args.opts)

    async def shield(args):
        if args.custom:
            opts = pulumi.ResourceOptions.merge(
                args.opts, pulumi.ResourceOptions(protect=True, ignore_changes=["tags"])
            )
            return pulumi.ResourceTransformResult(args.props, opts)
        return None

    def program():
        pulumi.runtime.register_resource_transform(tag)
        pair = Pair("pair", pulumi.ResourceOptions(transforms=[shield]))
        aws.ec2.Vpc("plain", cidr_block="10.3.0.0/16", tags={"a": pair.one.id})

    graph = record(program)
    assert graph.named("pair-one").get("tags") == {"by": "stack"}
    assert graph.named("pair-one").options == {"ignoreChanges": ["tags"], "protect": True}
    assert graph.named("plain").options == {}
    assert graph.named("plain").get("tags", "by") == "stack"
    assert graph.named("plain").property_dependencies["tags"] == (graph.named("pair-one").urn,)


def test_old_style_transformations_run_too():
    def program():
        def change(args):
            return pulumi.ResourceTransformationResult({**args.props, "cidr_block": "10.9.0.0/16"}, args.opts)

        aws.ec2.Vpc("net", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(transformations=[change]))

    assert record(program).named("net").get("cidrBlock") == "10.9.0.0/16"


def test_hooks_do_not_run_and_do_not_stop_a_recording():
    def program():
        def never(args):
            raise AssertionError("a hook ran")

        hook = pulumi.ResourceHook("never", never)
        binding = pulumi.ResourceHookBinding(before_create=[hook], after_create=[hook])
        aws.ec2.Vpc("net", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(hooks=binding))

    assert record(program).named("net").options == {}
