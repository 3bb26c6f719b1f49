"""Programs that look things up in an account: nobody asks it here, and what they make of an answer is not known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpuinfra.lint import Kind, Linted, Source, lint
from gpuinfra.policy.examples import NOW
from gpuinfra.policy.resource_graph import UNKNOWN

PROJECT = "name: probe\nruntime: python\nconfig:\n  aws:region: us-east-1\n  gcp:project: acme\n"
HEAD = """\
import ipaddress, json
import pulumi, pulumi_aws as aws
vpc = aws.ec2.get_vpc(default=True)
subnets = aws.ec2.get_subnets(filters=[{"name": "vpc-id", "values": [vpc.id]}])
zones = aws.get_availability_zones(state="available").names
"""


def judged(tmp_path: Path, main: str, head: str = HEAD) -> Linted:
    (tmp_path / "Pulumi.yaml").write_text(PROJECT)
    (tmp_path / "__main__.py").write_text(head + main)
    found = lint(Source(Kind.PROGRAM, str(tmp_path)), now=NOW)
    assert found.graph is not None, found.findings
    return found


def exported(tmp_path: Path, expressions: list[str], head: str = HEAD) -> list[Any]:
    found = judged(tmp_path, "".join(f'pulumi.export("x{n}", {e})\n' for n, e in enumerate(expressions)), head)
    assert found.graph is not None
    return [found.graph.outputs.get(f"x{n}") for n in range(len(expressions))]


def known(expressions: list[str], values: list[Any]) -> dict[str, Any]:
    """What is known of these, though nobody knows it."""
    return {
        e: v
        for e, v in zip(expressions, values, strict=True)
        if v is not UNKNOWN and not (isinstance(v, list) and any(one is UNKNOWN for one in v))
    }


OPEN = [
    "subnets.ids",
    "sorted(subnets.ids)",
    "[f'{i}/x' for i in subnets.ids]",
    "subnets.ids[0]",
    "subnets.ids[-1][:8]",
    "len(subnets.ids)",
    "len(subnets.ids) > 3",
    "vpc.tags",
    "{'a': 'b', **vpc.tags}",
    "vpc.tags['Name']",
    "vpc.tags.get('Name', 'none')",
    "vpc.enable_dns_support",
    "'yes' if vpc.enable_dns_support else 'no'",
    "vpc.cidr_block_associations[0].cidr_block",
    "vpc.arn.split(':')[5]",
    "vpc.arn.split(':')[0:5]",
    "vpc.id.split('-')[1]",
    "vpc.id.upper().replace('-', '')",
    "vpc.id.partition('-')[2]",
    "(lambda a, b, c: c)(*vpc.id.split('-', 2))",
    "zones[0][:-1]",
    "zones[0][-1]",
    "[z for z in zones if z.startswith('us-east-1')][0]",
    "'prod' if vpc.tags['env'] == 'prod' else 'dev'",
    "str(list(ipaddress.ip_network(vpc.cidr_block).subnets(new_prefix=20))[1])",
    "int(aws.ssm.get_parameter(name='/app/nodes').value)",
    "int(aws.ssm.get_parameter(name='/app/nodes').value) * 2 + 1",
    "aws.ssm.get_parameter_output(name='/app/type').value.apply(lambda t: f'{t}.48xlarge')",
    "json.loads(aws.secretsmanager.get_secret_version(secret_id='x').secret_string)['a']",
    "json.loads(aws.ssm.get_parameter(name='/aws/service/ecs/x/recommended').value)['image_id']",
    "json.loads(aws.ssm.get_parameter(name='/a').value)['a']['b'].get('c')",
    "aws.ec2.get_ami(most_recent=True, owners=['self']).block_device_mappings[0].ebs['volume_size']",
    "aws.ec2.get_ami(most_recent=True, owners=['self']).root_device_name",
    "aws.ec2.get_instance_type(instance_type='p5.48xlarge').default_vcpus // 2",
    "aws.ec2.get_instance_type(instance_type='p5.48xlarge').memory_size // 1024",
    "aws.ec2.get_instance_types().instance_types[0]",
    "aws.eks.get_cluster(name='c').certificate_authorities[0].data",
    "aws.eks.get_cluster(name='c').vpc_config.subnet_ids",
    "aws.ec2.get_route_table(subnet_id='s').routes",
    "aws.ec2.get_subnets_output().ids",
    "aws.ec2.get_subnets_output().ids.apply(lambda i: i[0])",
    "pulumi.Output.format('{0}-x', aws.ec2.get_vpc_output(default=True).id)",
    "pulumi.Output.json_dumps({'a': vpc.id})",
    "pulumi.runtime.invoke('aws:ec2/getEip:getEip', {'id': 'e'}).value['publicIp']",
    "pulumi.runtime.invoke('acme:a/b:b', {'id': 'e'}).value['x']['y']",
]
CHOSEN = [
    "[z for z in zones if z in aws.ec2.get_instance_type_offerings(location_type='availability-zone').locations][0]",
    "[s for s in map(lambda i: aws.ec2.get_subnet(id=i), subnets.ids) if s.availability_zone == 'us-east-1a'][0].arn",
    "vpc.enable_dns_support",
    "'yes' if vpc.enable_dns_support else 'no'",
]


def test_what_comes_of_a_look_up_is_unknown(tmp_path: Path):
    assert known(OPEN, exported(tmp_path, OPEN)) == {}


def test_a_program_that_chooses_by_a_text_finds_something_to_choose(tmp_path: Path):
    assert known(CHOSEN, exported(tmp_path, CHOSEN)) == {}


GOOGLE = [
    "gcp.compute.get_zones(region='us-central1').names",
    "len(gcp.compute.get_zones(region='us-central1').names)",
    "[z for z in gcp.compute.get_zones(region='us-central1').names if z.split('-')[-1] == 'a'][0]",
    "gcp.compute.get_image(family='x', project='y').disk_size_gb + 50",
    "gcp.compute.get_subnetwork(name='d', region='r').secondary_ip_ranges[0].range_name",
    "gcp.container.get_engine_versions(location='x').release_channel_latest_version['RAPID']",
]
AZURE = [
    "az.network.get_virtual_network(resource_group_name='r', virtual_network_name='v').subnets[0].id.split('/')[-1]",
    "az.network.get_virtual_network_output(resource_group_name='r', virtual_network_name='v').subnets[0].id",
    "az.containerservice.list_managed_cluster_user_credentials(resource_group_name='r', resource_name='c')"
    ".kubeconfigs[0].value",
]


@pytest.mark.parametrize(("sdk", "expressions"), [("pulumi_gcp as gcp", GOOGLE), ("pulumi_azure_native as az", AZURE)])
def test_so_it_is_on_the_other_clouds(tmp_path: Path, sdk: str, expressions: list[str]):
    assert known(expressions, exported(tmp_path, expressions, f"import pulumi\nimport {sdk}\n")) == {}


CLOSED = [
    ("'p5.48xlarge' if subnets.ids else 'g5.xlarge'", "p5.48xlarge"),
    ("aws.ec2.get_vpc(id='vpc-1').id", "vpc-1"),
    ("aws.get_region().region", "us-east-1"),
    ("aws.get_caller_identity().account_id", "123456789012"),
    ("{'count': 2, 'of': zones[0]}", {"count": 2, "of": UNKNOWN}),
    ("subnets.ids[:2]", [UNKNOWN, UNKNOWN]),
    ("[subnets.ids[0]]", [UNKNOWN]),
]


def test_what_no_look_up_changes_stays_known(tmp_path: Path):
    assert exported(tmp_path, [e for e, _ in CLOSED]) == [v for _, v in CLOSED]


BOX = "ami='ami-0123456789abcdef0', metadata_options={'http_tokens': 'required'}, root_block_device={'encrypted': True}"


def test_a_mistake_beside_a_look_up_is_found(tmp_path: Path):
    found = judged(tmp_path, f"aws.ec2.Instance('box', instance_type='p5.48large', subnet_id=subnets.ids[1], {BOX})\n")
    assert ("GI3290", "box") in {(d.code, d.resource) for d in found.findings}


def test_what_a_look_up_decides_is_undecided(tmp_path: Path):
    main = f"aws.ec2.Instance('box', instance_type=aws.ssm.get_parameter(name='/t').value, {BOX})\n"
    found = judged(tmp_path, main)
    assert "GI3290" not in {d.code for d in found.findings}
    assert "GI3290" in {u.code for u in found.undecided}


def test_a_resource_per_answer_is_there_as_often_as_the_first_answers_say(tmp_path: Path):
    main = "for z in zones:\n    aws.ec2.Eip(f'e-{z}', tags={'zone': z})\n"
    graph = judged(tmp_path, main).graph
    assert graph is not None
    assert [r.name for r in graph] == [
        f"e-us-east-1${{aws:index/getAvailabilityZones:getAvailabilityZones.names[{i}]}}" for i in range(3)
    ]
    assert all(r.get("tags", "zone") is UNKNOWN for r in graph)


def test_two_of_an_answer_are_two_also_by_a_part_of_their_names(tmp_path: Path):
    main = "for s in subnets.ids[:2]:\n    aws.ec2.Eip(f'{s[:6]}')\n    aws.ec2.Eip(f'of-{s[-4:]}')\n"
    found = judged(tmp_path, main)
    assert found.graph is not None
    assert len(found.graph.resources) == 4
    assert not found.findings


def test_what_only_a_flag_makes_is_judged_without_what_is_not_known(tmp_path: Path):
    main = (
        "kind = aws.ec2.get_instance_type(instance_type='p5.48xlarge')\n"
        "if kind.efa_supported:\n"
        "    aws.ec2.LaunchTemplate('efa', instance_type='p5.48xlarge', network_interfaces=[{'network_card_index': k, "
        "'device_index': 0, 'interface_type': 'efa'} for k in range(kind.efa_maximum_interfaces)])\n"
        "else:\n"
        "    aws.ec2.Eip('plain')\n"
    )
    found = judged(tmp_path, main)
    assert found.graph is not None
    assert [r.name for r in found.graph] == ["plain", "efa"]
    assert found.graph.named("efa").get("networkInterfaces") is UNKNOWN
    assert found.graph.named("efa").get("instanceType") == "p5.48xlarge"


@pytest.mark.parametrize(
    "guard",
    [
        "if not vpc.enable_dns_support:\n    raise ValueError\n",
        "if vpc.enable_dns_support:\n    raise ValueError\n",
        "if int(aws.eks.get_cluster(name='c').version.split('.')[1]) < 30:\n    raise ValueError\n",
        "if len(subnets.ids) < 4:\n    raise ValueError\n",
    ],
)
def test_a_program_that_refuses_an_answer_is_judged_by_another(tmp_path: Path, guard: str):
    assert exported(tmp_path, ["subnets.ids"], HEAD + guard) == [UNKNOWN]


def test_a_program_that_cannot_go_on_is_told_to_show_its_preview(tmp_path: Path):
    (tmp_path / "Pulumi.yaml").write_text(PROJECT)
    (tmp_path / "__main__.py").write_text(HEAD + "raise ValueError('not ' + vpc.id)\n")
    found = lint(Source(Kind.PROGRAM, str(tmp_path)), now=NOW)
    (one,) = found.findings
    assert (found.graph, one.code) == (None, "GI1090")
    assert one.message == (
        "the program raises ValueError: not ${aws:ec2/getVpc:getVpc.id}; it goes by what "
        "aws:ec2/getSubnets:getSubnets, aws:ec2/getVpc:getVpc, aws:index/getAvailabilityZones:getAvailabilityZones "
        "answers, and no account is asked here"
    )
    assert "pulumi preview --json" in one.hint
    assert one.source is not None
    assert one.source.line == 6


def test_a_program_that_looks_nothing_up_is_run_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    judged(tmp_path, "print('once')\n", "import pulumi_aws as aws\naws.get_region()\naws.get_caller_identity()\n")
    assert capfd.readouterr().err.split() == ["once"]
